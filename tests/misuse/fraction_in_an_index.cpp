// Each number of an index is whole.
// says: cannot convert|could not convert|invalid initialization|no matching|no viable
#include <heed.h>

double f(const heed::Tensor& x, double place) { return x.at({place, 0}); }

// The second number is no keepdim, as in sum(x, 1, 2).
// says: cannot convert|could not convert|invalid initialization|no matching|no viable
#include <heed.h>

heed::Tensor f(const heed::Tensor& x) { return x.sum(1, 2); }

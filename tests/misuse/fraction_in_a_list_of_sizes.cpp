// n / 2.0 is no size; n / 2 is one.
// says: cannot convert|could not convert|invalid initialization|no matching|no viable
#include <heed.h>

heed::Tensor f(double n) { return heed::zeros({2, n / 2.0}); }

// keepdim in the place of the correction.
// says: cannot convert|no viable|no matching
#include <heed.h>

heed::Tensor f(const heed::Tensor& x) { return x.std(1, true); }

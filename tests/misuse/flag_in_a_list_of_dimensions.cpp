// keepdim inside the braces of the dimensions.
// says: cannot convert|could not convert|invalid initialization|no matching|no viable
#include <heed.h>

heed::Tensor f(const heed::Tensor& x, bool keepdim) { return x.sum({0, keepdim}); }

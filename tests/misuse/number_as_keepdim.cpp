// PyTorch's norm(p, dim): the second number is not keepdim.
// says: cannot convert|could not convert|invalid initialization|no matching|no viable
#include <heed.h>

heed::Tensor f(const heed::Tensor& x) { return x.norm(2, 1); }

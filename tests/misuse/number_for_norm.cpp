// A power, as in PyTorch, or a dim without braces.
// says: deleted
#include <heed.h>

heed::Tensor f(const heed::Tensor& x) { return x.norm(2); }

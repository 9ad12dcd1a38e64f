// torch.sort(x, descending=True) without its name.
// says: no matching
#include <heed.h>

heed::Tensor f(const heed::Tensor& x) { return heed::sort(x, true); }

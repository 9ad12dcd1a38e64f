// A bool as an index of index().
// says: (could not convert|no matching)
#include <heed.h>

heed::Tensor f(const heed::Tensor& x) { return heed::index(x, {true, x}); }

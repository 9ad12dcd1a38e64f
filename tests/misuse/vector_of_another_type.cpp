// Elements are read as what they are: float, double, int64_t or bool.
// says: no matching
#include <heed.h>

auto f(const heed::Tensor& x) { return x.to_vector<int>(); }

// An index is a whole number.
// says: no match|no viable
#include <heed.h>

heed::Tensor f(const heed::Tensor& x) { return x[0.5]; }

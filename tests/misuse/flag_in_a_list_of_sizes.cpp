// A flag is no size, in braces either.
// says: cannot convert|could not convert|invalid initialization|no matching|no viable
#include <heed.h>

heed::Tensor f(bool flag) { return heed::zeros({2, flag}); }

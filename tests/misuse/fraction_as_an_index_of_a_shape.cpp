// The place of a size is a whole number.
// says: no match|no viable
#include <heed.h>

long f(const heed::Shape& shape) { return shape[0.9]; }

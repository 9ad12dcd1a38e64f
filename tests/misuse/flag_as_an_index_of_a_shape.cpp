// A place, not a flag.
// says: no match|no viable
#include <heed.h>

long f(const heed::Shape& shape) { return shape[true]; }

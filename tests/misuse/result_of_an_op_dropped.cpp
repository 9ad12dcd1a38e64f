// relu() changes nothing in place.
// says: nodiscard
#include <heed.h>

void f(const heed::Variable& x) { heed::relu(x); }

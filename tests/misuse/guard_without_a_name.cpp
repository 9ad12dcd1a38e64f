// The guard would be gone at once.
// says: nodiscard
#include <heed.h>

void f() { heed::NoGrad(); }

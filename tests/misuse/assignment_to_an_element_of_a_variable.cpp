// The same of a Variable.
// says: an assignment to a temporary Variable writes nothing
#include <heed.h>

void f(heed::Variable x) { x[0] = heed::ones({3}); }

// x[0] = y would write nothing.
// says: x\[i\].copy_\(y\) or x\[i\].fill_\(2.0\) writes elements
#include <heed.h>

void f(heed::Tensor x) { x[0] = heed::ones({3}); }

// reshape() returns a view, and leaves x as it is.
// says: nodiscard
#include <heed.h>

void f(const heed::Tensor& x) { x.reshape({6}); }

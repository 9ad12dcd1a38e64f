// What the ops have in common that pick elements of x by index: sort, topk, max and min.
// Not for users.
#pragma once

#include "autograd/variable.h"

namespace heed {

// Records `values`, which the op `name` has taken out of x along `dim` at `indices`: the
// gradient of each goes back to the element that it came from. `values` and `indices` may
// lack `dim`.
Variable picked(const char* name, Tensor values, const Variable& x, Dim dim,
                const Tensor& indices);

}  // namespace heed

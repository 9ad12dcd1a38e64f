// Order along one dimension, on Variables: the names, shapes, values and errors of
// tensor/reduce/sorting.h, with derivatives.
#pragma once

#include "autograd/variable.h"
#include "tensor/reduce/sorting.h"

namespace heed {

WithIndices<Variable> sort(const Variable& x, Dim dim = -1, bool descending = false);
// Has no derivative.
Variable argsort(const Variable& x, Dim dim = -1, bool descending = false);
WithIndices<Variable> topk(const Variable& x, Size k, Dim dim = -1, bool largest = true);
Variable cumsum(const Variable& x, Dim dim);

}  // namespace heed

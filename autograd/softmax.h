// The softmax family on Variables: the names, shapes, values and errors of
// tensor/reduce/softmax.h, with derivatives.
#pragma once

#include "autograd/variable.h"
#include "tensor/reduce/softmax.h"

namespace heed {

Variable softmax(const Variable& x, Dim dim);
Variable log_softmax(const Variable& x, Dim dim);

}  // namespace heed

// Layer normalisation on Variables: the name, shapes, value and errors of
// tensor/reduce/layer_norm.h, with derivatives.
#pragma once

#include "autograd/variable.h"
#include "tensor/reduce/layer_norm.h"

namespace heed {

// x (..., n); weight and bias (n), or undefined for none.
Variable layer_norm(const Variable& x, const Variable& weight, const Variable& bias,
                    double eps = 1e-5);

}  // namespace heed

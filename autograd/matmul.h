// Matrix products on Variables: the names, shapes, values and errors of
// tensor/product/matmul.h, with derivatives.
#pragma once

#include "autograd/variable.h"
#include "tensor/product/matmul.h"

namespace heed {

Variable matmul(const Variable& a, const Variable& b);
Variable bmm(const Variable& a, const Variable& b);
Variable linear(const Variable& x, const Variable& weight, const Variable& bias = {});
Variable outer(const Variable& a, const Variable& b);

}  // namespace heed

// The functions of tensor/elementwise/angles.h for Variables. Throw Error as those do.
#pragma once

#include "autograd/variable.h"
#include "tensor/elementwise/angles.h"

namespace heed {

Variable asin(const Variable& x);
Variable acos(const Variable& x);
Variable atan(const Variable& x);
Variable sinh(const Variable& x);
Variable cosh(const Variable& x);
Variable atan2(const Variable& y, const Variable& x);

}  // namespace heed

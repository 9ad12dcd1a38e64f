// Inverse trigonometric and hyperbolic functions, element by element by the C library in
// double. Integers become float32. Throw Error as the elementwise ops do.
#pragma once

#include "tensor/core/tensor.h"

namespace heed {

Tensor asin(const Tensor& x);
Tensor acos(const Tensor& x);
Tensor atan(const Tensor& x);
Tensor sinh(const Tensor& x);
Tensor cosh(const Tensor& x);
// The angle of the point (x, y), from -pi to pi. The shapes broadcast.
Tensor atan2(const Tensor& y, const Tensor& x);

}  // namespace heed

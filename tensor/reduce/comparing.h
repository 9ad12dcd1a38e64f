// Whether tensors are equal, or nearly.
#pragma once

#include "tensor/core/tensor.h"

namespace heed {

// Where a is close to b, |a - b| <= atol + rtol |b|: bool, broadcast. Infinities must be
// equal; with equal_nan, NaN is close to NaN. Throws Error when the shapes do not
// broadcast, the dtypes differ, or a tolerance is negative or NaN.
Tensor isclose(const Tensor& a, const Tensor& b, double rtol = 1e-5, double atol = 1e-8,
               bool equal_nan = false);
// Whether all elements are close. Throws Error likewise.
bool allclose(const Tensor& a, const Tensor& b, double rtol = 1e-5, double atol = 1e-8,
              bool equal_nan = false);
// Whether shape and elements are equal. Throws Error when the dtypes differ.
bool equal(const Tensor& a, const Tensor& b);

}  // namespace heed

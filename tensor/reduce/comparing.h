// Whether tensors are equal, or nearly.
#pragma once

#include "tensor/core/tensor.h"

namespace heed {

// How far elements may lie apart: |a - b| <= atol + rtol |b|. Infinities must be equal.
struct Tolerance {
  double rtol = 1e-5;
  double atol = 1e-8;
  bool equal_nan = false;  // whether NaN is close to NaN
};

// Where a is close to b: bool, broadcast. Throws Error when the shapes do not broadcast,
// the dtypes differ, or a tolerance is negative or NaN.
Tensor isclose(const Tensor& a, const Tensor& b, const Tolerance& tolerance = {});
// Whether all elements are close. Throws Error likewise.
bool allclose(const Tensor& a, const Tensor& b, const Tolerance& tolerance = {});
// Whether shape and elements are equal. Throws Error when the dtypes differ.
bool equal(const Tensor& a, const Tensor& b);

}  // namespace heed

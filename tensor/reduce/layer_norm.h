// Layer normalisation along the last dimension.   (Ba, Kiros and Hinton, 2016)
#pragma once

#include <array>

#include "tensor/core/tensor.h"

namespace heed {

// y = (x - mean) rstd weight + bias with rstd = 1/√(variance + eps): the mean and the
// biased variance of each row of x.
struct LayerNormResult {
  Tensor output;      // as x
  Tensor mean, rstd;  // as x without its last dimension
};

// x (..., n); weight and bias (n), or undefined for none. Floating dtypes. Throws
// Error when the shapes or dtypes do not fit or the last dimension of x is empty.
LayerNormResult layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias,
                           double eps);

// The gradients of x (..., n), weight (n) and bias (n), given the gradient g of the
// output (..., n), x, weight (n, or undefined), and mean and rstd (...) of the
// result. A gradient that is not wanted is undefined. Throws Error when a shape or dtype
// does not fit.
std::array<Tensor, 3> layer_norm_backward(const Tensor& g, const Tensor& x,
                                          const Tensor& weight, const Tensor& mean,
                                          const Tensor& rstd,
                                          const std::array<bool, 3>& wanted);

}  // namespace heed

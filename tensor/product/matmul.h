// Matrix products. All throw Error for different dtypes and those that are not floating.
#pragma once

#include "tensor/core/tensor.h"

namespace heed {

// The matrix product with PyTorch's broadcasting:
//   (n) x (n) -> ()                 a dot product
//   (m, k) x (k) -> (m)             matrix times vector
//   (k) x (k, n) -> (n)             vector times matrix
//   (..., m, k) x (..., k, n) -> (..., m, n)    the leading dimensions broadcast
// and 1-D operands beside batches likewise. Any strides; a copy is made of a vector with
// gaps that is read often. Throws Error for scalars, different inner sizes, and leading
// dimensions that do not broadcast.
Tensor matmul(const Tensor& a, const Tensor& b);
// (b, m, k) x (b, k, n) -> (b, m, n), no broadcasting. Throws Error for other shapes.
Tensor bmm(const Tensor& a, const Tensor& b);
// x Wᵀ + b: x (..., in), weight (out, in), bias (out) or undefined -> (..., out). The
// bits of matmul(x, transpose(weight, 0, 1)) + bias; mostly without a pass over the
// result for the bias (see gemm.h). Throws Error when the sizes do not fit.
// (torch.nn.functional.linear)
Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias = {});

}  // namespace heed

// Layers as functions of their parameters.
#pragma once

#include <optional>

#include "autograd/elementwise.h"
#include "autograd/layer_norm.h"
#include "autograd/matmul.h"
#include "autograd/softmax.h"
#include "autograd/variable.h"
#include "tensor/indexing/indexing.h"

namespace heed::nn {

// What PyTorch's programs call F.relu(x) can be called nn::relu(x) here. linear is
// x Wᵀ + b:     x (..., in), weight (out, in), bias (out), if any  ->  (..., out)
// An undefined bias is none, even one that was moved from.
using heed::elu;
using heed::gelu;
using heed::layer_norm;
using heed::leaky_relu;
using heed::linear;
using heed::log_softmax;
using heed::logsigmoid;
using heed::one_hot;
using heed::relu;
using heed::sigmoid;
using heed::silu;
using heed::softmax;
using heed::softplus;
using heed::tanh;

// (x - mean) / √(variance + eps), times weight, plus bias; mean and (biased) variance
// over the last dimensions, whose shape normalized_shape is. weight and bias have that
// shape. Throws Error when the shapes do not fit.     (Ba, Kiros and Hinton, 2016)
Variable layer_norm(const Variable& x, const Shape& normalized_shape, double eps = 1e-5);
Variable layer_norm(const Variable& x, const Shape& normalized_shape,
                    const Variable& weight, double eps = 1e-5);
Variable layer_norm(const Variable& x, const Shape& normalized_shape,
                    const Variable& weight, const Variable& bias, double eps = 1e-5);

// The rows of `weight` (n, width) that `ids` (any shape, int64) name: (ids..., width).
// The row padding_idx gets no gradient. Throws Error when an id or padding_idx is not a
// row, and when `weight` or the dtype of `ids` does not fit.
Variable embedding(const Tensor& ids, const Variable& weight,
                   std::optional<std::int64_t> padding_idx = {});

}  // namespace heed::nn

namespace heed {
using nn::embedding;
}  // namespace heed

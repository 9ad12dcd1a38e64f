// Attention with a Gaussian kernel over numbers: Nadaraya-Watson kernel regression.
//                                                        (Nadaraya, 1964; Watson, 1964)
#pragma once

#include <array>

#include "tensor/core/tensor.h"

namespace heed {

struct GaussianAttentionResult {
  Tensor output;   // (..., 1, 1)
  Tensor weights;  // (..., 1, m)
  // The derivatives of each output by its query and by w, (..., 1, 1): two numbers, which
  // cost little while a row is in the cache.
  Tensor by_query, by_w;
};

// p[j] = softmax_j(-((query - key[j]) w)² / 2),  output = Σ_j p[j] value[j]
//   query (..., 1, 1), key (..., m, 1), value (..., m, 1), w of one element
//
// Each query, a number, has keys and values of its own. Rows of more than 64 keys are
// computed one at a time, so that intermediate results seldom leave the cache: the arrays
// are large, and there is little arithmetic on them. All of one floating dtype. Throws
// Error when the dtypes or the shapes do not fit.
GaussianAttentionResult gaussian_attention(const Tensor& query, const Tensor& key,
                                           const Tensor& value, const Tensor& w);

// The gradients of the operands, each of its operand's shape; key and value are undefined
// where they are not wanted.
struct GaussianAttentionGradients {
  Tensor query, key, value, w;
};

// For the `result` and the gradient g of its output, with d = query - key[j] and
// ds[j] = p[j] (g value[j] - g output), the gradient of the scores:
//   dquery = -w² Σ_j ds d,   dkey[j] = w² ds d,   dvalue[j] = g p[j],
//   dw = -w Σ ds d²
// `wanted` says whether dkey and dvalue, which are large, are computed. Throws Error when
// the dtypes or the shapes do not fit.
GaussianAttentionGradients gaussian_attention_backward(
    const Tensor& g, const Tensor& query, const Tensor& key, const Tensor& value,
    const Tensor& w, const GaussianAttentionResult& result,
    const std::array<bool, 2>& wanted = {true, true});

}  // namespace heed

// The weights of a Gaussian kernel, normalised.        (Nadaraya, 1964; Watson, 1964)
#pragma once

#include "tensor/tensor.h"

namespace heed {

// y[i, j] = softmax_j(-((queries[i] - keys[i, j]) w)² / 2)
//   queries (n), keys (n, m), w of one element  ->  (n, m)
//
// A row at a time, so that what lies between keys and weights never leaves the cache: the
// arrays are large and the arithmetic on them little. All of one floating dtype. Throws
// Error when the dtypes or the shapes do not fit.
Tensor gaussian_weights(const Tensor& queries, const Tensor& keys, const Tensor& w);

// Its gradients, each of its input's shape.
struct GaussianWeightsGradients {
  Tensor queries, keys, w;
};

// For the weights y and their gradient g, both (n, m), with d = queries[i] - keys[i, j]
// and ds = y (g - Σ_j g y), softmax's gradient:
//   dqueries[i] = -w² Σ_j ds d,   dkeys[i, j] = w² ds d,   dw = -w Σ_ij ds d²
// dkeys, which is as large as the keys, is computed only `with_keys`.
GaussianWeightsGradients gaussian_weights_backward(const Tensor& g, const Tensor& y,
                                                   const Tensor& queries,
                                                   const Tensor& keys, const Tensor& w,
                                                   bool with_keys);

}  // namespace heed

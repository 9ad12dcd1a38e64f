// The scores of additive attention.        (Bahdanau, Cho and Bengio, 2015)
#pragma once

#include "tensor/core/tensor.h"

namespace heed {

// s[i, j] = Σ_c w[c] tanh(queries[i, c] + keys[j, c])
//   queries (..., n, h), keys (..., m, h), w (h)  ->  (..., n, m)
//
// Written in other ops, this makes two arrays (..., n, m, h), of the sums and of their
// tanh. Here neither is made: each number is used where it is computed. For many queries
// and keys tanh(q + k) is formed of e^2q and e^2k, an exponential for each of these and
// none for a pair. All of one floating dtype. Throws Error when the dtypes or the shapes
// do not fit.
Tensor additive_scores(const Tensor& queries, const Tensor& keys, const Tensor& w);

// The gradients of the operands, each of its operand's shape.
struct AdditiveScoresGradients {
  Tensor queries, keys, w;
};

// For the gradient g (..., n, m) of the scores and t = tanh(queries[i, c] + keys[j, c]),
// computed again since that costs less than keeping it:
//   dqueries[i, c] = w[c] Σ_j g[i, j] (1 - t²)
//   dkeys[j, c]    = w[c] Σ_i g[i, j] (1 - t²)
//   dw[c]          = Σ_ij g[i, j] t
// A pair whose g is 0 is left out, whatever its t: a masked key gets no gradient and adds
// nothing to the other gradients, even where its padding is NaN. Throws Error when the
// dtypes or the shapes do not fit.
AdditiveScoresGradients additive_scores_backward(const Tensor& g, const Tensor& queries,
                                                 const Tensor& keys, const Tensor& w);

}  // namespace heed

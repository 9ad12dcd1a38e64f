// Scaled dot-product attention, fused, that is as one op. With more than 8 queries per
// head the scores of a whole batch are never in memory at once, unless the weights are
// asked for. With up to 8 there are few scores, and the weights are kept.
//     (Vaswani et al., 2017; without all scores: Rabe and Staats, 2021; Dao et al., 2022)
//
// The sizes: n queries and m keys of d features, m values of dv features.
#pragma once

#include <array>

#include "tensor/core/tensor.h"

namespace heed {

// Which keys count for a query, and how much; and dropout. An undefined tensor
// stands for none, and so does one without elements. (keep and bias are PyTorch's
// attn_mask, of bools and of numbers.)
struct AttentionOptions {
  // Query i sees no key from lens[i] on: int64, broadcasts to (..., n), and a number
  // above m counts as m. So causal attention has the lens 1, 2, ..., and a padded batch
  // the lengths of its sequences.
  Tensor lens = {};
  // A query sees only keys that are true: bool, broadcasts to (..., n, m).
  Tensor keep = {};
  // Is added to the scores: of the query's dtype, broadcasts to (..., n, m).
  Tensor bias = {};
  // Dropout: a weight whose bit is 0 becomes 0, the others are divided by
  // keep_probability. The bits are (..., n, ceil(m / 64)), as bernoulli_bits of
  // tensor/random/random.h draws them for the weights (..., n, m).
  Tensor dropout_bits = {};
  double keep_probability = 1;
};

struct AttentionResult {
  Tensor output;  // (..., n, dv)
  // For the backward. With more than 8 queries: of each row of scores s the largest, and
  // 1 / Σ exp(s - largest), zeros for a query that sees no key: (..., n). (FlashAttention
  // calls the largest m, and the sum l.) With fewer: the weights before dropout,
  // (..., n, m). The others are undefined.
  Tensor largest, inverse_sums, kept_weights;
};

// softmax(scale Q Kᵀ + bias) V
//
// query (..., n, d), key (..., m, d), value (..., m, dv), with equal leading sizes, give
// (..., n, dv). A query that sees no key gets zeros.
//
// Operands may be strided; they are copied, or parts of them, where the kernels need it.
// The output lies in memory in the order of the queries, so that heads which are views
// of a projection are joined again without a copy. Where `weights` is not null, it gets
// the attention weights before dropout, (..., n, m); that changes no bit of the output.
// With lens, keep or -inf in the bias, the queries that see a key and all keys and
// values must be finite: the kernels multiply what is hidden by 0. Floating dtypes.
// Throws Error when a shape or dtype does not fit, a number in lens is negative, or
// keep_probability is not in (0, 1].
AttentionResult scaled_dot_product_attention(const Tensor& query, const Tensor& key,
                                             const Tensor& value,
                                             const AttentionOptions& options,
                                             double scale, Tensor* weights = nullptr);

// The gradients of query, key and value, undefined where they are not wanted. Their rows
// are contiguous, and lie in memory in the order of the operand's.
struct AttentionGradients {
  Tensor query, key, value;
};

// The gradients of scaled_dot_product_attention, for the gradient g (..., n, dv) of its
// output and the `result` that it returned. A query that lens and keep leave no key takes
// no part, even if its numbers or its g are NaN. `wanted` says which gradients are
// computed. Throws Error as scaled_dot_product_attention does, and when g or the result
// do not fit.
AttentionGradients scaled_dot_product_attention_backward(
    const Tensor& g, const Tensor& query, const Tensor& key, const Tensor& value,
    const AttentionOptions& options, double scale, const AttentionResult& result,
    const std::array<bool, 3>& wanted = {true, true, true});

}  // namespace heed

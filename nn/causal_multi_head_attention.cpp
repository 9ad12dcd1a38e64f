#include "nn/causal_multi_head_attention.h"

#include <algorithm>

namespace heed::nn {
namespace {

Mask mask_of(const CausalMultiHeadAttentionOptions& options) {
  if (!options.is_causal) return Mask();
  return options.align ? Mask::causal(*options.align) : Mask::causal();
}

}  // namespace

CausalMultiHeadAttention::CausalMultiHeadAttention(
    const CausalMultiHeadAttentionOptions& options)
    : Heads("CausalMultiHeadAttention", {"n_heads", options.n_heads},
            {{"dim", options.dim}}, options.dropout),
      wq(options.dim, options.dim, {.bias = false, .dtype = options.dtype}),
      wk(options.dim, options.dim, {.bias = false, .dtype = options.dtype}),
      wv(options.dim, options.dim, {.bias = false, .dtype = options.dtype}),
      wo(options.dim, options.dim, {.bias = false, .dtype = options.dtype}),
      resid_dropout(options.dropout),
      max_seq_len(options.max_seq_len),
      mask(mask_of(options)) {
  check(max_seq_len >= 1,
        "CausalMultiHeadAttention: max_seq_len must be at least 1, got {}", max_seq_len);
}

Variable CausalMultiHeadAttention::operator()(const Variable& x, const Mask& extra) {
  return (*this)(x, x, x, extra);
}

Variable CausalMultiHeadAttention::operator()(const Variable& q, const Variable& k,
                                              const Variable& v, const Mask& extra) {
  const std::int64_t dim = wq.weight.size(1);
  const InputSizes wanted{
      .query_size = dim, .key_size = dim, .value_size = dim, .dtype = wq.weight.dtype()};
  if (!mask.is_empty() && q.dim() == 3 && k.dim() == 3) {
    check(
        std::max(q.size(1), k.size(1)) <= max_seq_len,
        "CausalMultiHeadAttention: a sequence must not be longer than max_seq_len = {}, "
        "got {} queries and {} keys",
        max_seq_len, q.size(1), k.size(1));
  }
  const Variable heads = attend("CausalMultiHeadAttention", wanted, {q, k, v},
                                mask & extra, wq, wk, wv);  // (batch, n, dim)
  return resid_dropout(wo(heads));
}

}  // namespace heed::nn

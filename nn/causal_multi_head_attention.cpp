#include "nn/causal_multi_head_attention.h"

#include <algorithm>
#include <utility>

#include "nn/inputs.h"

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
  const Mask both = mask & extra;
  const Inputs in =
      take_inputs("CausalMultiHeadAttention", wanted, {q, k, v}, both, num_heads);
  Variable Q = split_heads(wq(in.queries), num_heads);  // (batch, heads, n, d)
  Variable K = split_heads(wk(in.keys), num_heads);     // (batch, heads, m, d)
  Variable V = split_heads(wv(in.values), num_heads);   // (batch, heads, m, d)
  // (batch, n, dim)
  return resid_dropout(wo(attend(std::move(Q), std::move(K), std::move(V), both)));
}

}  // namespace heed::nn

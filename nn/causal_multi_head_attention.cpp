#include "nn/causal_multi_head_attention.h"

#include <algorithm>

#include "nn/attention.h"
#include "nn/masked.h"

namespace heed::nn {
namespace {

// dim, if the heads can share it.
std::int64_t shared(const CausalMultiHeadAttentionOptions& options) {
  check(options.n_heads >= 1 && options.max_seq_len >= 1,
        "CausalMultiHeadAttention: n_heads and max_seq_len must be at least 1, got {} "
        "and {}",
        options.n_heads, options.max_seq_len);
  check(options.dim % options.n_heads == 0,
        "CausalMultiHeadAttention: dim must be a multiple of n_heads, got {} and {}",
        options.dim, options.n_heads);
  return options.dim;
}

Mask mask_of(const CausalMultiHeadAttentionOptions& options) {
  if (!options.is_causal) return Mask();
  return options.align ? Mask::causal(*options.align) : Mask::causal();
}

}  // namespace

CausalMultiHeadAttention::CausalMultiHeadAttention(
    const CausalMultiHeadAttentionOptions& options)
    : wq(shared(options), options.dim, {.bias = false, .dtype = options.dtype}),
      wk(options.dim, options.dim, {.bias = false, .dtype = options.dtype}),
      wv(options.dim, options.dim, {.bias = false, .dtype = options.dtype}),
      wo(options.dim, options.dim, {.bias = false, .dtype = options.dtype}),
      attn_dropout(options.dropout),
      resid_dropout(options.dropout),
      n_heads(options.n_heads),
      max_seq_len(options.max_seq_len),
      mask(mask_of(options)) {}

Variable CausalMultiHeadAttention::operator()(const Variable& x, const Mask& also) {
  return (*this)(x, x, x, also);
}

Variable CausalMultiHeadAttention::operator()(const Variable& q, const Variable& k,
                                              const Variable& v, const Mask& also) {
  const std::int64_t dim = wq.weight.size(1);
  check_inputs(
      "CausalMultiHeadAttention",
      {.query_size = dim, .key_size = dim, .value_size = dim, .dtype = wq.weight.dtype()},
      q, k, v);
  const std::int64_t n = q.size(1), m = k.size(1);
  check(mask.hides_nothing() || std::max(n, m) <= max_seq_len,
        "CausalMultiHeadAttention: a sequence must not be longer than max_seq_len = {}, "
        "got {} queries and {} keys",
        max_seq_len, n, m);
  const Mask both = mask & also;
  const auto [x, y, z] = without_hidden({q, k, v}, both, {q.size(0), n_heads, n, m});
  const Variable heads =  // (batch, n, dim)
      attend_heads(wq(x), wk(y), wv(z), n_heads, both, attn_dropout,
                   keep_weights ? &attention_weights : nullptr);
  return resid_dropout(wo(heads));  // (batch, n, dim)
}

}  // namespace heed::nn

#include "nn/multi_head_attention.h"

#include "nn/attention.h"
#include "nn/masked.h"

namespace heed::nn {
namespace {

// `size`, if the heads can share it.
std::int64_t shared(std::string_view what, std::int64_t size, std::int64_t num_heads) {
  check(num_heads >= 1, "MultiHeadAttention: num_heads must be at least 1, got {}",
        num_heads);
  check(size % num_heads == 0,
        "MultiHeadAttention: {} must be a multiple of num_heads, got {} and {}", what,
        size, num_heads);
  return size;
}

}  // namespace

MultiHeadAttention::MultiHeadAttention(std::int64_t d_model, std::int64_t d_k,
                                       std::int64_t d_v, std::int64_t num_heads,
                                       DType dtype)
    : W_q(d_model, shared("d_k", d_k, num_heads), {.dtype = dtype}),
      W_k(d_model, d_k, {.dtype = dtype}),
      W_v(d_model, shared("d_v", d_v, num_heads), {.dtype = dtype}),
      W_o(d_v, d_model, {.dtype = dtype}),
      num_heads(num_heads),
      dropout(0) {}

MultiHeadAttention::MultiHeadAttention(std::int64_t key_size, std::int64_t query_size,
                                       std::int64_t value_size, std::int64_t num_hiddens,
                                       std::int64_t num_heads, double dropout,
                                       LinearOptions options)
    : W_q(query_size, shared("num_hiddens", num_hiddens, num_heads), options),
      W_k(key_size, num_hiddens, options),
      W_v(value_size, num_hiddens, options),
      W_o(num_hiddens, num_hiddens, options),
      num_heads(num_heads),
      dropout(dropout) {}

Variable MultiHeadAttention::operator()(const Variable& x, const Mask& mask) {
  return (*this)(x, x, x, mask);
}

Variable MultiHeadAttention::operator()(const Variable& queries, const Variable& keys,
                                        const Variable& values, const Mask& mask) {
  check(queries.dim() == 3 && keys.dim() == 3 && values.dim() == 3 &&
            queries.size(0) == keys.size(0) && keys.size(0) == values.size(0) &&
            keys.size(1) == values.size(1),
        "MultiHeadAttention: queries (batch, n, query_size), keys (batch, m, key_size) "
        "and values (batch, m, value_size), got {}, {} and {}",
        queries.shape(), keys.shape(), values.shape());
  const auto [x, y, z] =
      without_hidden({queries, keys, values}, mask,
                     {queries.size(0), num_heads, queries.size(1), keys.size(1)});
  const Variable q = split_heads(W_q(x), num_heads);         // (batch, heads, n, d)
  const Variable k = split_heads(W_k(y), num_heads);         // (batch, heads, m, d)
  const Variable v = split_heads(W_v(z), num_heads);         // (batch, heads, m, dv)
  const Variable heads = attend(q, k, v, mask, dropout, {},  // (batch, heads, n, dv)
                                keep_weights ? &attention_weights : nullptr);
  return W_o(join_heads(heads));  // (batch, n, heads dv) -> (batch, n, out)
}

}  // namespace heed::nn

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
  check_inputs("MultiHeadAttention",
               {.query_size = W_q.weight.size(1),
                .key_size = W_k.weight.size(1),
                .value_size = W_v.weight.size(1),
                .dtype = W_q.weight.dtype()},
               queries, keys, values);
  const auto [x, y, z] =
      without_hidden({queries, keys, values}, mask,
                     {queries.size(0), num_heads, queries.size(1), keys.size(1)});
  const Variable heads =  // (batch, n, heads dv)
      attend_heads(W_q(x), W_k(y), W_v(z), num_heads, mask, dropout,
                   keep_weights ? &attention_weights : nullptr);
  return W_o(heads);  // (batch, n, out)
}

}  // namespace heed::nn

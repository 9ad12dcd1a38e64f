#include "nn/multi_head_attention.h"

#include <utility>

#include "nn/inputs.h"

namespace heed::nn {

MultiHeadAttention::MultiHeadAttention(Size d_model, Size d_k, Size d_v, Size num_heads,
                                       DType dtype)
    : Heads("MultiHeadAttention", {"num_heads", num_heads}, {{"d_k", d_k}, {"d_v", d_v}},
            0),
      W_q(d_model, d_k, {.dtype = dtype}),
      W_k(d_model, d_k, {.dtype = dtype}),
      W_v(d_model, d_v, {.dtype = dtype}),
      W_o(d_v, d_model, {.dtype = dtype}) {}

MultiHeadAttention::MultiHeadAttention(Size key_size, Size query_size, Size value_size,
                                       Size num_hiddens, Size num_heads, double dropout,
                                       LinearOptions options)
    : Heads("MultiHeadAttention", {"num_heads", num_heads},
            {{"num_hiddens", num_hiddens}}, dropout),
      W_q(query_size, num_hiddens, options),
      W_k(key_size, num_hiddens, options),
      W_v(value_size, num_hiddens, options),
      W_o(num_hiddens, num_hiddens, options) {}

Variable MultiHeadAttention::operator()(const Variable& x, const Mask& mask) {
  return (*this)(x, x, x, mask);
}

Variable MultiHeadAttention::operator()(const Variable& queries, const Variable& keys,
                                        const Variable& values, const Mask& mask) {
  const InputSizes wanted{.query_size = W_q.weight.size(1),
                          .key_size = W_k.weight.size(1),
                          .value_size = W_v.weight.size(1),
                          .dtype = W_q.weight.dtype()};
  const Inputs in =
      take_inputs("MultiHeadAttention", wanted, {queries, keys, values}, mask, num_heads);
  Variable q = split_heads(W_q(in.queries), num_heads);  // (batch, heads, n, d)
  Variable k = split_heads(W_k(in.keys), num_heads);     // (batch, heads, m, d)
  Variable v = split_heads(W_v(in.values), num_heads);   // (batch, heads, m, dv)
  // (batch, n, out)
  return W_o(attend(std::move(q), std::move(k), std::move(v), mask));
}

}  // namespace heed::nn

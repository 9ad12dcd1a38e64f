#include "nn/additive_attention.h"

#include "autograd/views.h"
#include "nn/attention.h"
#include "nn/inputs.h"

namespace heed::nn {

AdditiveAttention::AdditiveAttention(Size key_size, Size query_size, Size num_hiddens,
                                     double dropout, DType dtype)
    : W_k(key_size, num_hiddens, {.bias = false, .dtype = dtype}),
      W_q(query_size, num_hiddens, {.bias = false, .dtype = dtype}),
      w_v(num_hiddens, 1, {.bias = false, .dtype = dtype}),
      dropout(dropout) {}

Variable AdditiveAttention::operator()(const Variable& queries, const Variable& keys,
                                       const Variable& values, const Mask& mask) {
  const auto [q, k, v] = take_inputs("AdditiveAttention",
                                     {.query_size = W_q.weight.size(1),
                                      .key_size = W_k.weight.size(1),
                                      .value_size = {},
                                      .dtype = W_q.weight.dtype()},
                                     {queries, keys, values}, mask);
  return attend(AdditiveScore{squeeze(w_v.weight, 0)}, W_q(q), W_k(k), v, mask, dropout,
                keep_weights ? &attention_weights : nullptr);  // (batch, n, dv)
}

}  // namespace heed::nn

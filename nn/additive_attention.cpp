#include "nn/additive_attention.h"

#include "autograd/additive_scores.h"
#include "autograd/views.h"
#include "nn/attention.h"
#include "nn/masked.h"

namespace heed::nn {

AdditiveAttention::AdditiveAttention(std::int64_t key_size, std::int64_t query_size,
                                     std::int64_t num_hiddens, double dropout,
                                     DType dtype)
    : W_k(key_size, num_hiddens, {.bias = false, .dtype = dtype}),
      W_q(query_size, num_hiddens, {.bias = false, .dtype = dtype}),
      w_v(num_hiddens, 1, {.bias = false, .dtype = dtype}),
      dropout(dropout) {}

Variable AdditiveAttention::operator()(const Variable& queries, const Variable& keys,
                                       const Variable& values, const Mask& mask) {
  check_inputs("AdditiveAttention",
               {.query_size = W_q.weight.size(1),
                .key_size = W_k.weight.size(1),
                .value_size = {},
                .dtype = W_q.weight.dtype()},
               queries, keys, values);
  const Shape shape{queries.size(0), queries.size(1), keys.size(1)};
  const Mask::Laid laid = mask.lay_on(shape);
  const auto [q, k, v] = without_hidden({queries, keys, values}, mask, shape);
  // w_v(tanh(unsqueeze(W_q(q), 2) + unsqueeze(W_k(k), 1))), in one pass without the array
  // (batch, n, m, hidden) of the sums.
  const Variable scores =  // (batch, n, m)
      additive_scores(W_q(q), W_k(k), squeeze(w_v.weight, 0));
  const Variable weights = masked_weights(scores, laid);  // (batch, n, m)
  if (keep_weights) attention_weights = weights.value();
  return masked_values(dropout(weights), v, laid);  // (batch, n, dv)
}

}  // namespace heed::nn

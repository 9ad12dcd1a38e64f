#include "nn/general_attention.h"

#include "nn/attention.h"
#include "nn/inputs.h"

namespace heed::nn {

GeneralAttention::GeneralAttention(Size d_model, std::optional<Size> d_k,
                                   std::optional<Size> d_v, DType dtype)
    : W_q(d_model, d_k.value_or(d_model), {.dtype = dtype}),
      W_k(d_model, d_k.value_or(d_model), {.dtype = dtype}),
      W_v(d_model, d_v.value_or(d_model), {.dtype = dtype}) {}

Variable GeneralAttention::operator()(const Variable& query, const Variable& key_value,
                                      const Mask& mask) {
  const std::int64_t d_model = W_q.weight.size(1);
  const auto [x, k, v] = take_inputs("GeneralAttention",
                                     {.query_size = d_model,
                                      .key_size = d_model,
                                      .value_size = d_model,
                                      .dtype = W_q.weight.dtype()},
                                     {query, key_value, key_value}, mask);
  return attend(DotScore{}, W_q(x), W_k(k), W_v(v), mask, Dropout(0),  // (batch, n, d_v)
                keep_weights ? &attention_weights : nullptr);
}

}  // namespace heed::nn

#include "nn/bilinear_attention.h"

#include "nn/attention.h"
#include "nn/inputs.h"

namespace heed::nn {

Variable BilinearAttention::operator()(const Variable& queries, const Variable& keys,
                                       const Variable& values, const Mask& mask) {
  const auto [q, k, v] = take_inputs("BilinearAttention",
                                     {.query_size = W.weight.size(1),
                                      .key_size = W.weight.size(0),
                                      .value_size = {},
                                      .dtype = W.weight.dtype()},
                                     {queries, keys, values}, mask);
  return attend(DotScore{.scale = 1}, W(q), k, v, mask, dropout,  // (batch, n, dv)
                keep_weights ? &attention_weights : nullptr);
}

}  // namespace heed::nn

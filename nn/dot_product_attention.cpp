#include "nn/dot_product_attention.h"

#include <cmath>

#include "nn/attention.h"

namespace heed::nn {

Variable DotProductAttention::operator()(const Variable& queries, const Variable& keys,
                                         const Variable& values, const Mask& mask) {
  return attend(DotScore{}, queries, keys, values, mask, dropout,
                keep_weights ? &attention_weights : nullptr);
}

ScaledDotProductAttention::ScaledDotProductAttention(double temperature, double dropout)
    : temperature(temperature), dropout(dropout) {
  check(temperature > 0 && std::isfinite(temperature),
        "ScaledDotProductAttention: the temperature must be positive, got {}",
        temperature);
}

Variable ScaledDotProductAttention::operator()(const Variable& queries,
                                               const Variable& keys,
                                               const Variable& values, const Mask& mask) {
  return attend(DotScore{.temperature = temperature}, queries, keys, values, mask,
                dropout, keep_weights ? &attention_weights : nullptr);
}

}  // namespace heed::nn

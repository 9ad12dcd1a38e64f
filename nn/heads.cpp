#include "nn/heads.h"

namespace heed::nn {

Heads::Heads(std::string_view layer, const Named& heads,
             std::initializer_list<Named> sizes, double dropout)
    : num_heads(heads.value), dropout(dropout) {
  check(heads.value >= 1, "{}: {} must be at least 1, got {}", layer, heads.name,
        heads.value);
  for (const Named& size : sizes) {
    check(size.value % heads.value == 0, "{}: {} must be a multiple of {}, got {} and {}",
          layer, size.name, heads.name, size.value, heads.value);
  }
}

Variable Heads::attend(const Variable& q, const Variable& k, const Variable& v,
                       const Mask& mask) {
  return join_heads(nn::attend(q, k, v, mask, dropout, {}, weights()));
}

Variable Heads::attend(std::string_view layer, const LayerInputs& wanted,
                       const Inputs& inputs, const Mask& mask, const Projection& W_q,
                       const Projection& W_k, const Projection& W_v) {
  const auto [queries, keys, values] =
      take_inputs(layer, wanted, inputs, mask, num_heads);
  return attend_heads(W_q(queries), W_k(keys), W_v(values), num_heads, mask, dropout,
                      weights());
}

}  // namespace heed::nn

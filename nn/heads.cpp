#include "nn/heads.h"

#include "autograd/views.h"

namespace heed::nn {

Variable split_heads(const Variable& x, Size heads) {
  check(x.dim() == 3 && heads >= 1 && x.size(2) % heads == 0,
        "split_heads: x (batch, n, heads * d), got {} and {} heads", x.shape(), heads);
  const std::int64_t width = x.size(2) / heads;
  // (batch, n, heads, d)
  const Variable parts = reshape(x, {x.size(0), x.size(1), heads, width});
  return transpose(parts, 1, 2);  // (batch, heads, n, d)
}

Variable join_heads(const Variable& x) {
  check(x.dim() == 4, "join_heads: x (batch, heads, n, d), got {}", x.shape());
  const Variable rows = transpose(x, 1, 2);  // (batch, n, heads, d)
  // (batch, n, heads * d)
  return reshape(rows, {x.size(0), x.size(2), x.size(1) * x.size(3)});
}

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

Variable Heads::attend(Variable q, Variable k, Variable v, const Mask& mask) {
  Tensor* const weights = keep_weights ? &attention_weights : nullptr;
  const Variable y = nn::attend(DotScore{}, q, k, v, mask, dropout, weights);
  // As parameters they would last until the end of the caller's statement.
  q = k = v = Variable();
  return join_heads(y);
}

}  // namespace heed::nn

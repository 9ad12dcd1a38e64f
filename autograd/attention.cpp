#include "autograd/attention.h"

#include <limits>

#include "autograd/elementwise.h"
#include "autograd/matmul.h"
#include "autograd/record.h"
#include "autograd/reductions.h"
#include "autograd/softmax.h"
#include "autograd/views.h"
#include "tensor/attention_heads.h"
#include "tensor/factories.h"

namespace heed {
namespace {

Variable transposed(const Variable& x) { return transpose(x, -2, -1); }

// P = softmax(scale Q Kᵀ) over the keys that each query sees, 0 for the others.
//   (..., n, d) x (..., m, d) -> (..., n, m)
Variable attention_weights(const Variable& query, const Variable& key,
                           const Tensor& hidden, double scale) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Variable scores = scale * matmul(query, transposed(key));
  return masked_fill(softmax(masked_fill(scores, hidden, -infinity), -1), hidden, 0);
}

// lens has no elements where every query sees all keys. What is hidden is selected away,
// in the gradients too: 0 times NaN is NaN.
Variable composed(const Variable& query, const Variable& key, const Variable& value,
                  const Tensor& lens, double scale) {
  if (lens.numel() == 0) {
    return matmul(softmax(scale * matmul(query, transposed(key)), -1), value);
  }
  const Tensor hidden = arange(key.size(-2), int64) >= unsqueeze(lens, -1);
  const Tensor sees_none = unsqueeze(lens == 0, -1);  // (..., n or 1, 1)
  const Variable P =
      attention_weights(masked_fill(query, sees_none, 0), key, hidden, scale);
  return masked_fill(matmul(P, value), sees_none, 0);
}

Tensor or_none(const std::optional<Tensor>& lens) { return lens.value_or(Tensor()); }

}  // namespace

Variable scaled_dot_product_attention(const Variable& query, const Variable& key,
                                      const Variable& value,
                                      const std::optional<Tensor>& lens, double scale,
                                      Tensor* weights) {
  const AttentionResult y = scaled_dot_product_attention(
      query.value(), key.value(), value.value(), lens, scale, weights);
  const Variable none_or_lens = or_none(lens);
  return record_fused(
      {"scaled_dot_product_attention",
       "dQ = scale dS K,  dK = scale dSᵀ Q,  dV = Pᵀ G  with dP = G Vᵀ, "
       "dS = P ∘ (dP - rowsum(dP ∘ P))"},
      y.output, inputs(query, key, value, none_or_lens),
      keep(result, y.largest, y.inverse_sums),
      [scale](const Variable& query, const Variable& key, const Variable& value,
              const Variable& lens) {
        return composed(query, key, value, lens.value(), scale);
      },
      [scale, has_lens = lens.has_value()](const Kept& k, const Tensor& g,
                                           const std::array<bool, 4>& wanted) {
        const auto lens = has_lens ? std::optional(k[3].value()) : std::nullopt;
        const auto [dQ, dK, dV] = scaled_dot_product_attention_backward(
            g, k[0].value(), k[1].value(), k[2].value(), lens, scale,
            {k[4].value(), k[5].value(), k[6].value()},
            {wanted[0], wanted[1], wanted[2]});
        return std::array<Tensor, 4>{dQ, dK, dV, Tensor()};
      });
}

Variable composed_attention(const Variable& query, const Variable& key,
                            const Variable& value, const std::optional<Tensor>& lens,
                            double scale) {
  check_attention("composed_attention", query.value(), key.value(), value.value(), lens);
  return composed(query, key, value, or_none(lens), scale);
}

}  // namespace heed

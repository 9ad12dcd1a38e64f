#include "autograd/attention.h"

#include <limits>

#include "autograd/elementwise.h"
#include "autograd/matmul.h"
#include "autograd/record.h"
#include "autograd/reductions.h"
#include "autograd/softmax.h"
#include "autograd/views.h"
#include "tensor/factories.h"

namespace heed {
namespace {

Variable transposed(const Variable& x) { return transpose(x, -2, -1); }

// P = softmax(scale Q Kᵀ) over the keys that each query sees, 0 for the others, so that a
// query that sees none has a row of zeros.     (..., n, d) x (..., m, d) -> (..., n, m)
Variable attention_weights(const Variable& query, const Variable& key,
                           const std::optional<Tensor>& lens, double scale) {
  const Variable scores = scale * matmul(query, transposed(key));
  if (!lens) return softmax(scores, -1);
  const Tensor hidden = arange(key.size(-2), int64) >= unsqueeze(*lens, -1);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return masked_fill(softmax(masked_fill(scores, hidden, -infinity), -1), hidden, 0);
}

}  // namespace

// O = P V, P = softmax(S), S = scale Q Kᵀ
//   dV = Pᵀ G
//   dP = G Vᵀ,  dS = P (dP - Σ dP P)  with the sum over a row, as softmax has it
//   dQ = scale dS K
//   dK = scale dSᵀ Q
Variable scaled_dot_product_attention(const Variable& query, const Variable& key,
                                      const Variable& value,
                                      const std::optional<Tensor>& lens, double scale,
                                      Tensor* weights) {
  const AttentionResult y = scaled_dot_product_attention(
      query.value(), key.value(), value.value(), lens, scale, weights);
  return record_joint(
      "scaled_dot_product_attention", y.output, inputs(query, key, value),
      keep(query, key, value, result, y.log_sums, lens ? KeepEntry(*lens) : KeepEntry()),
      [has_lens = lens.has_value(), scale](
          const Kept& k, const Variable& g,
          const std::array<bool, 3>& wanted) -> std::array<Variable, 3> {
        const Variable Q = k[0], K = k[1], V = k[2];
        const std::optional<Tensor> lens =
            has_lens ? std::optional(k[5].value()) : std::nullopt;
        if (!grad_enabled()) {
          const auto [dQ, dK, dV] = scaled_dot_product_attention_backward(
              g.value(), Q.value(), K.value(), V.value(), lens, scale,
              {k[3].value(), k[4].value()}, wanted);
          return {dQ, dK, dV};
        }
        // The fused pass has no derivative of its own: where the walk itself is recorded,
        // the formulas are written out in ops.
        const Variable P = attention_weights(Q, K, lens, scale);
        const Variable dP = matmul(g, transposed(V));
        const Variable dS = scale * P * (dP - sum(dP * P, -1, true));
        return {matmul(dS, K), matmul(transposed(dS), Q), matmul(transposed(P), g)};
      });
}

Variable composed_attention(const Variable& query, const Variable& key,
                            const Variable& value, const std::optional<Tensor>& lens,
                            double scale) {
  return matmul(attention_weights(query, key, lens, scale), value);
}

}  // namespace heed

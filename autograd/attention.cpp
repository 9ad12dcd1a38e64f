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

// The pairs of queries and keys, (..., n, m), that lens hides: (..., n or 1, m).
Tensor hidden_by(const Tensor& lens, std::int64_t keys) {
  return arange(keys, int64) >= unsqueeze(lens, -1);
}

// P = softmax(scale Q Kᵀ) over the keys that each query sees, 0 for the others, so that a
// query that sees none has a row of zeros.     (..., n, d) x (..., m, d) -> (..., n, m)
Variable attention_weights(const Variable& query, const Variable& key,
                           const std::optional<Tensor>& lens, double scale) {
  const Variable scores = scale * matmul(query, transposed(key));  // (..., n, m)
  if (!lens) return softmax(scores, -1);
  const Tensor hidden = hidden_by(*lens, key.size(-2));
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return masked_fill(softmax(masked_fill(scores, hidden, -infinity), -1), hidden, 0);
}

}  // namespace

// O = P V, P = softmax(S), S = scale Q Kᵀ
//   dP = G Vᵀ,  dS = P ∘ (dP - rowsum(dP ∘ P))      ∘: elementwise
//   dQ = scale dS K,  dK = scale dSᵀ Q
//   dV = Pᵀ G
Variable scaled_dot_product_attention(const Variable& query, const Variable& key,
                                      const Variable& value,
                                      const std::optional<Tensor>& lens, double scale,
                                      Tensor* weights) {
  const AttentionResult y = scaled_dot_product_attention(
      query.value(), key.value(), value.value(), lens, scale, weights);
  return record_joint(
      "scaled_dot_product_attention", y.output, inputs(query, key, value),
      // 0 Q, 1 K, 2 V, 3 O, 4 and 5 what is kept of the rows, 6 lens
      keep(query, key, value, result, y.largest, y.inverse_sums,
           lens ? KeepEntry(*lens) : KeepEntry()),
      [has_lens = lens.has_value(), scale](
          const Kept& kept, const Variable& g,
          const auto& wanted) -> std::array<Variable, 3> {
        const Variable K = kept[1], V = kept[2];
        const std::optional<Tensor> lens =
            has_lens ? std::optional(kept[6].value()) : std::nullopt;
        if (!grad_enabled()) {
          const auto [dQ, dK, dV] = scaled_dot_product_attention_backward(
              g.value(), kept[0].value(), K.value(), V.value(), lens, scale,
              {kept[3].value(), kept[4].value(), kept[5].value()}, wanted);
          return {dQ, dK, dV};
        }
        // In ops where the walk is recorded: see record_joint. What is hidden is selected
        // away: 0 times NaN is NaN.
        const auto seen = [&](const Variable& pairs) {  // (..., n, m)
          return lens ? masked_fill(pairs, hidden_by(*lens, K.size(-2)), 0) : pairs;
        };
        Variable Q = kept[0], G = g;
        if (lens) {
          const Tensor blind = unsqueeze(*lens == 0, -1);  // (..., n, 1)
          Q = masked_fill(Q, blind, 0);
          G = masked_fill(G, blind, 0);
        }
        const Variable P = attention_weights(Q, K, lens, scale);     // (..., n, m)
        const Variable dP = seen(matmul(G, transposed(V)));          // (..., n, m)
        const Variable dS = seen(P * (dP - sum(dP * P, -1, true)));  // (..., n, m)
        const Variable dQ = scale * matmul(dS, K);                   // (..., n, d)
        const Variable dK = scale * matmul(transposed(dS), Q);       // (..., m, d)
        const Variable dV = matmul(transposed(P), G);                // (..., m, dv)
        return {dQ, dK, dV};
      });
}

Variable composed_attention(const Variable& query, const Variable& key,
                            const Variable& value, const std::optional<Tensor>& lens,
                            double scale) {
  check_attention("composed_attention", query.value(), key.value(), value.value(), lens);
  return matmul(attention_weights(query, key, lens, scale), value);
}

}  // namespace heed

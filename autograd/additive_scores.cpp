#include "autograd/additive_scores.h"

#include "autograd/elementwise.h"
#include "autograd/record.h"
#include "autograd/reductions.h"
#include "autograd/views.h"

namespace heed {

// s = sum(w * tanh(unsqueeze(queries, -2) + unsqueeze(keys, -3)), -1), or with indices
// s_ij = Σ_c w_c t_ijc,  t_ijc = tanh(q_ic + k_jc)
//   dq_ic = w_c Σ_j g_ij (1 - t²)
//   dk_jc = w_c Σ_i g_ij (1 - t²)
//   dw_c  = Σ_ij g_ij t
// Only the inputs are kept; t is computed again.
Variable additive_scores(const Variable& queries, const Variable& keys,
                         const Variable& w) {
  return record_joint(
      "additive_scores", additive_scores(queries.value(), keys.value(), w.value()),
      inputs(queries, keys, w), keep(queries, keys, w),
      [](const Kept& kept, const Variable& g,
         const auto& /*wanted*/) -> std::array<Variable, 3> {
        const Variable q = kept[0], k = kept[1], w = kept[2];
        if (!grad_enabled()) {
          auto [dq, dk, dw] =
              additive_scores_backward(g.value(), q.value(), k.value(), w.value());
          return {dq, dk, dw};
        }
        // In ops where the walk is recorded: see record_joint. There too NaN with a
        // gradient of 0 is left out.
        const Variable x = unsqueeze(q, -2) + unsqueeze(k, -3);  // (..., n, m, h)
        const Variable each = unsqueeze(g, -1);                  // (..., n, m, 1)
        const Tensor left_out = logical_and(isnan(x.value()), each.value() == 0);
        const Variable t = tanh(masked_fill(x, left_out, 0));  // (..., n, m, h)
        const Variable d = w * each * (1 - square(t));         // (..., n, m, h)
        return {sum(d, -2), sum(d, -3), sum_to(each * t, w.shape())};
      });
}

}  // namespace heed

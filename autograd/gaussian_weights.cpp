#include "autograd/gaussian_weights.h"

#include "autograd/elementwise.h"
#include "autograd/record.h"
#include "autograd/reductions.h"
#include "autograd/views.h"

namespace heed {

// y = softmax(s, 1),  s = -square((unsqueeze(q, 1) - k) * w) / 2
//   ds = y (g - Σ_j g y)                with d = q - k:
//   dq = -w² Σ_j ds d,   dk = w² ds d,   dw = -w Σ_ij ds d²
Variable gaussian_weights(const Variable& queries, const Variable& keys,
                          const Variable& w) {
  return record_joint(
      "gaussian_weights", gaussian_weights(queries.value(), keys.value(), w.value()),
      inputs(queries, keys, w), keep(queries, keys, w, result),
      [](const Kept& kept, const Variable& g,
         const auto& wanted) -> std::array<Variable, 3> {
        const Variable q = kept[0], k = kept[1], w = kept[2], y = kept[3];
        if (!grad_enabled()) {
          auto [dq, dk, dw] = gaussian_weights_backward(g.value(), y.value(), q.value(),
                                                        k.value(), w.value(), wanted[1]);
          return {dq, dk, dw};
        }
        // In ops where the walk is recorded: see record_joint.
        const Variable d = unsqueeze(q, 1) - k, scale = reshape(w, {});
        const Variable slope = y * (g - sum(g * y, 1, true)) * (d * scale);  // (n, m)
        return {-scale * sum(slope, 1), scale * slope,
                -reshape(sum(slope * d), w.shape())};
      });
}

}  // namespace heed

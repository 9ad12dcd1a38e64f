#include "autograd/layer_norm.h"

#include "autograd/elementwise.h"
#include "autograd/record.h"
#include "autograd/reductions.h"

namespace heed {

// y = h w + b,  h = (x - mean) r,  r = 1/√(variance + eps)
//   dx = r (u - mean(u) - h mean(u h))  with  u = g w
//   dw = Σ g h,  db = Σ g  over all rows: the rules below may give g h and g, of which
//                          backward() takes the sum
// Moving one x_i moves its row's mean and variance too: those are the two terms that are
// taken from u. Kept are x, w, and of each row the mean and r.
Variable layer_norm(const Variable& x, const Variable& weight, const Variable& bias,
                    double eps) {
  const LayerNormResult forward =
      layer_norm(x.value(), weight.value(), bias.value(), eps);
  return record_joint(
      "layer_norm", forward.output, inputs(x, weight, bias),
      keep(x, needed_by(x, weight), forward.mean, forward.rstd),
      [eps, weighted = weight.numel() > 0](const Kept& k, const Variable& g,
                                           const std::array<bool, 3>& wanted) {
        const Variable x = k[0], w = k[1];
        if (!grad_enabled()) {
          const auto [dx, dw, db] = layer_norm_backward(
              g.value(), x.value(), w.value(), k[2].value(), k[3].value(), wanted);
          return std::array<Variable, 3>{dx, dw, db};
        }
        // The fused pass has no derivative of its own: here the formula in ops.
        const Variable centered = x - mean(x, -1, true);
        const Variable r = rsqrt(mean(square(centered), -1, true) + eps);
        const Variable h = centered * r;
        Variable dx;
        if (wanted[0]) {  // else w was not kept
          const Variable u = weighted ? g * w : g;
          dx = r * (u - mean(u, -1, true) - h * mean(u * h, -1, true));
        }
        return std::array<Variable, 3>{dx, g * h, g};
      });
}

}  // namespace heed

#include "autograd/layer_norm.h"

#include "autograd/elementwise.h"
#include "autograd/fused.h"
#include "autograd/reductions.h"

namespace heed {
namespace {

// y = h w + b,  h = (x - mean) r,  r = 1/√(variance + eps), over the last dimension.
Variable composed_layer_norm(const Variable& x, const Variable& weight,
                             const Variable& bias, double eps) {
  const Variable centered = x - mean(x, -1, true);
  const Variable r = rsqrt(mean(square(centered), -1, true) + eps);
  Variable y = centered * r;
  if (weight.defined()) y = y * weight;
  return bias.defined() ? y + bias : y;
}

}  // namespace

// A change of one x_i also changes the mean and the variance of its row: from these come
// the two terms that are subtracted from u.
Variable layer_norm(const Variable& x, const Variable& weight, const Variable& bias,
                    double eps) {
  const LayerNormResult forward =
      layer_norm(x.value(), weight.value(), bias.value(), eps);
  return record_fused(
      {"layer_norm",
       "dx = r (u - mean(u) - h mean(u h)),  dw = Σ g h,  db = Σ g  "
       "with u = g w, h = (x - mean) r, r = 1 / std"},
      forward.output, inputs(x, weight, bias), save(forward.mean, forward.rstd),
      [eps](const std::array<Variable, 3>& in) {
        const auto& [x, weight, bias] = in;
        return composed_layer_norm(x, weight, bias, eps);
      },
      [](const Tensor& g, const std::array<bool, 3>& wanted,
         const std::array<Tensor, 3>& in, const std::array<Tensor, 2>& saved) {
        const auto& [x, weight, bias] = in;
        const auto& [mean, rstd] = saved;
        const auto [dx, dw, db] = layer_norm_backward(g, x, weight, mean, rstd, wanted);
        return std::array<Tensor, 3>{dx, dw, db};
      });
}

}  // namespace heed

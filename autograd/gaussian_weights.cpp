#include "autograd/gaussian_weights.h"

#include "autograd/elementwise.h"
#include "autograd/record.h"
#include "autograd/softmax.h"
#include "autograd/views.h"

namespace heed {
namespace {

Variable composed_gaussian_weights(const Variable& queries, const Variable& keys,
                                   const Variable& w) {
  const Variable distance = unsqueeze(queries, 1) - keys;  // (n, m)
  return softmax(-0.5 * square(distance * reshape(w, {})), 1);
}

}  // namespace

Variable gaussian_weights(const Variable& queries, const Variable& keys,
                          const Variable& w) {
  return record_fused(
      {"gaussian_weights",
       "dq = -w² Σ_j ds d,  dk = w² ds d,  dw = -w Σ_ij ds d²  with d = q - k, "
       "ds = y (g - Σ_j g y)"},
      gaussian_weights(queries.value(), keys.value(), w.value()),
      inputs(queries, keys, w), keep(result), composed_gaussian_weights,
      [](const Kept& k, const Tensor& g, const std::array<bool, 3>& wanted) {
        const auto [dq, dk, dw] = gaussian_weights_backward(
            g, k[3].value(), k[0].value(), k[1].value(), k[2].value(), wanted[1]);
        return std::array<Tensor, 3>{dq, dk, dw};
      });
}

}  // namespace heed

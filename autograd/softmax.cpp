#include "autograd/softmax.h"

#include "autograd/elementwise.h"
#include "autograd/fused.h"
#include "autograd/record.h"
#include "autograd/reductions.h"

namespace heed {
namespace {

// y (g - Σ g y), the gradient of softmax: from dy_i/dx_j = y_i (δ_ij - y_j). In its
// derivatives h is the gradient of this result.
Variable softmax_gradient(const Variable& g, const Variable& y, Dim dim) {
  return record_fused({"softmax_backward",
                       "dg = y (h - Σ h y),  dy = h (g - Σ g y) - g Σ h y  with h the "
                       "gradient of the result"},
                      softmax_backward(g.value(), y.value(), dim), inputs(g, y), save(),
                      [dim](const std::array<Variable, 2>& in) {
                        const auto& [g, y] = in;
                        return y * (g - sum(g * y, dim, true));
                      });
}

// g - e^y Σ g, the gradient of log_softmax.
Variable log_softmax_gradient(const Variable& g, const Variable& y, Dim dim) {
  return record_fused(
      {"log_softmax_backward",
       "dg = h - Σ e^y h,  dy = -h e^y Σ g  with h the gradient of the result"},
      log_softmax_backward(g.value(), y.value(), dim), inputs(g, y), save(),
      [dim](const std::array<Variable, 2>& in) {
        const auto& [g, y] = in;
        return g - exp(y) * sum(g, dim, true);
      });
}

}  // namespace

// y = e^x / Σ e^x. The sum is over dim.
Variable softmax(const Variable& x, Dim dim) {
  return record({"softmax", "dx = y (g - Σ g y)"}, softmax(x.value(), dim),
                rule(x, save(result),
                     [dim](auto& g, auto& y) { return softmax_gradient(g, y, dim); }));
}

// y = x - log Σ e^x
Variable log_softmax(const Variable& x, Dim dim) {
  return record({"log_softmax", "dx = g - e^y Σ g"}, log_softmax(x.value(), dim),
                rule(x, save(result), [dim](auto& g, auto& y) {
                  return log_softmax_gradient(g, y, dim);
                }));
}

}  // namespace heed

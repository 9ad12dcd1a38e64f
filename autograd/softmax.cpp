#include "autograd/softmax.h"

#include "autograd/elementwise.h"
#include "autograd/record.h"
#include "autograd/reductions.h"

namespace heed {

// y = e^x / Σ e^x          dx = y (g - Σ g y)
// The sum is over dim. From dy_i/dx_j = y_i (δ_ij - y_j).
Variable softmax(const Variable& x, std::int64_t dim) {
  return record("softmax", softmax(x.value(), dim), inputs(x), keep(result),
                [dim](const Kept& k, const Variable& g) -> Variable {
                  const Variable y = k[0];
                  if (!grad_enabled()) return softmax_backward(g.value(), y.value(), dim);
                  // In ops where the walk is recorded: see record_joint.
                  return y * (g - sum(g * y, dim, true));
                });
}

// y = x - log Σ e^x        dx = g - e^y Σ g
Variable log_softmax(const Variable& x, std::int64_t dim) {
  return record("log_softmax", log_softmax(x.value(), dim), inputs(x), keep(result),
                [dim](const Kept& k, const Variable& g) {
                  return g - exp(k[0]) * sum(g, dim, true);
                });
}

}  // namespace heed

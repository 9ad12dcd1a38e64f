#include "autograd/additive_scores.h"

#include "autograd/elementwise.h"
#include "autograd/fused.h"
#include "autograd/reductions.h"
#include "autograd/views.h"

namespace heed {
namespace {

// Σ_c w_c tanh(q_ic + k_jc). Hidden sums are replaced by 0 before tanh: their gradient
// would be 0 times the slope of tanh, which is NaN where the sum is NaN.
Variable composed_additive_scores(const Variable& queries, const Variable& keys,
                                  const Variable& w, const Tensor& pairs) {
  Variable sums = unsqueeze(queries, -2) + unsqueeze(keys, -3);  // (..., n, m, h)
  if (pairs.defined()) sums = where(unsqueeze(pairs, -1), sums, 0);
  return sum(w * tanh(sums), -1);
}

}  // namespace

Variable additive_scores(const Variable& queries, const Variable& keys, const Variable& w,
                         const Tensor& pairs) {
  const Variable constant = pairs;
  return record_fused(
      {"additive_scores",
       "dq = w Σ_j g (1 - t²),  dk = w Σ_i g (1 - t²),  dw = Σ_ij g t  with "
       "t = tanh(q_i + k_j)"},
      additive_scores(queries.value(), keys.value(), w.value()),
      inputs(queries, keys, w, constant), save(),
      [](const std::array<Variable, 4>& in) {
        const auto& [queries, keys, w, pairs] = in;
        return composed_additive_scores(queries, keys, w, pairs.value());
      },
      // The kernel computes t again, and leaves out the pairs whose gradient is 0: those
      // that a mask hides.
      [](const Tensor& g, const auto&, const std::array<Tensor, 4>& in, const auto&) {
        const auto& [queries, keys, w, pairs] = in;
        auto [dq, dk, dw] = additive_scores_backward(g, queries, keys, w);
        return std::array<Tensor, 4>{dq, dk, dw, Tensor()};
      });
}

}  // namespace heed

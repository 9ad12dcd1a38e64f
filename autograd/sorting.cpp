#include "autograd/sorting.h"

#include "autograd/indexing.h"
#include "autograd/joining.h"
#include "autograd/picked.h"
#include "autograd/record.h"
#include "autograd/views.h"

namespace heed {

Variable picked(const char* name, Tensor values, const Variable& x, Dim dim,
                const Tensor& indices) {
  return record({name, "dx = zeros with g at the indices"}, std::move(values),
                rule(x, save(indices), [dim, shape = x.shape()](auto& g, auto& indices) {
                  if (g.dim() == static_cast<int>(shape.rank())) {
                    return scatter_add(shape, dim, indices.value(), g);
                  }
                  return scatter_add(shape, dim, unsqueeze(indices.value(), dim),
                                     unsqueeze(g, dim));
                }));
}

WithIndices<Variable> sort(const Variable& x, Dim dim, bool descending) {
  auto [values, indices] = sort(x.value(), dim, descending);
  return {picked("sort", std::move(values), x, dim, indices), indices};
}

Variable argsort(const Variable& x, Dim dim, bool descending) {
  return record_constant("argsort", argsort(x.value(), dim, descending), {x});
}

WithIndices<Variable> topk(const Variable& x, Size k, Dim dim, bool largest) {
  auto [values, indices] = topk(x.value(), k, dim, largest);
  return {picked("topk", std::move(values), x, dim, indices), indices};
}

// y_i = Σ_{j<=i} x_j
Variable cumsum(const Variable& x, Dim dim) {
  return record(
      {"cumsum", "dx_j = Σ_{i>=j} g_i"}, cumsum(x.value(), dim),
      rule(x, [dim](auto& g) { return flip(cumsum(flip(g, {dim}), dim), {dim}); }));
}

}  // namespace heed

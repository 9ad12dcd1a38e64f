#include "autograd/reductions.h"

#include <limits>

#include "autograd/elementwise.h"
#include "autograd/joining.h"
#include "autograd/picked.h"
#include "autograd/record.h"
#include "autograd/views.h"
#include "tensor/core/factories.h"

namespace heed {
namespace {

// Gives the result of a reduction, or its gradient, the reduced dimensions again, each of
// size 1: so it broadcasts to the shape of the input. Each reduction computes its value
// first: that has checked the dims, and named the op if they are wrong.
struct RestoreDims {
  Shape keepdim_shape;  // the input's shape with 1 where it was reduced

  RestoreDims(const Variable& x, const Dims& dims) : keepdim_shape(x.shape()) {
    if (dims.rank() == 0) std::fill(keepdim_shape.begin(), keepdim_shape.end(), 1);
    for (std::int64_t dim : dims) {
      if (x.dim() > 0) keepdim_shape[normalize_dim("reduction", dim, x.dim())] = 1;
    }
  }
  Variable operator()(const Variable& y) const { return reshape(y, keepdim_shape); }
};

// The number of elements that each element of the result is made from.
double reduced_count(const Variable& x, const Dims& dims) {
  double n = 1;
  const RestoreDims restore(x, dims);
  for (int d = 0; d < x.dim(); ++d) {
    if (restore.keepdim_shape[d] != x.shape()[d]) n *= static_cast<double>(x.shape()[d]);
  }
  return n;
}

// An extreme shares its gradient evenly among the elements equal to it; NaN, which wins
// over all numbers, among the elements that are NaN.
Variable shared(const Variable& g, const Variable& x, const Variable& y,
                const Dims& dims) {
  const Tensor both_nan = logical_and(isnan(x.value()), isnan(y.value()));
  const Tensor hit = logical_or(x.value() == y.value(), both_nan);
  return where(hit, g / sum(hit, dims, true).to(x.dtype()), 0);
}

// x / y, and 0 where y is 0, for a root y whose slope is infinite there.
Variable over_root(const Variable& x, const Variable& y) {
  return x / masked_fill(y, y == 0, std::numeric_limits<double>::infinity());
}

// For every element of the rows (m, n) the product of the others in its row. The elements
// are taken in pairs: the product is the other one of the pair times all other pairs,
// whose products are found in the same way. Unlike y / x it is right where elements are
// 0, and so are its derivatives.
Variable products_of_others(const Variable& rows) {
  const std::int64_t m = rows.size(0), n = rows.size(1);
  if (n == 1) return ones_like(rows.value());
  if (n % 2 == 1) {
    const Variable padded = cat({rows, ones({m, 1}, rows.dtype())}, 1);
    return slice(products_of_others(padded), 1, 0, n);
  }
  const Variable pairs = reshape(rows, {m, n / 2, 2});
  const Variable beside = products_of_others(select(pairs, 2, 0) * select(pairs, 2, 1));
  return reshape(flip(pairs, {2}) * unsqueeze(beside, 2), {m, n});
}

// The same for an x of any rank, reduced over the dimensions whose size `keepdim_shape`
// makes 1.
Variable products_of_others(const Variable& x, const Shape& keepdim_shape) {
  Dims order, reduced;  // the dimensions that stay, and then the others
  for (int d = 0; d < x.dim(); ++d) {
    (keepdim_shape[d] == x.shape()[d] ? order : reduced).push_back(d);
  }
  for (std::int64_t d : reduced) order.push_back(d);
  const Variable ordered = permute(x, order);
  const std::int64_t rows = count(keepdim_shape);
  const std::int64_t n = rows ? x.numel() / rows : 0;
  const Variable others = products_of_others(reshape(ordered, {rows, n}));
  Dims inverse = order;
  for (int d = 0; d < x.dim(); ++d) inverse[static_cast<int>(order[d])] = d;
  return permute(reshape(others, ordered.shape()), inverse);
}

}  // namespace

// Σ x
Variable sum(const Variable& x, const Dims& dims, Flag keepdim) {
  Tensor y = sum(x.value(), dims, keepdim);
  return record({"sum", "dx = g, repeated"}, std::move(y),
                rule(x, [restore = RestoreDims(x, dims), shape = x.shape()](auto& g) {
                  return expand(restore(g), shape);
                }));
}

// y = Π x. The product of the others is y / x where no element is 0.
Variable prod(const Variable& x, const Dims& dims, Flag keepdim) {
  Tensor y = prod(x.value(), dims, keepdim);
  return record({"prod", "dx = g times the product of the others"}, std::move(y),
                rule(x, save(x, result),
                     [restore = RestoreDims(x, dims)](auto& g, auto& x, auto& y) {
                       if (!any(x.value() == 0).item())
                         return restore(g) * restore(y) / x;
                       return restore(g) * products_of_others(x, restore.keepdim_shape);
                     }));
}

// Σ x / n
Variable mean(const Variable& x, const Dims& dims, Flag keepdim) {
  Tensor y = mean(x.value(), dims, keepdim);
  return record(
      {"mean", "dx = g / n, repeated"}, std::move(y),
      rule(x, [restore = RestoreDims(x, dims), n = reduced_count(x, dims),
               shape = x.shape()](auto& g) { return expand(restore(g / n), shape); }));
}

// Σ (x - m)² / f, m the mean, f = max(0, n - c)
Variable var(const Variable& x, const Dims& dims, Integer correction, Flag keepdim) {
  Tensor y = var(x.value(), dims, correction, keepdim);
  const double freedom = std::max(0.0, reduced_count(x, dims) - correction);
  return record(
      {"var", "dx = g 2 (x - m) / f"}, std::move(y),
      rule(x, save(x), [restore = RestoreDims(x, dims), dims, freedom](auto& g, auto& x) {
        return restore(g) * ((x - mean(x, dims, true)) * (2 / freedom));
      }));
}

// y = √var. The gradient is 0 where y is 0, whatever g is.
Variable std(const Variable& x, const Dims& dims, Integer correction, Flag keepdim) {
  Tensor y = std(x.value(), dims, correction, keepdim);
  const double freedom = std::max(0.0, reduced_count(x, dims) - correction);
  return record(
      {"std", "dx = g (x - m) / (f y)"}, std::move(y),
      rule(x, save(x, result),
           [restore = RestoreDims(x, dims), dims, freedom](auto& g, auto& x, auto& y) {
             const Variable distance = x - mean(x, dims, true), root = restore(y);
             return masked_fill(restore(g), root == 0, 0) *
                    (over_root(distance, root) / freedom);
           }));
}

// y = √Σ x². The gradient is 0 where y is 0.
Variable norm(const Variable& x, const Dims& dims, Flag keepdim) {
  Tensor y = norm(x.value(), dims, keepdim);
  return record({"norm", "dx = g x / y"}, std::move(y),
                rule(x, save(x, result),
                     [restore = RestoreDims(x, dims)](auto& g, auto& x, auto& y) {
                       return restore(g) * over_root(x, restore(y));
                     }));
}

// y = log Σ e^x
Variable logsumexp(const Variable& x, const Dims& dims, Flag keepdim) {
  Tensor y = logsumexp(x.value(), dims, keepdim);
  return record({"logsumexp", "dx = g e^(x - y)"}, std::move(y),
                rule(x, save(x, result),
                     [restore = RestoreDims(x, dims)](auto& g, auto& x, auto& y) {
                       return restore(g) * exp(x - restore(y));
                     }));
}

namespace {

// amax and amin: y is the largest or the smallest of x along dims.
Variable extreme(const char* op, Tensor y, const Variable& x, const Dims& dims) {
  return record({op, "dx = g, shared by the elements equal to y"}, std::move(y),
                rule(x, save(x, result),
                     [restore = RestoreDims(x, dims), dims](auto& g, auto& x, auto& y) {
                       return shared(restore(g), x, restore(y), dims);
                     }));
}

}  // namespace

Variable amax(const Variable& x, const Dims& dims, Flag keepdim) {
  return extreme("amax", amax(x.value(), dims, keepdim), x, dims);
}

Variable amin(const Variable& x, const Dims& dims, Flag keepdim) {
  return extreme("amin", amin(x.value(), dims, keepdim), x, dims);
}

Variable max(const Variable& x) { return amax(x); }
Variable min(const Variable& x) { return amin(x); }

// max, min along dim
WithIndices<Variable> max(const Variable& x, Dim dim, Flag keepdim) {
  auto [values, indices] = max(x.value(), dim, keepdim);
  return {picked("max", std::move(values), x, dim, indices), indices};
}

WithIndices<Variable> min(const Variable& x, Dim dim, Flag keepdim) {
  auto [values, indices] = min(x.value(), dim, keepdim);
  return {picked("min", std::move(values), x, dim, indices), indices};
}

Variable argmax(const Variable& x) {
  return record_constant("argmax", argmax(x.value()), {x});
}
Variable argmin(const Variable& x) {
  return record_constant("argmin", argmin(x.value()), {x});
}
Variable argmax(const Variable& x, Dim dim, Flag keepdim) {
  return record_constant("argmax", argmax(x.value(), dim, keepdim), {x});
}
Variable argmin(const Variable& x, Dim dim, Flag keepdim) {
  return record_constant("argmin", argmin(x.value(), dim, keepdim), {x});
}
Variable any(const Variable& x, const Dims& dims, Flag keepdim) {
  return record_constant("any", any(x.value(), dims, keepdim), {x});
}
Variable all(const Variable& x, const Dims& dims, Flag keepdim) {
  return record_constant("all", all(x.value(), dims, keepdim), {x});
}

// x summed to `shape`
Variable sum_to(const Variable& x, const Shape& shape) {
  if (x.shape() == shape) return x;
  return record({"sum_to", "dx = g, repeated"}, sum_to(x.value(), shape),
                rule(x, [before = x.shape()](auto& g) { return expand(g, before); }));
}

}  // namespace heed

#include "nn/masked.h"

#include <limits>
#include <vector>

#include "autograd/elementwise.h"
#include "autograd/matmul.h"
#include "autograd/reductions.h"
#include "autograd/softmax.h"
#include "autograd/views.h"
#include "tensor/factories.h"

namespace heed::nn {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Which rows of x (..., m, d) hold a NaN or an infinity: (..., m, 1).
Tensor odd_rows(const Variable& x) {
  return logical_not(all(isfinite(x.value()), -1, true));
}

// The places, among the m, of rows that are odd in any batch.
std::vector<std::int64_t> places(const Tensor& odd) {
  std::vector<std::int64_t> found;
  for (std::int64_t j = 0; j < odd.size(-2); ++j) {
    if (any(select(odd, -2, j)).item()) found.push_back(j);
  }
  return found;
}

// Row j of x, for each query that sees it, and zeros for the others:
// (..., m, d) -> (..., n, d). kept is (..., n, m).
Variable seen_row(const Variable& x, std::int64_t j, const Tensor& kept,
                  const Tensor& odd) {
  const Tensor sees = logical_and(slice(kept, -1, j, j + 1),  // (..., n, 1)
                                  slice(odd, -2, j, j + 1));  // (..., 1, 1)
  return where(sees, slice(x, -2, j, j + 1), 0.0);            // (..., n, d)
}

// Queries without a key: (..., n, m) -> (..., n, 1).
Tensor empty_rows(const Tensor& kept) { return logical_not(any(kept, -1, true)); }

// Whose value counts: an empty row that is uniform attends to all.
Tensor attended(const Tensor& kept, EmptyRows policy) {
  return policy == EmptyRows::uniform ? logical_or(kept, empty_rows(kept)) : kept;
}

}  // namespace

bool all_finite(const Variable& x) { return all(isfinite(x.value())).item() != 0; }

// With finite numbers a plain product will do: a hidden score gets no gradient, and
// 0 times a number is 0. Otherwise rows that hold others are left out of the product, and
// each is added where it is seen.
Variable masked_scores(const Variable& query, const Variable& key,
                       const Mask::Laid& mask) {
  if (!mask.hides() || (all_finite(query) && all_finite(key))) {
    return matmul(query, transpose(key, -2, -1));  // (..., n, m)
  }
  const std::int64_t keys = key.size(-2);
  const Tensor kept = mask.kept(keys), odd = odd_rows(key);
  const Variable q = masked_fill(query, empty_rows(kept), 0);
  const Variable k = masked_fill(key, odd, 0);
  Variable scores = matmul(q, transpose(k, -2, -1));  // (..., n, m)
  for (std::int64_t j : places(odd)) {
    const Tensor here = logical_and(arange(keys) == static_cast<double>(j),
                                    slice(odd, -2, j, j + 1));  // (..., 1, m)
    const Variable column = sum(q * seen_row(key, j, kept, odd), -1, true);
    scores = where(here, column, scores);
  }
  return scores;
}

Variable masked_values(const Variable& weights, const Variable& value,
                       const Mask::Laid& mask) {
  if (!mask.hides() || all_finite(value)) return matmul(weights, value);
  const Tensor kept = attended(mask.kept(value.size(-2)), mask.empty_rows);
  const Tensor odd = odd_rows(value);
  Variable output = matmul(weights, masked_fill(value, odd, 0));  // (..., n, dv)
  for (std::int64_t j : places(odd)) {
    output = output + slice(weights, -1, j, j + 1) * seen_row(value, j, kept, odd);
  }
  return output;
}

// The scores of an empty row are made 0 first, which softmax and its gradient survive.
Variable masked_weights(const Variable& scores, const Mask::Laid& mask) {
  const Variable biased = mask.bias ? scores + *mask.bias : scores;
  if (!mask.hides()) return softmax(biased, -1);
  const Tensor kept = mask.kept(scores.size(-1));
  const Tensor hidden = logical_not(kept), empty = empty_rows(kept);
  Variable x = masked_fill(biased, hidden, -infinity);
  if (!any(empty).item()) return masked_fill(softmax(x, -1), hidden, 0);
  switch (mask.empty_rows) {
    case EmptyRows::uniform: {
      x = softmax(masked_fill(x, empty, 0), -1);
      return masked_fill(x, logical_and(hidden, logical_not(empty)), 0);
    }
    case EmptyRows::nan: {
      // NaN is added, not filled in, so that it is in the gradient too.
      x = masked_fill(biased, logical_and(hidden, logical_not(empty)), -infinity);
      x = softmax(x + where(empty, full({}, nan, x.dtype()), 0.0), -1);
      return masked_fill(x, logical_and(hidden, logical_not(empty)), 0);
    }
    default: return masked_fill(softmax(masked_fill(x, empty, 0), -1), hidden, 0);
  }
}

Projected without_hidden(const Projected& inputs, const Mask& mask, const Shape& scores) {
  const auto& [queries, keys, values] = inputs;
  if (mask.hides_nothing() ||
      (all_finite(queries) && all_finite(keys) && all_finite(values))) {
    return inputs;
  }
  const Mask::Laid laid = mask.lay_on(scores);
  Tensor kept = expand(laid.kept(scores[scores.rank() - 1]), scores);
  if (scores.rank() == 4) kept = any(kept, 1);  // over the heads: (batch, n, m)
  const auto unseen = [](const Tensor& seen) {
    return unsqueeze(logical_not(any(seen, 1)), -1);  // (batch, n, m) -> (batch, m, 1)
  };
  return {masked_fill(queries, empty_rows(kept), 0), masked_fill(keys, unseen(kept), 0),
          masked_fill(values, unseen(attended(kept, laid.empty_rows)), 0)};
}

}  // namespace heed::nn

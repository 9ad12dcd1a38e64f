#include "nn/masked.h"

#include <cmath>
#include <limits>

#include "autograd/elementwise.h"
#include "autograd/matmul.h"
#include "autograd/record.h"
#include "autograd/reductions.h"
#include "autograd/softmax.h"
#include "autograd/views.h"
#include "tensor/factories.h"

namespace heed::nn {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Queries without a key: (..., n, m) -> (..., n, 1).
Tensor empty_rows(const Tensor& kept) { return logical_not(any(kept, -1, true)); }

// Which pairs of query and key, (..., n, m), count in a row without keys:
//
//                zero, error   uniform   nan
//   for scores   none          none      all
//   for values   none          all       all
Tensor value_pairs(const Mask::Laid& mask, std::int64_t n, std::int64_t m) {
  const Tensor pairs = score_pairs(mask, n, m);
  return mask.empty_rows == EmptyRows::uniform ? logical_or(pairs, empty_rows(pairs))
                                               : pairs;
}

// Row i is Σ_j w_ij x_j over the j of the pairs (i, j).
// w, pairs (..., n, m), x (..., m, d) -> (..., n, d)
//
// With finite x this is a product, w of other pairs set to 0. Otherwise it is not, for
// 0 times NaN is NaN: what is not finite is 0 in the product, and its terms are added,
// key by key, to the queries that see that key.
Tensor sum_over(const Tensor& pairs, const Tensor& w, const Tensor& x) {
  const Tensor weights = masked_fill(w, logical_not(pairs), 0);
  const Tensor not_finite = logical_not(isfinite(x));
  Tensor result = matmul(weights, masked_fill(x, not_finite, 0));
  // A row that is NaN throughout needs no more terms.
  const auto unfinished = [&] { return logical_not(all(isnan(result), -1, true)); };
  const Tensor special_rows = any(not_finite, -1, true);  // (..., m, 1)
  Tensor open = unfinished();                             // (..., n, 1)
  for (std::int64_t j = 0; j < x.size(-2); ++j) {
    const auto row = [j](const Tensor& rows) { return slice(rows, -2, j, j + 1); };
    const auto column = [j](const Tensor& columns) {
      return slice(columns, -1, j, j + 1);
    };
    const Tensor here = logical_and(logical_and(column(pairs), row(special_rows)), open);
    if (!any(here).item()) continue;
    const Tensor added = column(weights) * row(x);  // (..., n, d)
    add_(result, where(logical_and(here, row(not_finite)), added, 0.0));
    open = unfinished();
  }
  return result;
}

// The next two are each other's derivatives, a selection where a product would do if all
// numbers were finite.

Variable products_of(const Tensor& pairs, const Variable& q, const Variable& k);

// o_i = Σ_j w_ij v_j over the pairs
Variable outputs_of(const Tensor& pairs, const Variable& w, const Variable& v) {
  return record(
      {"masked_values", "dw_ij = g_i·v_j,  dv_j = Σ_i w_ij g_i  over the pairs"},
      sum_over(pairs, w.value(), v.value()), inputs(w, v),
      keep(needed_by(v, w), needed_by(w, v), pairs),
      [](const Kept& kept, const Variable& g) {
        return products_of(kept[2].value(), g, kept[1]);
      },
      [](const Kept& kept, const Variable& g) {
        return outputs_of(transpose(kept[2].value(), -2, -1), transpose(kept[0], -2, -1),
                          g);
      });
}

// s_ij = q_i·k_j over the pairs; the other scores are 0
Variable products_of(const Tensor& pairs, const Variable& q, const Variable& k) {
  const Tensor all = matmul(q.value(), transpose(k.value(), -2, -1));
  return record(
      {"masked_scores", "dq_i = Σ_j g_ij k_j,  dk_j = Σ_i g_ij q_i  over the pairs"},
      masked_fill(all, logical_not(pairs), 0), inputs(q, k),
      keep(needed_by(k, q), needed_by(q, k), pairs),
      [](const Kept& kept, const Variable& g) {
        return outputs_of(kept[2].value(), g, kept[1]);
      },
      [](const Kept& kept, const Variable& g) {
        return outputs_of(transpose(kept[2].value(), -2, -1), transpose(g, -2, -1),
                          kept[0]);
      });
}

}  // namespace

Tensor score_pairs(const Mask::Laid& mask, std::int64_t n, std::int64_t m) {
  const Tensor kept = mask.kept(m);
  const Tensor pairs = expand(kept, broadcast("mask", kept.shape(), Shape{n, m}));
  return mask.empty_rows == EmptyRows::nan ? logical_or(pairs, empty_rows(pairs)) : pairs;
}

// A finite sum has finite summands only. Another one may have, too: it can overflow.
bool all_finite(const Variable& x) {
  return std::isfinite(sum(x.value()).item()) || all(isfinite(x.value())).item() != 0;
}

Variable pair_products(const Variable& query, const Variable& key, const Tensor& pairs) {
  return products_of(pairs, query, key);
}

Mask::Laid lay(const Mask& mask, const Shape& scores, DType dtype) {
  Mask::Laid laid = mask.lay_on(scores);
  check(!laid.bias || laid.bias->dtype() == dtype,
        "Mask::additive: the mask must have the scores' dtype, got {} for scores of {}",
        laid.bias ? name(laid.bias->dtype()) : "", name(dtype));
  return laid;
}

Variable masked_values(const Variable& weights, const Variable& value,
                       const Mask::Laid& mask) {
  // Were a number not finite in either, one of the products would not be.
  Variable output = matmul(weights, value);  // (..., n, dv)
  const std::int64_t n = weights.size(-2), m = value.size(-2);
  if (mask.hides() && !all_finite(output)) {
    output = outputs_of(value_pairs(mask, n, m), weights, value);
  }
  // An empty row has no part in what follows either: zeros that are selected stop a
  // gradient, were it NaN, which zeros that are computed do not.
  const Tensor empty = empty_rows(mask.kept(m));
  if (!any(empty).item() || mask.empty_rows == EmptyRows::uniform) return output;
  return mask.empty_rows == EmptyRows::nan
             ? output + where(empty, full({}, nan, output.dtype()), 0.0)
             : masked_fill(output, empty, 0);
}

// softmax of -inf alone would be NaN. So the scores of an empty row are made 0 first, or
// NaN where that is asked for: added, not filled in, so that it is in the gradient too.
Variable masked_weights(const Variable& scores, const Mask::Laid& mask) {
  const Variable biased = mask.bias ? scores + *mask.bias : scores;  // (..., n, m)
  if (!mask.hides()) return softmax(biased, -1);
  const Tensor kept = mask.kept(scores.size(-1)), empty = empty_rows(kept);
  Tensor hidden = logical_not(kept);
  if (mask.empty_rows == EmptyRows::uniform || mask.empty_rows == EmptyRows::nan) {
    hidden = logical_and(hidden, logical_not(empty));  // these rows keep their weights
  }
  Variable x = masked_fill(biased, hidden, -infinity);
  if (any(empty).item()) {
    x = mask.empty_rows == EmptyRows::nan
            ? x + where(empty, full({}, nan, x.dtype()), 0.0)
            : masked_fill(x, empty, 0);
  }
  return masked_fill(softmax(x, -1), hidden, 0);
}

Inputs without_hidden(const Inputs& inputs, const Mask& mask, const Shape& scores) {
  const auto& [queries, keys, values] = inputs;
  if (mask.hides_nothing() ||
      (all_finite(queries) && all_finite(keys) && all_finite(values))) {
    return inputs;
  }
  const Mask::Laid laid = mask.lay_on(scores);
  const std::int64_t n = queries.size(1), m = keys.size(1);
  // What no pair needs, in any head: (batch, heads, n, m) -> (batch, n, m).
  const auto merged = [&](const Tensor& pairs) {
    const Tensor whole = expand(pairs, scores);
    return scores.rank() == 4 ? any(whole, 1) : whole;
  };
  const auto unseen = [](const Tensor& pairs) {
    return unsqueeze(logical_not(any(pairs, 1)), -1);  // (batch, n, m) -> (batch, m, 1)
  };
  const Tensor pairs = merged(score_pairs(laid, n, m));
  return {masked_fill(queries, empty_rows(pairs), 0), masked_fill(keys, unseen(pairs), 0),
          masked_fill(values, unseen(merged(value_pairs(laid, n, m))), 0)};
}

}  // namespace heed::nn

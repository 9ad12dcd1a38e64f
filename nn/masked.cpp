#include "nn/masked.h"

#include <limits>

#include "autograd/elementwise.h"
#include "autograd/matmul.h"
#include "autograd/record.h"
#include "autograd/reductions.h"
#include "autograd/softmax.h"
#include "autograd/views.h"
#include "tensor/core/factories.h"

namespace heed::nn {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Which queries have no key: (..., n, m) -> (..., n, 1).
Tensor without_keys(const Tensor& visible) { return logical_not(any(visible, -1, true)); }

// Row i is Σ_j w_ij x_j over the j of the pairs (i, j).
// w, pairs (..., n, m), x (..., m, d) -> (..., n, d)
//
// With finite x this is a product, with 0 for w of other pairs. Where x is NaN or
// infinite, 0 times it would be NaN. So the product has 0 for these x too, and afterwards
// their terms are added, for one key after the other, to the queries that see the key.
Tensor sum_over(const Tensor& pairs, const Tensor& w, const Tensor& x) {
  const Tensor weights = masked_fill(w, logical_not(pairs), 0);
  const Tensor not_finite = logical_not(isfinite(x));
  Tensor result = matmul(weights, masked_fill(x, not_finite, 0));
  // Queries whose sum can still change, (..., n, 1): what is NaN stays NaN.
  const auto may_change = [&] { return logical_not(all(isnan(result), -1, true)); };
  const Tensor odd_keys = any(not_finite, -1, true);  // (..., m, 1)
  Tensor open = may_change();
  for (std::int64_t j = 0; j < x.size(-2); ++j) {
    const auto row = [j](const Tensor& rows) { return slice(rows, -2, j, j + 1); };
    const auto column = [j](const Tensor& columns) {
      return slice(columns, -1, j, j + 1);
    };
    // The queries that get a term of key j.
    const Tensor here = logical_and(logical_and(column(pairs), row(odd_keys)), open);
    if (!any(here).item()) continue;
    const Tensor added = column(weights) * row(x);  // (..., n, d)
    add_(result, where(logical_and(here, row(not_finite)), added, 0.0));
    open = may_change();
  }
  return result;
}

// o_i = Σ_j w_ij v_j over the pairs. The rules of pair_sums and of pair_products are made
// of these two ops.
Variable pair_sums(const Variable& w, const Variable& v, const Tensor& pairs) {
  const auto dw = [](auto& g, auto& v, auto& pairs) {
    return pair_products(g, v, pairs.value());
  };
  const auto dv = [](auto& g, auto& w, auto& pairs) {
    return pair_sums(transpose(w, -2, -1), g, transpose(pairs.value(), -2, -1));
  };
  return record({"pair_sums", "dw_ij = g_i·v_j,  dv_j = Σ_i w_ij g_i  over the pairs"},
                sum_over(pairs, w.value(), v.value()), rule(w, save(v, pairs), dw),
                rule(v, save(w, pairs), dv));
}

// x (..., n, m) with 0 in its `empty` rows (..., n, 1), or NaN with EmptyRows::nan:
// added, not filled in, so that the gradient is NaN too.
Variable with_empty_rows(const Variable& x, const Tensor& empty, EmptyRows policy) {
  if (!any(empty).item()) return x;
  if (policy != EmptyRows::nan) return masked_fill(x, empty, 0);
  return x + where(empty, full({}, nan, x.dtype()), 0.0);
}

}  // namespace

Tensor score_pairs(const Mask::OnScores& mask, std::int64_t n, std::int64_t m) {
  const Tensor visible = mask.visible(m);
  const Tensor pairs = expand(visible, broadcast("mask", visible.shape(), Shape{n, m}));
  return mask.empty_rows == EmptyRows::nan ? logical_or(pairs, without_keys(pairs))
                                           : pairs;
}

Tensor value_pairs(const Mask::OnScores& mask, std::int64_t n, std::int64_t m) {
  const Tensor pairs = score_pairs(mask, n, m);
  return mask.empty_rows == EmptyRows::uniform ? logical_or(pairs, without_keys(pairs))
                                               : pairs;
}

Variable pair_products(const Variable& query, const Variable& key, const Tensor& pairs) {
  const Tensor all = matmul(query.value(), transpose(key.value(), -2, -1));
  const auto dq = [](auto& g, auto& key, auto& pairs) {
    return pair_sums(g, key, pairs.value());
  };
  const auto dk = [](auto& g, auto& query, auto& pairs) {
    return pair_sums(transpose(g, -2, -1), query, transpose(pairs.value(), -2, -1));
  };
  return record(
      {"pair_products", "dq_i = Σ_j g_ij k_j,  dk_j = Σ_i g_ij q_i  over the pairs"},
      masked_fill(all, logical_not(pairs), 0), rule(query, save(key, pairs), dq),
      rule(key, save(query, pairs), dk));
}

Mask::OnScores mask_on(const Mask& mask, const Shape& scores, DType dtype) {
  Mask::OnScores on_scores = mask.on(scores);
  const Tensor& bias = on_scores.bias;
  check(
      !bias.defined() || bias.dtype() == dtype,
      "Mask::additive: the mask must have the scores' dtype, got {} for scores of {}",
      [&] { return bias.dtype(); }, dtype);
  return on_scores;
}

Variable masked_values(const Variable& weights, const Variable& value,
                       const Mask::OnScores& mask) {
  // If a weight or a value is not finite, then neither is the output.
  Variable output = matmul(weights, value);  // (..., n, dv)
  const std::int64_t n = weights.size(-2), m = value.size(-2);
  if (mask.may_hide() && !all_finite(output.value())) {
    output = pair_sums(weights, value, value_pairs(mask, n, m));
  }
  // With EmptyRows::zero a row without keys is 0 already, but as a product: the backward
  // would carry a gradient of NaN from it to all values. masked_fill stops it.
  if (mask.empty_rows == EmptyRows::uniform) return output;
  return with_empty_rows(output, without_keys(mask.visible(m)), mask.empty_rows);
}

// softmax of -inf alone would be NaN. So the scores of an empty row are made 0 first, or,
// with EmptyRows::nan, NaN. Scores of 0 give equal weights. With EmptyRows::zero the last
// masked_fill makes them 0; with uniform and nan an empty row is left out of `hidden`,
// and keeps its weights.
Variable masked_weights(const Variable& scores, const Mask::OnScores& mask) {
  const Variable biased =
      mask.bias.defined() ? scores + mask.bias : scores;  // (..., n, m)
  if (!mask.may_hide()) return softmax(biased, -1);
  const Tensor visible = mask.visible(scores.size(-1)), empty = without_keys(visible);
  Tensor hidden = logical_not(visible);
  if (mask.empty_rows == EmptyRows::uniform || mask.empty_rows == EmptyRows::nan) {
    hidden = logical_and(hidden, logical_not(empty));
  }
  const Variable x =
      with_empty_rows(masked_fill(biased, hidden, -infinity), empty, mask.empty_rows);
  return masked_fill(softmax(x, -1), hidden, 0);
}

}  // namespace heed::nn

#include "nn/mask.h"

#include <limits>

#include "nn/mask_text.h"
#include "tensor/core/factories.h"
#include "tensor/core/views.h"
#include "tensor/elementwise/elementwise.h"
#include "tensor/indexing/indexing.h"
#include "tensor/reduce/reductions.h"

namespace heed::nn {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// How many keys each query sees under a diagonal that starts at key `first`: (queries).
Tensor causal_lens(std::int64_t queries, std::int64_t first) {
  return clamp(arange(queries, int64) + (first + 1), 0, {});
}

std::string_view name(EmptyRows policy) {
  switch (policy) {
    case EmptyRows::zero: return "zero";
    case EmptyRows::uniform: return "uniform";
    case EmptyRows::nan: return "nan";
    default: return "error";
  }
}

// The shorter of both lengths; lens and others broadcast to (..., queries).
Tensor shorter(const Tensor& lens, const Tensor& others) {
  return lens.defined() ? minimum(lens, others) : others;
}

// Where key j < lens: (..., queries) -> (..., queries, keys).
Tensor prefix(const Tensor& lens, std::int64_t keys) {
  return unsqueeze(lens, -1) > arange(keys, int64);
}

// Throws Error if a query has no key: it names the first one and shows the mask of its
// batch and head.
void check_no_empty_row(const Mask::OnScores& mask, const Shape& scores) {
  const std::int64_t keys = scores[scores.rank() - 1];
  Shape rows = scores;
  rows.erase(rows.rank() - 1);
  // Without keep the lengths show it; visible() would hold all pairs.
  const Tensor none = mask.lens.defined() && !mask.keep.defined() && keys > 0
                          ? mask.lens == 0
                          : logical_not(any(mask.visible(keys), -1));
  if (!any(none).item() || count(rows) == 0) return;
  const Tensor empty = expand(none, rows);
  std::int64_t row = static_cast<std::int64_t>(argmax(empty.to(int64)).item());
  Shape index = empty.shape();
  for (int i = index.rank() - 1; i >= 0; --i) {
    const std::int64_t size = index[i];
    index[i] = row % size;
    row /= size;
  }
  fail(
      "mask: every query must have a key to attend to, got none for query {} of scores "
      "{}:\n{}",
      index, scores, grid_around(mask, scores, index));
}

// Throws Error unless a mask broadcasts to scores (..., queries, keys).
void check_fits(const Tensor& mask, const Shape& scores) {
  const Shape& shape = mask.shape();
  // Before the last check, whose message would help less.
  const bool is_ambiguous = scores.rank() >= 4 && shape.rank() >= 3 &&
                            shape.rank() < scores.rank() && shape[0] != 1;
  check(!is_ambiguous,
        "mask: for scores {} a mask of {} dimensions is ambiguous, got {}; give it all "
        "dimensions, such as (batch, 1, queries, keys), or the size 1 first",
        scores, shape.rank(), shape);
  if (broadcasts_to(shape, scores)) return;
  const int rank = scores.rank();
  const bool is_padding = shape.rank() == 2 && (rank == 3 || rank == 4) &&
                          shape[0] == scores[0] && shape[1] == scores[rank - 1];
  const std::string hint =
      is_padding ? fmt::format(
                       "; (batch, keys) needs unsqueeze(1){}, or lengths in "
                       "Mask::valid_lens",
                       rank == 4 ? ".unsqueeze(1)" : "")
                 : "";
  fail("mask: its shape must broadcast to the scores' {}, got {}{}", scores, shape, hint);
}

// Valid lengths (), (batch), (batch, queries) or (queries), so arranged that they
// broadcast to the (..., queries) of the scores.
Tensor lens_of_rows(const Tensor& lens, const Shape& scores) {
  const int batches = scores.rank() - 2;
  const std::int64_t queries = scores[batches];
  if (lens.dim() == 0) return lens;
  if (batches == 0) {
    check(lens.shape() == Shape{queries},
          "Mask::valid_lens: for scores (queries, keys) = {} the lengths must be ({}), "
          "got {}",
          scores, queries, lens.shape());
    return lens;
  }
  const bool each_batch = lens.shape() == Shape{scores[0]};
  const bool each_query = lens.shape() == Shape{scores[0], queries};
  check(each_batch || each_query,
        "Mask::valid_lens: for scores of shape {} the lengths must be ({}) or ({}, {}), "
        "got {}",
        scores, scores[0], scores[0], queries, lens.shape());
  Shape shape = scores;
  shape.erase(batches + 1);  // the keys
  for (int i = 1; i < batches; ++i) shape[i] = 1;
  if (each_batch) shape[batches] = 1;
  return reshape(lens, shape);
}

void keep_also(Mask::OnScores& mask, const Tensor& keep) {
  mask.keep = mask.keep.defined() ? logical_and(mask.keep, keep) : keep;
}

// Adds an additive mask: its -inf go into `keep`, its finite numbers into `bias`, unless
// all of these are 0.
void add_bias(Mask::OnScores& mask, const Tensor& bias) {
  const auto finite_rest = [&](const Tensor& x) {
    const Tensor finite = isfinite(x);
    if (!all(finite).item()) keep_also(mask, finite);
    return masked_fill(x, logical_not(finite), 0);
  };
  const Tensor rest = finite_rest(bias);
  if (!any(rest).item()) return;
  if (!mask.bias.defined()) {
    mask.bias = rest;
    return;
  }
  check(mask.bias.dtype() == rest.dtype(),
        "Mask::additive: masks that are added must have one dtype, got {} and {}",
        name(mask.bias.dtype()), name(rest.dtype()));
  const Tensor sum = mask.bias + rest;
  check(all(sum < infinity).item() != 0,
        "Mask::additive: the sum of the masks must be finite or -inf, got inf");
  mask.bias = finite_rest(sum);
}

}  // namespace

Mask Mask::keep(const Tensor& allowed) {
  check(allowed.dtype() == boolean, "Mask::keep: the mask must be bool, got {}",
        name(allowed.dtype()));
  Mask mask;
  mask.keep_.push_back(allowed.clone());
  return mask;
}

Mask Mask::drop(const Tensor& hidden) {
  check(hidden.dtype() == boolean, "Mask::drop: the mask must be bool, got {}",
        name(hidden.dtype()));
  return keep(logical_not(hidden));
}

Mask Mask::valid_lens(const Tensor& lens) {
  check(lens.dtype() == int64, "Mask::valid_lens: the lengths must be int64, got {}",
        name(lens.dtype()));
  check(lens.dim() <= 2,
        "Mask::valid_lens: the lengths must be (), (batch) or (batch, "
        "queries), got {}",
        lens.shape());
  check(lens.numel() == 0 || min(lens).item() >= 0,
        "Mask::valid_lens: a length must not be negative, got {}", lens);
  Mask mask;
  mask.lens_.push_back(lens.clone());
  return mask;
}

Mask Mask::causal() {
  Mask mask;
  mask.causal_ = true;
  return mask;
}

Mask Mask::causal(CausalAlign align) {
  Mask mask;
  (align == CausalAlign::top_left ? mask.top_left_ : mask.bottom_right_) = true;
  return mask;
}

Mask Mask::additive(const Tensor& bias) {
  check(is_floating(bias.dtype()), "Mask::additive: the mask must be floating, got {}",
        name(bias.dtype()));
  check(all(bias < infinity).item() != 0,
        "Mask::additive: the numbers must be finite or -inf, got NaN or inf");
  Mask mask;
  mask.bias_.push_back(bias.clone());
  return mask;
}

Mask Mask::empty_rows(EmptyRows policy) const {
  Mask mask = *this;
  mask.empty_rows_ = policy;
  return mask;
}

Mask operator&(const Mask& a, const Mask& b) {
  if (a.empty_rows_ && b.empty_rows_ && *a.empty_rows_ != *b.empty_rows_) {
    fail(
        "mask: the two masks joined by & must agree on empty rows, got EmptyRows::{} and "
        "EmptyRows::{}",
        name(*a.empty_rows_), name(*b.empty_rows_));
  }
  Mask both = a;
  const auto append = [](std::vector<Tensor>& to, const std::vector<Tensor>& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  append(both.keep_, b.keep_);
  append(both.lens_, b.lens_);
  append(both.bias_, b.bias_);
  both.causal_ |= b.causal_;
  both.top_left_ |= b.top_left_;
  both.bottom_right_ |= b.bottom_right_;
  if (b.empty_rows_) both.empty_rows_ = b.empty_rows_;
  return both;
}

bool Mask::is_empty() const {
  return keep_.empty() && lens_.empty() && bias_.empty() && !causal_ && !top_left_ &&
         !bottom_right_;
}

Mask::OnScores Mask::on(const Shape& scores) const {
  check(scores.rank() >= 2, "mask: scores must be (..., queries, keys), got {}", scores);
  const std::int64_t queries = scores[scores.rank() - 2],
                     keys = scores[scores.rank() - 1];
  check(!causal_ || queries == keys,
        "Mask::causal: for {} queries and {} keys say which corner the diagonal "
        "touches:\n{}",
        queries, keys, [&] { return causal_grids(queries, keys); });
  OnScores result;
  result.empty_rows = empty_rows_.value_or(EmptyRows::zero);
  for (const Tensor& lens : lens_) {
    result.lens = shorter(result.lens, lens_of_rows(lens, scores));
  }
  if (causal_ || top_left_) result.lens = shorter(result.lens, causal_lens(queries, 0));
  if (bottom_right_) {
    result.lens = shorter(result.lens, causal_lens(queries, keys - queries));
  }
  for (const Tensor& keep : keep_) {
    check_fits(keep, scores);
    keep_also(result, keep);
  }
  for (const Tensor& bias : bias_) {
    check_fits(bias, scores);
    add_bias(result, bias);
  }
  if (result.keep.defined()) {
    result.keep =
        expand(result.keep, broadcast("mask", result.keep.shape(), Shape{keys}));
  }
  if (result.empty_rows == EmptyRows::error) check_no_empty_row(result, scores);
  return result;
}

Tensor Mask::OnScores::visible(std::int64_t keys) const {
  if (!lens.defined()) return keep.defined() ? keep : ones({1, keys}, boolean);
  const Tensor first = prefix(lens, keys);
  return keep.defined() ? logical_and(keep, first) : first;
}

Tensor sequence_mask(const Tensor& x, const Tensor& lens, double value) {
  check(x.dim() >= 2 && lens.dtype() == int64 && lens.shape() == Shape{x.size(0)},
        "sequence_mask: x (batch, steps, ...) and int64 lens (batch), got {} and {} {}",
        x.shape(), name(lens.dtype()), lens.shape());
  Tensor keep = prefix(lens, x.size(1));  // (batch, steps)
  while (keep.dim() < x.dim()) keep = unsqueeze(keep, -1);
  return masked_fill(x, logical_not(keep), value);
}

}  // namespace heed::nn

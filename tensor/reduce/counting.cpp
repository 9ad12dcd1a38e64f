#include "tensor/reduce/counting.h"

#include <algorithm>
#include <cmath>

#include "tensor/core/factories.h"
#include "tensor/core/views.h"
#include "tensor/elementwise/elementwise.h"
#include "tensor/indexing/indexing.h"
#include "tensor/reduce/reductions.h"

namespace heed {

Unique unique(const Tensor& x, UniqueOptions options) {
  const auto [sorted, order] = sort(flatten(x), 0);
  const Tensor differs = slice(sorted, 0, 1) != slice(sorted, 0, 0, -1);
  const Tensor is_new =
      cat({ones({std::min<std::int64_t>(x.numel(), 1)}, boolean), differs});
  const Tensor group = cumsum(is_new, 0) - 1;  // of each sorted element
  Unique result = {masked_select(sorted, is_new), {}, {}};
  if (options.return_inverse) {
    result.inverse_indices = reshape(index_add({x.numel()}, 0, order, group), x.shape());
  }
  if (options.return_counts) result.counts = bincount(group);
  return result;
}
Tensor unique(const Tensor& x) { return unique(x, {}).output; }

Tensor bincount(const Tensor& x, const Tensor& weights, Size minlength) {
  check(x.dim() == 1 && x.dtype() == int64,
        "bincount: x must be a vector of int64, got the shape {} and {}", x.shape(),
        name(x.dtype()));
  check(minlength >= 0, "bincount: minlength must not be negative, got {}",
        std::int64_t{minlength});
  const std::int64_t least = x.numel() == 0 ? 0 : min(x).item<std::int64_t>();
  check(least >= 0, "bincount: x must not have negative numbers, got {}", least);
  const std::int64_t largest = x.numel() == 0 ? -1 : max(x).item<std::int64_t>();
  const Shape counts{
      std::max<std::int64_t>(std::min(largest, INT64_MAX - 1) + 1, minlength)};
  count(counts);  // throws where they are too many
  if (!weights.defined()) return index_add(counts, 0, x, ones(x.shape(), int64));
  check(weights.shape() == x.shape(),
        "bincount: there must be a weight for each element, got {} and {}",
        weights.shape(), x.shape());
  return index_add(counts, 0, x,
                   is_floating(weights.dtype()) ? weights : weights.to(float64));
}

Tensor histc(const Tensor& x, Size bins, double min, double max) {
  check_floating("histc", x.dtype());
  check(bins > 0, "histc: bins must be positive, got {}", bins);
  if (min == max && x.numel() > 0) {
    min = heed::min(x).item();
    max = heed::max(x).item();
  }
  if (min == max) {
    min -= 1;
    max += 1;
  }
  check(std::isfinite(min) && std::isfinite(max) && min < max,
        "histc: the range must be finite and rising, got {} to {}", min, max);
  const auto parts = static_cast<double>(bins);
  const Tensor inside = masked_select(x, (x >= min) & (x <= max));
  const Tensor places = floor((inside - min) * parts / (max - min)).to(int64);
  return bincount(clamp_max(places, parts - 1), {}, bins).to(x.dtype());
}

Tensor searchsorted(const Tensor& sorted_sequence, const Tensor& values, bool right) {
  check_same_dtype("searchsorted", sorted_sequence, values);
  const Shape shape = sorted_sequence.shape();
  const bool one_row = shape.rank() == 1;
  check(one_row || (shape.rank() > 1 && shape.rank() == values.dim() &&
                    without_last(shape, 1) == without_last(values.shape(), 1)),
        "searchsorted: the sequence must be a vector or have the values' leading sizes, "
        "got {} and {}",
        shape, values.shape());
  const Tensor rows = sorted_sequence.contiguous(), wanted = values.contiguous();
  Tensor places = empty(values.shape(), int64);
  dispatch(values.dtype(), [&]<class T>() {
    const T* const value = wanted.data<T>();
    auto* const out = places.mutable_data<std::int64_t>();
    const std::int64_t n = shape[-1];
    for (std::int64_t i = 0; i < values.numel(); ++i) {
      const T* const row = rows.data<T>() + (one_row ? 0 : i / values.size(-1) * n);
      // NaN goes to the end.
      const auto is_before = [right, v = value[i]](T element) {
        return right ? !(element > v) : !(element >= v);
      };
      out[i] = std::partition_point(row, row + n, is_before) - row;
    }
  });
  return places;
}
Tensor searchsorted(const Tensor& sorted_sequence, Number value, bool right) {
  const DType dtype = sorted_sequence.dtype();
  const DType common = promote(dtype, value) == dtype ? dtype : float64;
  return searchsorted(sorted_sequence.to(common), full({}, value, common), right);
}

}  // namespace heed

// The reductions and running results that composed.h declares.
#include <vector>

#include "autograd/composed.h"

namespace heed {
namespace {

// The elements at `index`, which has the size 1 along `dim`, and the index.
template <Array X>
WithIndices<X> picked_along(const X& x, Dim dim, const Tensor& index, Flag keepdim) {
  X values = gather(x, dim, index);
  if (keepdim) return {values, index};
  return {squeeze(values, dim), squeeze(index, dim)};
}

// The index of the largest, or smallest, element so far: the last one of equals.
Tensor running_extreme(const Tensor& x, Dim dim, bool largest) {
  if (x.numel() == 0 || x.dim() == 0) return zeros(x.shape(), int64);
  Tensor best = select(x, dim, 0), place = zeros(best.shape(), int64);
  std::vector<Tensor> places = {place};
  for (std::int64_t i = 1; i < x.size(dim); ++i) {
    const Tensor next = select(x, dim, i);
    const Tensor better = (largest ? next >= best : next <= best) | isnan(next);
    best = where(better, next, best);
    place = where(better, i, place);
    places.push_back(place);
  }
  return stack(places, dim);
}

}  // namespace

template <Array X>
X nansum(const X& x, const Dims& dims, Flag keepdim) {
  return sum(is_floating(x.dtype()) ? masked_fill(x, isnan(x), 0) : x, dims, keepdim);
}

template <Array X>
X nanmean(const X& x, const Dims& dims, Flag keepdim) {
  check_floating("nanmean", x.dtype());
  return nansum(x, dims, keepdim) / sum(!isnan(x), dims, keepdim).to(x.dtype());
}

template <Array X>
WithIndices<X> kthvalue(const X& x, Integer k, Dim dim, Flag keepdim) {
  if (x.dim() == 0) return kthvalue(unsqueeze(x, 0), k, dim);
  const std::int64_t n = x.size(normalize_dim("kthvalue", dim, x.dim()));
  check(1 <= k && k <= n, "kthvalue: k must be from 1 to {}, got {}", n, k);
  const Tensor order = argsort(detail::value_of(x), dim);
  return picked_along(x, dim, slice(order, dim, k - 1, k), keepdim);
}

template <Array X>
WithIndices<X> median(const X& x, Dim dim, Flag keepdim) {
  if (x.dim() == 0) return median(unsqueeze(x, 0), dim);
  check(x.size(normalize_dim("median", dim, x.dim())) > 0,
        "median: cannot reduce over no elements, got {}", x.shape());
  const Tensor& value = detail::value_of(x);
  const Tensor nan = argmax(value, dim, true);  // the place of the first, if any
  const std::int64_t middle = (x.size(dim) - 1) / 2;
  const Tensor order = slice(argsort(value, dim), dim, middle, middle + 1);
  const Tensor index = where(any(isnan(value), dim, true), nan, order);
  return picked_along(x, dim, index, keepdim);
}

template <Array X>
X median(const X& x) {
  if (x.numel() == 0) {
    check_floating("median", x.dtype());
    return mean(x);
  }
  const Tensor& value = detail::value_of(x);
  const Tensor found = median(flatten(value), 0).values;
  return max(masked_select(x, isnan(found).item<bool>() ? isnan(value) : value == found));
}

template <Array X>
X quantile(const X& x, const Tensor& q, std::optional<Dim> dim, Flag keepdim) {
  check(q.dim() <= 1 && all((q >= 0) & (q <= 1)).template item<bool>(),
        "quantile: q must be a number or a vector of numbers from 0 to 1, got {}", q);
  check_floating("quantile", x.dtype());
  if (x.dim() == 0 && dim) return quantile(unsqueeze(x, 0), q, dim);
  if (dim) (void)normalize_dim("quantile", *dim, x.dim());
  const X rows = sort(dim ? movedim(x, *dim, -1) : flatten(x)).values;
  const std::int64_t last = rows.size(-1) - 1;
  check(x.numel() > 0, "quantile: x must not be empty, got {}", x.shape());
  const Tensor rank = flatten(q) * static_cast<double>(last), below = floor(rank);
  const X low = index_select(rows, -1, below.to(int64));
  const X high = index_select(rows, -1, ceil(rank).to(int64));
  const X end = slice(rows, -1, last);
  X y = movedim(where(isnan(end), end, lerp(low, high, rank - below)), -1, 0);
  if (keepdim) {
    Shape kept = x.shape();
    for (int d = 0; d < x.dim(); ++d) {
      if (!dim || d == normalize_dim("quantile", *dim, x.dim())) kept[d] = 1;
    }
    kept.insert(0, q.numel());
    y = reshape(y, kept);
  }
  return q.dim() == 0 ? squeeze(y, 0) : y;
}

template <Array X>
X quantile(const X& x, double q, std::optional<Dim> dim, Flag keepdim) {
  check_floating("quantile", x.dtype());
  return quantile(x, full({}, q, x.dtype()), dim, keepdim);
}

// A backward pass that is recorded or observed takes time with the square of the length:
// the gradient of each element is then a tensor like x.
template <Array X>
X cumprod(const X& x, Dim dim) {
  if (x.dtype() == boolean) return cumprod(x.to(int64), dim);
  if (x.dtype() == float32) return cumprod(x.to(float64), dim).to(float32);
  if (x.dim() == 0) return reshape(cumprod(flatten(x), dim), {});
  (void)normalize_dim("cumprod", dim, x.dim());
  if (x.numel() == 0) return x.clone();
  std::vector<X> products = {select(x, dim, 0)};
  for (std::int64_t i = 1; i < x.size(dim); ++i) {
    products.push_back(products.back() * select(x, dim, i));
  }
  return stack(products, dim);
}

template <Array X>
WithIndices<X> cummax(const X& x, Dim dim) {
  const Tensor index = running_extreme(detail::value_of(x), dim, true);
  return {gather(x, dim, index), index};
}

template <Array X>
WithIndices<X> cummin(const X& x, Dim dim) {
  const Tensor index = running_extreme(detail::value_of(x), dim, false);
  return {gather(x, dim, index), index};
}

template <Array X>
X diff(const X& x, Integer n, Dim dim) {
  check(n >= 0, "diff: n must not be negative, got {}", std::int64_t{n});
  check(x.dim() > 0, "diff: x must have a dimension, got {}", x.shape());
  (void)normalize_dim("diff", dim, x.dim());
  X y = n == 0 ? x.clone() : x;
  for (std::int64_t i = 0; i < n && y.size(dim) > 0; ++i) {
    const X after = slice(y, dim, 1), before = slice(y, dim, 0, -1);
    y = y.dtype() == boolean ? after ^ before : after - before;
  }
  return y;
}

// For both kinds.
template Tensor nansum(const Tensor&, const Dims&, Flag);
template Variable nansum(const Variable&, const Dims&, Flag);
template Tensor nanmean(const Tensor&, const Dims&, Flag);
template Variable nanmean(const Variable&, const Dims&, Flag);
template WithIndices<Tensor> kthvalue(const Tensor&, Integer, Dim, Flag);
template WithIndices<Variable> kthvalue(const Variable&, Integer, Dim, Flag);
template WithIndices<Tensor> median(const Tensor&, Dim, Flag);
template WithIndices<Variable> median(const Variable&, Dim, Flag);
template Tensor median(const Tensor&);
template Variable median(const Variable&);
template Tensor quantile(const Tensor&, const Tensor&, std::optional<Dim>, Flag);
template Variable quantile(const Variable&, const Tensor&, std::optional<Dim>, Flag);
template Tensor quantile(const Tensor&, double, std::optional<Dim>, Flag);
template Variable quantile(const Variable&, double, std::optional<Dim>, Flag);
template Tensor cumprod(const Tensor&, Dim);
template Variable cumprod(const Variable&, Dim);
template WithIndices<Tensor> cummax(const Tensor&, Dim);
template WithIndices<Variable> cummax(const Variable&, Dim);
template WithIndices<Tensor> cummin(const Tensor&, Dim);
template WithIndices<Variable> cummin(const Variable&, Dim);
template Tensor diff(const Tensor&, Integer, Dim);
template Variable diff(const Variable&, Integer, Dim);

}  // namespace heed

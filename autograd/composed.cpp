// What composed.h only declares, except the reductions.
#include "autograd/composed.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "autograd/record.h"

namespace heed {

void detail::check_ranks(const char* op, const Tensor& a, int rank_of_a, const Tensor& b,
                         int rank_of_b) {
  check(a.dim() == rank_of_a && b.dim() == rank_of_b,
        "{}: the numbers of dimensions must be {} and {}, got the shapes {} and {}", op,
        rank_of_a, rank_of_b, a.shape(), b.shape());
}

Tensor detail::origins(const char* op, const Shape& shape, Dim dim, const Tensor& index) {
  const int along = normalize_dim(op, dim, shape.rank());
  check(index.dtype() == int64, "{}: the index must be int64, got {}", op,
        name(index.dtype()));
  check(index.dim() == shape.rank(), "{}: x and index must have one rank, got {} and {}",
        op, shape, index.shape());
  // The place in x, flattened, that each number of the index names.
  Tensor places = zeros(index.shape(), int64);
  const Strides strides = row_major(shape);
  for (int d = 0; d < shape.rank(); ++d) {
    const std::int64_t n = index.size(d);
    check(d == along || n <= shape[d],
          "{}: the index must be no larger than x but along dim {}, got {} and {}", op,
          along, index.shape(), shape);
    Shape line = index.shape();
    for (std::int64_t& size : line) size = 1;
    line[d] = n;
    const Tensor coordinate = d == along ? index : reshape(arange(n), line);
    places += coordinate * strides[d];
  }
  if (index.numel() > 0) {
    const auto low = min(index).item<std::int64_t>(),
               high = max(index).item<std::int64_t>();
    const std::int64_t size = shape.rank() == 0 ? 1 : shape[along];
    check(0 <= low && high < size, "{}: the index must be from 0 to {}, got {}", op,
          size - 1, low < 0 ? low : high);
  }
  Tensor from = zeros(shape, int64);
  auto* const out = from.mutable_data<std::int64_t>();
  const auto* const place = places.data<std::int64_t>();
  for (std::int64_t i = 0; i < index.numel(); ++i) out[place[i]] = i + 1;
  return from;
}

namespace {

// The permutation of movedim().
Dims moved(int rank, const Dims& source, const Dims& destination) {
  check(source.rank() == destination.rank(),
        "movedim: as many dims must be moved as places are given, got {} and {}", source,
        destination);
  std::vector<std::int64_t> order(rank, -1), others;
  for (int d = 0; d < rank; ++d) others.push_back(d);
  for (int i = 0; i < source.rank(); ++i) {
    const int from = normalize_dim("movedim", source[i], rank);
    std::int64_t& place = order[normalize_dim("movedim", destination[i], rank)];
    check(place == -1 && std::erase(others, from) == 1,
          "movedim: a dim is named twice in {} or {}", source, destination);
    place = from;
  }
  auto other = others.begin();
  for (std::int64_t& d : order) {
    if (d == -1) d = *other++;
  }
  return Dims(std::span<const std::int64_t>(order));
}

}  // namespace

template <Array X>
X detail::log_to(const X& x, double log_base) {
  return (log(x.to(float64)) / log_base).to(is_floating(x.dtype()) ? x.dtype() : float32);
}

template <Array X>
X diag(const X& x, Integer diagonal) {
  check(x.dim() == 1 || x.dim() == 2, "diag: x must be a vector or a matrix, got {}",
        x.shape());
  const std::int64_t k = diagonal;
  constexpr std::int64_t farthest = 1LL << 31;  // products of sizes stay in int64
  check(-farthest <= k && k <= farthest, "diag: diagonal must be from {} to {}, got {}",
        -farthest, farthest, k);
  const std::int64_t right = std::max<std::int64_t>(k, 0), down = right - k;
  if (x.dim() == 1) {
    const std::int64_t n = x.numel(), size = n + right + down;
    const Tensor places = arange(n) * (size + 1) + (down * size + right);
    return reshape(index_add({size * size}, 0, places, x), {size, size});
  }
  const auto [rows, columns] = x.shape().template sizes<2>();
  const std::int64_t n = std::min(rows - down, columns - right);
  const Tensor places =
      arange(std::max<std::int64_t>(n, 0)) * (columns + 1) + (down * columns + right);
  return index_select(flatten(x), 0, places);
}

template <Array X>
X round(const X& x, Integer decimals) {
  const double scale = std::pow(10.0, std::abs(std::int64_t{decimals}));
  return decimals < 0 ? round(x / scale) * scale : round(x * scale) / scale;
}

template <Array X>
X nan_to_num(const X& x, double nan, std::optional<double> posinf,
             std::optional<double> neginf) {
  if (!is_floating(x.dtype())) return x.clone();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double largest = x.dtype() == float32 ? std::numeric_limits<float>::max()
                                              : std::numeric_limits<double>::max();
  const X y = masked_fill(x, isnan(x), nan);
  const X z = masked_fill(y, x == infinity, posinf.value_or(largest));
  return masked_fill(z, x == -infinity, neginf.value_or(-largest));
}

template <Array X>
X count_nonzero(const X& x, const Dims& dims) {
  const Tensor number = sum(detail::value_of(x) != 0, dims);
  if constexpr (std::same_as<X, Tensor>)
    return number;
  else
    return record_constant("count_nonzero", number, {x});
}

template <Array X>
std::vector<X> unbind(const X& x, Dim dim) {
  const int d = existing_dim("unbind", dim, x.dim());
  auto parts = detail::list_for<X>("unbind", x.size(d));
  for (std::int64_t i = 0; i < x.size(d); ++i) parts.push_back(select(x, d, i));
  return parts;
}

template <Array X>
X hstack(const std::vector<X>& parts) {
  std::vector<X> rows;
  for (const X& x : parts) rows.push_back(x.dim() == 0 ? reshape(x, {1}) : x);
  return cat(rows, rows.empty() || rows[0].dim() == 1 ? 0 : 1);
}

template <Array X>
X vstack(const std::vector<X>& parts) {
  std::vector<X> rows;
  for (const X& x : parts) rows.push_back(x.dim() < 2 ? reshape(x, {1, -1}) : x);
  return cat(rows, 0);
}

template <Array X>
X tile(const X& x, Shape repeats) {
  while (repeats.rank() < x.dim()) repeats.insert(0, 1);
  return repeat(x, repeats);
}

template <Array X>
X movedim(const X& x, const Dims& source, const Dims& destination) {
  if (x.dim() == 0) return squeeze(movedim(unsqueeze(x, 0), source, destination), 0);
  return permute(x, moved(x.dim(), source, destination));
}

template <Array X>
X unflatten(const X& x, Dim dim, const Shape& sizes) {
  check(x.dim() > 0 && sizes.rank() > 0,
        "unflatten: there must be a dimension and sizes for it, got {} and {}", x.shape(),
        sizes);
  const int at = normalize_dim("unflatten", dim, x.dim());
  Shape shape(std::span(x.shape().begin(), at));
  for (const std::int64_t size : resolved_sizes("unflatten", {x.size(at)}, sizes)) {
    shape.push_back(size);
  }
  for (int d = at + 1; d < x.dim(); ++d) shape.push_back(x.size(d));
  return reshape(x, shape);
}

template <Array X>
X narrow(const X& x, Dim dim, Integer start, Size length) {
  const std::int64_t n = x.size(dim), first = start + (start < 0 ? n : 0);
  check(0 <= first && 0 <= length && first <= n && length <= n - first,
        "narrow: start and length must lie within the size {}, got {} and {}", n, start,
        length);
  return slice(x, dim, first, first + length);
}

template <Array X>
X roll(const X& x, Integer shift) {
  return reshape(roll(flatten(x), shift, 0), x.shape());
}

template <Array X>
X take(const X& x, const Tensor& index) {
  check(index.dtype() == int64, "take: the index must be int64, got {}",
        name(index.dtype()));
  const Tensor places = flatten(index);
  const std::int64_t n = x.numel();
  check(n > 0 || index.numel() == 0, "take: x has no elements, got {}", x.shape());
  const Tensor outside = masked_select(places, (places < -n) | (places >= n));
  check(outside.numel() == 0, "take: the indices must be from {} to {}, got {}", -n,
        n - 1, outside);
  const Tensor from_start = where(places < 0, places + n, places);
  return reshape(index_select(flatten(x), 0, from_start), index.shape());
}

template <Array X>
X take_along_dim(const X& x, const Tensor& index, std::optional<Dim> dim) {
  if (!dim) return gather(flatten(x), 0, flatten(index));
  check(x.dim() == index.dim(),
        "take_along_dim: x and index must have one rank, got {} and {}", x.shape(),
        index.shape());
  const int d = normalize_dim("take_along_dim", *dim, x.dim());
  if (x.dim() == 0) return gather(x, d, index);
  Shape of_x = x.shape(), of_index = index.shape();
  of_x[d] = of_index[d] = 1;
  Shape shape = broadcast("take_along_dim", of_x, of_index);
  shape[d] = x.size(d);
  const X everywhere = expand(x, shape);
  shape[d] = index.size(d);
  return gather(everywhere, d, expand(index, shape));
}

template <Array X>
X cartesian_prod(const std::vector<X>& vectors) {
  for (const X& x : vectors) {
    check(x.dim() == 1, "cartesian_prod: each must be a vector, got {}", x.shape());
  }
  if (vectors.size() == 1) return vectors[0];
  std::vector<Tensor> numbers;
  for (const X& x : vectors) numbers.push_back(arange(x.size(0)));
  const std::vector<Tensor> grids = meshgrid(numbers);
  std::vector<X> columns;
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    columns.push_back(index_select(vectors[i], 0, flatten(grids[i])));
  }
  return stack(columns, 1);
}

// For both kinds.
template Tensor detail::log_to(const Tensor&, double);
template Variable detail::log_to(const Variable&, double);
template Tensor diag(const Tensor&, Integer);
template Variable diag(const Variable&, Integer);
template Tensor round(const Tensor&, Integer);
template Variable round(const Variable&, Integer);
template Tensor nan_to_num(const Tensor&, double, std::optional<double>,
                           std::optional<double>);
template Variable nan_to_num(const Variable&, double, std::optional<double>,
                             std::optional<double>);
template Tensor count_nonzero(const Tensor&, const Dims&);
template Variable count_nonzero(const Variable&, const Dims&);
template std::vector<Tensor> unbind(const Tensor&, Dim);
template std::vector<Variable> unbind(const Variable&, Dim);
template Tensor hstack(const std::vector<Tensor>&);
template Variable hstack(const std::vector<Variable>&);
template Tensor vstack(const std::vector<Tensor>&);
template Variable vstack(const std::vector<Variable>&);
template Tensor tile(const Tensor&, Shape);
template Variable tile(const Variable&, Shape);
template Tensor movedim(const Tensor&, const Dims&, const Dims&);
template Variable movedim(const Variable&, const Dims&, const Dims&);
template Tensor unflatten(const Tensor&, Dim, const Shape&);
template Variable unflatten(const Variable&, Dim, const Shape&);
template Tensor narrow(const Tensor&, Dim, Integer, Size);
template Variable narrow(const Variable&, Dim, Integer, Size);
template Tensor roll(const Tensor&, Integer);
template Variable roll(const Variable&, Integer);
template Tensor take(const Tensor&, const Tensor&);
template Variable take(const Variable&, const Tensor&);
template Tensor take_along_dim(const Tensor&, const Tensor&, std::optional<Dim>);
template Variable take_along_dim(const Variable&, const Tensor&, std::optional<Dim>);
template Tensor cartesian_prod(const std::vector<Tensor>&);
template Variable cartesian_prod(const std::vector<Variable>&);

}  // namespace heed

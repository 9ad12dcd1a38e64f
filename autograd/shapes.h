// More of PyTorch's functions of shapes, as composed.h has them.
#pragma once

#include <algorithm>
#include <vector>

#include "autograd/composed.h"
#include "tensor/indexing/indexing.h"
#include "tensor/reduce/reductions.h"

namespace heed {

// x with leading sizes of 1 up to the rank; in three dimensions a vector lies in the
// second one and a matrix in the first two.
template <Array X>
X atleast_1d(const X& x) {
  return x.dim() == 0 ? unsqueeze(x, 0) : x;
}
template <Array X>
X atleast_2d(const X& x) {
  return x.dim() < 2 ? unsqueeze(atleast_1d(x), 0) : x;
}
template <Array X>
X atleast_3d(const X& x) {
  return x.dim() < 3 ? unsqueeze(atleast_2d(x), -1) : x;
}

// Pieces along `dim` that begin at the indices.
template <Array X>
std::vector<X> tensor_split(const X& x, const std::vector<std::int64_t>& indices,
                            Dim dim = 0) {
  (void)existing_dim("tensor_split", dim, x.dim());
  std::vector<X> parts;
  std::int64_t begin = 0;
  for (const std::int64_t end : indices) {
    parts.push_back(slice(x, dim, begin, end));
    begin = end;
  }
  parts.push_back(slice(x, dim, begin));
  return parts;
}
template <Array X>
std::vector<X> tensor_split(const X& x, std::initializer_list<Integer> indices,
                            Dim dim = 0) {
  return tensor_split(x, std::vector<std::int64_t>(indices.begin(), indices.end()), dim);
}
// So many pieces, the first ones longer by 1 where the size is no multiple. Throws Error
// unless there is at least one.
template <Array X>
std::vector<X> tensor_split(const X& x, Integer sections, Dim dim = 0) {
  check(sections >= 1, "tensor_split: there must be at least one piece, got {}",
        std::int64_t{sections});
  const std::int64_t total = x.size(existing_dim("tensor_split", dim, x.dim()));
  const std::int64_t size = total / sections, longer = total % sections;
  auto parts = detail::list_for<X>("tensor_split", sections);
  for (std::int64_t i = 0, begin = 0; i < sections; ++i) {
    const std::int64_t end = begin + size + (i < longer);
    parts.push_back(slice(x, dim, begin, end));
    begin = end;
  }
  return parts;
}

// Turned k times by a quarter in the plane of two dimensions, from the first to the
// second.
template <Array X>
X rot90(const X& x, Integer k = 1, const Dims& dims = {0, 1}) {
  check(dims.rank() == 2 && normalize_dim("rot90", dims[0], x.dim()) !=
                                normalize_dim("rot90", dims[1], x.dim()),
        "rot90: two different dimensions must be named, got {}", dims);
  switch ((k % 4 + 4) % 4) {
    case 1: return flip(transpose(x, dims[0], dims[1]), dims[0]);
    case 2: return flip(x, dims);
    case 3: return flip(transpose(x, dims[0], dims[1]), dims[1]);
    default: return x.clone();
  }
}

// Element i of the flattened x repeats[i] times.
template <Array X>
X repeat_interleave(const X& x, const Tensor& repeats) {
  return repeat_interleave(flatten(x), repeats, 0);
}

// All choices of r elements of the vector x, in order: (choices, r).
template <Array X>
X combinations(const X& x, Integer r = 2, bool with_replacement = false) {
  check(x.dim() == 1, "combinations: x must be a vector, got {}", x.shape());
  check(r >= 1, "combinations: r must be at least 1, got {}", std::int64_t{r});
  const std::int64_t n = x.size(0);
  (void)count({n, r});  // n + r does not overflow
  // A choice that may repeat numbers is one of n + r - 1 numbers, less i at place i.
  const Tensor index = with_replacement ? combination_indices(n + r - 1, r) - arange(r)
                                        : combination_indices(n, r);
  return reshape(index_select(x, 0, flatten(index)), index.shape());
}

// The area under the points (x, y) along `dim`, x of y's shape or a vector; or of points
// at the distance dx. Throws Error when x is neither.
template <Array Y, Array X>
Joint<Y, X> trapezoid(const Y& y, const X& x, Dim dim = -1) {
  (void)existing_dim("trapezoid", dim, y.dim());
  if (x.dim() == 1 && y.dim() > 1 && x.size(0) == y.size(dim)) {
    const X points = transpose(expand(x, transpose(y, dim, -1).shape()), dim, -1);
    return trapezoid(y, points, dim);
  }
  check(x.shape() == y.shape(),
        "trapezoid: x must be like y, {}, or a vector of {} numbers, got {}", y.shape(),
        y.size(dim), x.shape());
  return sum((slice(y, dim, 1) + slice(y, dim, 0, -1)) * diff(x, 1, dim), dim) / 2;
}
template <Array Y>
Y trapezoid(const Y& y, double dx = 1, Dim dim = -1) {
  (void)existing_dim("trapezoid", dim, y.dim());
  return sum(slice(y, dim, 1) + slice(y, dim, 0, -1), dim) * (dx / 2);
}

}  // namespace heed

#include "tensor/reduce/reduce.h"

#include <array>

#include "tensor/core/memory_order.h"

namespace heed {
namespace {

// The dimensions of x in a new order, as a view; without the checks of permute.
Tensor reordered(const Tensor& x, const Dims& order) {
  Shape shape;
  Strides strides;
  for (int i = 0; i < order.rank(); ++i) {
    const auto d = static_cast<int>(order[i]);
    shape.push_back(x.shape()[d]);
    strides.push_back(x.strides()[d]);
  }
  return Tensor(x.storage(), x.offset(), shape, strides, x.dtype());
}

// Whether the kept dimensions follow each other in x's own order, so that the results
// need no reordering, and the reduced ones lie together. Those of size 1 lie nowhere.
bool fits(const Shape& shape, const Dims& order,
          const std::array<bool, max_rank>& reduce) {
  std::int64_t kept = -1;
  int runs = 0;
  bool inside = false;
  for (std::int64_t d : order) {
    if (shape[static_cast<int>(d)] == 1) continue;
    const bool now = reduce[static_cast<std::size_t>(d)];
    runs += now && !inside;
    inside = now;
    if (now) continue;
    if (d < kept) return false;
    kept = d;
  }
  return runs <= 1;
}

Tensor as_outer_n_inner(const Tensor& dense, const Reduced& r) {
  const Shape shape{r.outer, r.n, r.inner};
  return Tensor(dense.storage(), dense.offset(), shape, row_major(shape), dense.dtype());
}

}  // namespace

Reduced reduced(std::string_view op, const Tensor& x, const Dims& dims, Flag keepdim) {
  Reduced result;
  std::array<bool, max_rank> reduce{};
  for (std::int64_t dim : dims) {
    const int d = normalize_dim(op, dim, x.dim());
    check(!reduce[d], "{}: dim {} is named twice", op, d);
    reduce[d] = true;
  }
  if (dims.rank() == 0) reduce.fill(true);
  for (int d = 0; d < x.dim(); ++d) {
    if (!reduce[d]) {
      result.shape.push_back(x.shape()[d]);
    } else if (keepdim) {
      result.shape.push_back(1);
    }
  }
  Dims order;
  bool dense = x.is_contiguous();
  if (dense) {
    for (int d = 0; d < x.dim(); ++d) order.push_back(d);
  } else {
    order = memory_order(x.shape(), x.strides());
    dense = reordered(x, order).is_contiguous();
  }
  Tensor elements = x;
  if (!dense ||
      !fits(x.shape(), order, reduce)) {  // a copy, with the reduced dimensions last
    order = Dims{};
    for (const bool now : {false, true}) {
      for (int d = 0; d < x.dim(); ++d) {
        if (reduce[d] == now) order.push_back(d);
      }
    }
    elements = reordered(x, order).contiguous();
  }
  bool before = true;
  for (std::int64_t d : order) {
    const std::int64_t size = x.shape()[static_cast<int>(d)];
    if (reduce[static_cast<std::size_t>(d)]) {
      result.n *= size;
      before = before && size == 1;
    } else {
      (before ? result.outer : result.inner) *= size;
    }
  }
  result.elements = as_outer_n_inner(elements, result);
  return result;
}

Reduced along(std::string_view op, const Tensor& x, Dim dim) {
  Reduced result;
  const int along = normalize_dim(op, dim, x.dim());
  result.shape = x.shape();
  for (int d = 0; d < x.dim(); ++d) {
    std::int64_t& size = d < along ? result.outer : d == along ? result.n : result.inner;
    size *= x.shape()[d];
  }
  result.elements = as_outer_n_inner(x.contiguous(), result);
  return result;
}

}  // namespace heed

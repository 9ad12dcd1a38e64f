#include "autograd/indexing.h"

#include <algorithm>

#include "autograd/record.h"
#include "autograd/views.h"
#include "tensor/core/factories.h"

namespace heed {

// Picking and putting back: each is the other's derivative.

// x[.., index, ..]
Variable index_select(const Variable& x, Dim dim, const Tensor& index) {
  return record({"index_select", "dx = zeros with g added at the index"},
                index_select(x.value(), dim, index),
                rule(x, save(index), [shape = x.shape(), dim](auto& g, auto& index) {
                  return index_add(shape, dim, index.value(), g);
                }));
}

Variable index_add(const Shape& shape, Dim dim, const Tensor& index, const Variable& x) {
  return record(
      {"index_add", "dx = g at the index"}, index_add(shape, dim, index, x.value()),
      rule(x, save(index),
           [dim](auto& g, auto& index) { return index_select(g, dim, index.value()); }));
}

Variable gather(const Variable& x, Dim dim, const Tensor& index) {
  return record({"gather", "dx = zeros with g added at the index"},
                gather(x.value(), dim, index),
                rule(x, save(index), [shape = x.shape(), dim](auto& g, auto& index) {
                  return scatter_add(shape, dim, index.value(), g);
                }));
}

Variable scatter_add(const Shape& shape, Dim dim, const Tensor& index,
                     const Variable& x) {
  return record(
      {"scatter_add", "dx = g at the index"}, scatter_add(shape, dim, index, x.value()),
      rule(x, save(index),
           [dim](auto& g, auto& index) { return gather(g, dim, index.value()); }));
}

Variable masked_select(const Variable& x, const Tensor& mask) {
  const Shape shape = broadcast("masked_select", x.shape(), mask.shape());
  return record({"masked_select", "dx = zeros with g where the mask holds"},
                masked_select(x.value(), mask),
                rule(x, save(mask), [shape](auto& g, auto& mask) {
                  return masked_scatter(shape, mask.value(), g);
                }));
}

Variable masked_scatter(const Shape& shape, const Tensor& mask, const Variable& x) {
  return record({"masked_scatter", "dx = g where the mask holds"},
                masked_scatter(shape, mask, x.value()),
                rule(x, save(mask),
                     [](auto& g, auto& mask) { return masked_select(g, mask.value()); }));
}

Variable slice_scatter(const Shape& shape, const Variable& x, Dim dim, Integer start,
                       Integer step) {
  return record({"slice_scatter", "dx = the slice of g"},
                slice_scatter(shape, x.value(), dim, start, step),
                rule(x, [n = x.size(dim), dim, start, step](auto& g) {
                  return slice(slice(g, dim, start, to_end, step), dim, 0, n);
                }));
}

Variable select_scatter(const Shape& shape, const Variable& x, Dim dim, Integer index) {
  return record({"select_scatter", "dx = the element of g"},
                select_scatter(shape, x.value(), dim, index),
                rule(x, [dim, index](auto& g) { return select(g, dim, index); }));
}

// The upper or lower triangle
Variable triu(const Variable& x, Integer diagonal) {
  return record({"triu", "dx = the triangle of g"}, triu(x.value(), diagonal),
                rule(x, [diagonal](auto& g) { return triu(g, diagonal); }));
}

Variable tril(const Variable& x, Integer diagonal) {
  return record({"tril", "dx = the triangle of g"}, tril(x.value(), diagonal),
                rule(x, [diagonal](auto& g) { return tril(g, diagonal); }));
}

Variable diagonal(const Variable& x) {
  check(x.dim() == 2, "diagonal: x must be a matrix, got {}", x.shape());
  const std::int64_t n = std::min(x.size(0), x.size(1));
  return squeeze(gather(slice(x, 0, 0, n), 1, unsqueeze(arange(n), 1)), 1);
}

}  // namespace heed

#include "autograd/indexing.h"

#include "autograd/record.h"
#include "autograd/views.h"

namespace heed {

// Picking and putting back: each is the other's derivative.

// x[.., index, ..]
Variable index_select(const Variable& x, std::int64_t dim, const Tensor& index) {
  return record({"index_select", "dx = zeros with g added at the index"},
                index_select(x.value(), dim, index), inputs(x), keep(index),
                [shape = x.shape(), dim](const Kept& k, const Variable& g) {
                  return index_add(shape, dim, k[0].value(), g);
                });
}

Variable index_add(const Shape& shape, std::int64_t dim, const Tensor& index,
                   const Variable& x) {
  return record({"index_add", "dx = g at the index"},
                index_add(shape, dim, index, x.value()), inputs(x), keep(index),
                [dim](const Kept& k, const Variable& g) {
                  return index_select(g, dim, k[0].value());
                });
}

Variable gather(const Variable& x, std::int64_t dim, const Tensor& index) {
  return record({"gather", "dx = zeros with g added at the index"},
                gather(x.value(), dim, index), inputs(x), keep(index),
                [shape = x.shape(), dim](const Kept& k, const Variable& g) {
                  return scatter_add(shape, dim, k[0].value(), g);
                });
}

Variable scatter_add(const Shape& shape, std::int64_t dim, const Tensor& index,
                     const Variable& x) {
  return record(
      {"scatter_add", "dx = g at the index"}, scatter_add(shape, dim, index, x.value()),
      inputs(x), keep(index),
      [dim](const Kept& k, const Variable& g) { return gather(g, dim, k[0].value()); });
}

Variable masked_select(const Variable& x, const Tensor& mask) {
  const Shape shape = broadcast("masked_select", x.shape(), mask.shape());
  return record({"masked_select", "dx = zeros with g where the mask holds"},
                masked_select(x.value(), mask), inputs(x), keep(mask),
                [shape](const Kept& k, const Variable& g) {
                  return masked_scatter(shape, k[0].value(), g);
                });
}

Variable masked_scatter(const Shape& shape, const Tensor& mask, const Variable& x) {
  return record(
      {"masked_scatter", "dx = g where the mask holds"},
      masked_scatter(shape, mask, x.value()), inputs(x), keep(mask),
      [](const Kept& k, const Variable& g) { return masked_select(g, k[0].value()); });
}

Variable slice_scatter(const Shape& shape, const Variable& x, std::int64_t dim,
                       std::int64_t start, std::int64_t step) {
  return record({"slice_scatter", "dx = the slice of g"},
                slice_scatter(shape, x.value(), dim, start, step), inputs(x), keep(),
                [n = x.size(dim), dim, start, step](const Variable& g) {
                  return slice(slice(g, dim, start, to_end, step), dim, 0, n);
                });
}

Variable select_scatter(const Shape& shape, const Variable& x, std::int64_t dim,
                        std::int64_t index) {
  return record({"select_scatter", "dx = the element of g"},
                select_scatter(shape, x.value(), dim, index), inputs(x), keep(),
                [dim, index](const Variable& g) { return select(g, dim, index); });
}

// The upper or lower triangle
Variable triu(const Variable& x, std::int64_t diagonal) {
  return record({"triu", "dx = the triangle of g"}, triu(x.value(), diagonal), inputs(x),
                keep(), [diagonal](const Variable& g) { return triu(g, diagonal); });
}

Variable tril(const Variable& x, std::int64_t diagonal) {
  return record({"tril", "dx = the triangle of g"}, tril(x.value(), diagonal), inputs(x),
                keep(), [diagonal](const Variable& g) { return tril(g, diagonal); });
}

}  // namespace heed

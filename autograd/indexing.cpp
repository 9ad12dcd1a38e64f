#include "autograd/indexing.h"

#include "autograd/record.h"
#include "autograd/reductions.h"
#include "autograd/views.h"
#include "tensor/factories.h"

namespace heed {

// --- picking and putting back: each is the other's derivative

// x[.., index, ..]         dx = zeros with g added there
Variable index_select(const Variable& x, std::int64_t dim, const Tensor& index) {
  return record("index_select", index_select(x.value(), dim, index), inputs(x),
                keep(index),
                [shape = x.shape(), dim](const Kept& k, const Variable& g) {
                  return index_add(shape, dim, k[0].value(), g);
                });
}

Variable index_add(const Shape& shape, std::int64_t dim, const Tensor& index,
                   const Variable& x) {
  return record("index_add", index_add(shape, dim, index, x.value()), inputs(x),
                keep(index), [dim](const Kept& k, const Variable& g) {
                  return index_select(g, dim, k[0].value());
                });
}

Variable gather(const Variable& x, std::int64_t dim, const Tensor& index) {
  return record("gather", gather(x.value(), dim, index), inputs(x), keep(index),
                [shape = x.shape(), dim](const Kept& k, const Variable& g) {
                  return scatter_add(shape, dim, k[0].value(), g);
                });
}

Variable scatter_add(const Shape& shape, std::int64_t dim, const Tensor& index,
                     const Variable& x) {
  return record("scatter_add", scatter_add(shape, dim, index, x.value()), inputs(x),
                keep(index), [dim](const Kept& k, const Variable& g) {
                  return gather(g, dim, k[0].value());
                });
}

Variable masked_select(const Variable& x, const Tensor& mask) {
  const Shape shape = broadcast("masked_select", x.shape(), mask.shape());
  return record("masked_select", masked_select(x.value(), mask), inputs(x), keep(mask),
                [shape](const Kept& k, const Variable& g) {
                  return masked_scatter(shape, k[0].value(), g);
                });
}

Variable masked_scatter(const Shape& shape, const Tensor& mask, const Variable& x) {
  return record("masked_scatter", masked_scatter(shape, mask, x.value()), inputs(x),
                keep(mask), [](const Kept& k, const Variable& g) {
                  return masked_select(g, k[0].value());
                });
}

Variable slice_scatter(const Shape& shape, const Variable& x, std::int64_t dim,
                       std::int64_t start, std::int64_t step) {
  return record("slice_scatter", slice_scatter(shape, x.value(), dim, start, step),
                inputs(x), keep(),
                [n = x.size(dim), dim, start, step](const Variable& g) {
                  return slice(slice(g, dim, start, to_end, step), dim, 0, n);
                });
}

Variable select_scatter(const Shape& shape, const Variable& x, std::int64_t dim,
                        std::int64_t index) {
  return record("select_scatter", select_scatter(shape, x.value(), dim, index), inputs(x),
                keep(),
                [dim, index](const Variable& g) { return select(g, dim, index); });
}

// --- joining

// [a, b, ...]              da = g's slice where a went
Variable cat(std::span<const Variable> parts, std::int64_t dim) {
  std::vector<Tensor> values;
  for (const Variable& part : parts) values.push_back(part.value());
  Tensor joined = cat(values, dim);
  std::vector<std::int64_t> starts = {0};
  for (const Tensor& value : values) starts.push_back(starts.back() + value.size(dim));
  return record_list("cat", std::move(joined), parts,
                     [starts = std::move(starts), dim](int i, const Variable& g) {
                       return slice(g, dim, starts[i], starts[i + 1]);
                     });
}

// [a, b, ...]              da = g's element where a went
Variable stack(std::span<const Variable> parts, std::int64_t dim) {
  std::vector<Tensor> values;
  for (const Variable& part : parts) values.push_back(part.value());
  return record_list("stack", stack(values, dim), parts,
                     [dim](int i, const Variable& g) { return select(g, dim, i); });
}

Variable cat(std::initializer_list<Variable> parts, std::int64_t dim) {
  return cat(std::span(parts.begin(), parts.size()), dim);
}

Variable stack(std::initializer_list<Variable> parts, std::int64_t dim) {
  return stack(std::span(parts.begin(), parts.size()), dim);
}

// --- repeating: the gradients of the copies are summed

namespace {

// The sum over `copies` blocks of dimension `dim`: size n copies -> n, where the copies
// are whole blocks (repeat) or neighbours (repeat_interleave).
Variable sum_copies(const Variable& g, int dim, std::int64_t copies, bool neighbours) {
  Shape split;
  Shape merged;
  std::int64_t before = 1, after = 1;
  for (int d = 0; d < dim; ++d) before *= g.shape()[d];
  for (int d = dim + 1; d < g.dim(); ++d) after *= g.shape()[d];
  const std::int64_t n = copies ? g.shape()[dim] / copies : 0;
  split = neighbours ? Shape{before, n, copies, after} : Shape{before, copies, n, after};
  merged = g.shape();
  merged[dim] = n;
  return reshape(sum(reshape(g, split), neighbours ? 2 : 1), merged);
}

}  // namespace

Variable repeat(const Variable& x, const Shape& repeats) {
  return record("repeat", repeat(x.value(), repeats), inputs(x), keep(),
                [repeats, shape = x.shape()](const Variable& g) {
                  Variable sums = g;
                  const int lead = repeats.rank() - shape.rank();
                  for (int d = 0; d < repeats.rank(); ++d) {
                    if (repeats[d] == 0) return Variable(zeros(shape, g.dtype()));
                    if (d < lead && repeats[d] != 1) {
                      sums = sum(sums, d, true);
                    } else if (repeats[d] != 1) {
                      sums = sum_copies(sums, d, repeats[d], false);
                    }
                  }
                  return reshape(sums, shape);
                });
}

Variable repeat_interleave(const Variable& x, std::int64_t repeats, std::int64_t dim) {
  return record("repeat_interleave", repeat_interleave(x.value(), repeats, dim),
                inputs(x), keep(), [repeats, dim, shape = x.shape()](const Variable& g) {
                  if (repeats == 0) return Variable(zeros(shape, g.dtype()));
                  const int d = normalize_dim("repeat_interleave", dim, g.dim());
                  return reshape(sum_copies(g, d, repeats, true), shape);
                });
}

Variable repeat_interleave(const Variable& x, std::int64_t repeats) {
  return repeat_interleave(reshape(x, {x.numel()}), repeats, 0);
}

Variable repeat_interleave(const Variable& x, const Tensor& repeats, std::int64_t dim) {
  check(x.dim() > 0, "repeat_interleave: a scalar has no dimension to repeat along");
  check(repeats.dim() == 1 && repeats.size(0) == x.size(dim),
        "repeat_interleave: one number of repeats a slice, got {} for {} slices",
        repeats.shape(), x.size(dim));
  const Tensor index = repeat_interleave(arange(x.size(dim)), repeats, 0);
  return index_select(x, dim, index);
}

// --- order

// x reversed               dx = g reversed
Variable flip(const Variable& x, const Dims& dims) {
  return record("flip", flip(x.value(), dims), inputs(x), keep(),
                [dims](const Variable& g) { return flip(g, dims); });
}

// The upper or lower triangle         dx = the same triangle of g
Variable triu(const Variable& x, std::int64_t diagonal) {
  return record("triu", triu(x.value(), diagonal), inputs(x), keep(),
                [diagonal](const Variable& g) { return triu(g, diagonal); });
}

Variable tril(const Variable& x, std::int64_t diagonal) {
  return record("tril", tril(x.value(), diagonal), inputs(x), keep(),
                [diagonal](const Variable& g) { return tril(g, diagonal); });
}

// dx = zeros with g at the indices
Variable picked(const char* op, Tensor values, const Variable& x, std::int64_t dim,
                const Tensor& indices) {
  return record(op, std::move(values), inputs(x), keep(indices),
                [dim, shape = x.shape()](const Kept& k, const Variable& g) {
                  if (g.dim() == static_cast<int>(shape.rank())) {
                    return scatter_add(shape, dim, k[0].value(), g);
                  }
                  return scatter_add(shape, dim, unsqueeze(k[0].value(), dim),
                                     unsqueeze(g, dim));
                });
}

WithIndices<Variable> sort(const Variable& x, std::int64_t dim, bool descending) {
  auto [values, indices] = sort(x.value(), dim, descending);
  return {picked("sort", std::move(values), x, dim, indices), indices};
}

Variable argsort(const Variable& x, std::int64_t dim, bool descending) {
  return record_constant("argsort", argsort(x.value(), dim, descending), {&x});
}

WithIndices<Variable> topk(const Variable& x, std::int64_t k, std::int64_t dim,
                           bool largest) {
  auto [values, indices] = topk(x.value(), k, dim, largest);
  return {picked("topk", std::move(values), x, dim, indices), indices};
}

// y_i = Σ_{j<=i} x_j       dx_j = Σ_{i>=j} g_i
Variable cumsum(const Variable& x, std::int64_t dim) {
  return record("cumsum", cumsum(x.value(), dim), inputs(x), keep(),
                [dim](const Variable& g) {
                  return flip(cumsum(flip(g, {dim}), dim), {dim});
                });
}

}  // namespace heed

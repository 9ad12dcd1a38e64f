#include "autograd/joining.h"

#include <vector>

#include "autograd/indexing.h"
#include "autograd/record.h"
#include "autograd/reductions.h"
#include "autograd/views.h"
#include "tensor/core/factories.h"

namespace heed {

// [a, b, ...]
Variable cat(std::span<const Variable> parts, Dim dim) {
  std::vector<Tensor> values;
  for (const Variable& part : parts) values.push_back(part.value());
  Tensor joined = cat(values, dim);
  std::vector<std::int64_t> starts = {0};
  for (const Tensor& value : values) starts.push_back(starts.back() + value.size(dim));
  return record({"cat", "da = the slice of g where a went"}, std::move(joined), parts,
                [starts = std::move(starts), dim](int i, const Variable& g) {
                  return slice(g, dim, starts[i], starts[i + 1]);
                });
}

// [a, b, ...]
Variable stack(std::span<const Variable> parts, Dim dim) {
  std::vector<Tensor> values;
  for (const Variable& part : parts) values.push_back(part.value());
  return record({"stack", "da = the element of g where a went"}, stack(values, dim),
                parts, [dim](int i, const Variable& g) { return select(g, dim, i); });
}

Variable cat(std::initializer_list<Variable> parts, Dim dim) {
  return cat(std::span(parts.begin(), parts.size()), dim);
}

Variable stack(std::initializer_list<Variable> parts, Dim dim) {
  return stack(std::span(parts.begin(), parts.size()), dim);
}

// --- repeating: the gradients of the copies are summed

namespace {

// The sum over `copies` blocks of dimension `dim`: size n copies -> n, where the copies
// are whole blocks (repeat) or neighbours (repeat_interleave); there is at least one.
Variable sum_copies(const Variable& g, int dim, std::int64_t copies, bool neighbours) {
  std::int64_t before = 1, after = 1;
  for (int d = 0; d < dim; ++d) before *= g.shape()[d];
  for (int d = dim + 1; d < g.dim(); ++d) after *= g.shape()[d];
  const std::int64_t n = g.shape()[dim] / copies;
  const Shape split =
      neighbours ? Shape{before, n, copies, after} : Shape{before, copies, n, after};
  Shape merged = g.shape();
  merged[dim] = n;
  return reshape(sum(reshape(g, split), neighbours ? 2 : 1), merged);
}

}  // namespace

Variable repeat(const Variable& x, const Shape& repeats) {
  return record({"repeat", "dx = the sum of g over the copies"},
                repeat(x.value(), repeats),
                rule(x, [repeats, shape = x.shape()](auto& g) {
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
                }));
}

Variable repeat_interleave(const Variable& x, Integer repeats, Dim dim) {
  return record({"repeat_interleave", "dx = the sum of g over the copies"},
                repeat_interleave(x.value(), repeats, dim),
                rule(x, [repeats, dim, shape = x.shape()](auto& g) {
                  if (repeats == 0) return Variable(zeros(shape, g.dtype()));
                  const int d = normalize_dim("repeat_interleave", dim, g.dim());
                  return reshape(sum_copies(g, d, repeats, true), shape);
                }));
}

Variable repeat_interleave(const Variable& x, Integer repeats) {
  return repeat_interleave(reshape(x, {x.numel()}), repeats, 0);
}

Variable repeat_interleave(const Variable& x, const Tensor& repeats, Dim dim) {
  Tensor value = repeat_interleave(x.value(), repeats, dim);
  const Tensor index = repeat_interleave(arange(x.size(dim)), repeats, 0);
  return record({"repeat_interleave", "dx = the sum of g over the copies"},
                std::move(value),
                rule(x, save(index), [shape = x.shape(), dim](auto& g, auto& index) {
                  return index_add(shape, dim, index.value(), g);
                }));
}

// x reversed
Variable flip(const Variable& x, const Dims& dims) {
  return record({"flip", "dx = g reversed"}, flip(x.value(), dims),
                rule(x, [dims](auto& g) { return flip(g, dims); }));
}

// x moved on
Variable roll(const Variable& x, Integer shift, Dim dim) {
  return record({"roll", "dx = g moved back"}, roll(x.value(), shift, dim),
                rule(x, [shift, dim](auto& g) {
                  // The lowest shift has no negative.
                  const std::int64_t size = std::max<std::int64_t>(g.size(dim), 1);
                  return roll(g, -(shift % size), dim);
                }));
}

}  // namespace heed

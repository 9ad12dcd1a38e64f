#include "tensor/indexing/joining.h"

#include "tensor/core/views.h"
#include "tensor/indexing/indexing.h"

namespace heed {
namespace {

// How often something is repeated must be a size.
void check_repeats(std::string_view op, std::int64_t repeats) {
  check(repeats >= 0, "{}: the repeats must not be negative, got {}", op, repeats);
}

// Cuts the elements of x into blocks of `block` and lays each down `repeats` times.
Tensor repeat_blocks(const Tensor& x, std::int64_t block, std::int64_t repeats,
                     const Shape& shape) {
  Tensor result = empty(shape, x.dtype());
  if (result.numel() == 0) return result;
  const std::int64_t blocks = x.numel() / block;
  view(result, {blocks, repeats, block}).copy_(reshape(x, {blocks, 1, block}));
  return result;
}

// The number of elements below one index of dimension d.
std::int64_t elements_below(const Tensor& x, int d) {
  std::int64_t product = 1;
  for (int i = d + 1; i < x.dim(); ++i) product *= x.shape()[i];
  return product;
}

// x with dimension d laid side by side `repeats` times.
Tensor tile(const Tensor& x, int d, std::int64_t repeats) {
  Shape shape = x.shape();
  shape[d] = count({shape[d], repeats});
  return repeat_blocks(x, x.shape()[d] * elements_below(x, d), repeats, shape);
}

}  // namespace

Tensor cat(std::span<const Tensor> tensors, Dim dim) {
  check(!tensors.empty(), "cat: the list of tensors must not be empty");
  const Tensor& first = tensors[0];
  check(first.dim() > 0, "cat: scalars have no dimension to join; stack() them?");
  const int d = normalize_dim("cat", dim, first.dim());
  Shape shape = first.shape();
  shape[d] = 0;
  for (const Tensor& x : tensors) {
    check_same_dtype("cat", first, x);
    bool fits = x.dim() == first.dim();
    for (int i = 0; fits && i < x.dim(); ++i) fits = i == d || x.shape()[i] == shape[i];
    check(fits, "cat: the sizes must be equal but along dim {}, got {} and {}", d,
          first.shape(), x.shape());
    shape[d] += x.shape()[d];
    count(shape);  // throws before the sum could overflow
  }
  Tensor result = empty(shape, first.dtype());
  std::int64_t at = 0;
  for (const Tensor& x : tensors) {
    const std::int64_t length = x.shape()[d];
    slice(result, d, at, at + length).copy_(x);
    at += length;
  }
  return result;
}

Tensor cat(std::initializer_list<Tensor> tensors, Dim dim) {
  return cat(std::span(tensors.begin(), tensors.size()), dim);
}

Tensor stack(std::span<const Tensor> tensors, Dim dim) {
  check(!tensors.empty(), "stack: the list of tensors must not be empty");
  const Tensor& first = tensors[0];
  const int d = normalize_dim("stack", dim, first.dim() + 1);
  for (const Tensor& x : tensors) {
    check_same_dtype("stack", first, x);
    check(x.shape() == first.shape(), "stack: the shapes must be equal, got {} and {}",
          first.shape(), x.shape());
  }
  Shape shape = first.shape();
  shape.insert(d, static_cast<std::int64_t>(tensors.size()));
  Tensor result = empty(shape, first.dtype());
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    select(result, d, static_cast<std::int64_t>(i)).copy_(tensors[i]);
  }
  return result;
}

Tensor stack(std::initializer_list<Tensor> tensors, Dim dim) {
  return stack(std::span(tensors.begin(), tensors.size()), dim);
}

Tensor repeat(const Tensor& x, const Shape& repeats) {
  const int lead = repeats.rank() - x.dim();
  check(lead >= 0, "repeat: at least one number per dimension, got {} for the shape {}",
        repeats, x.shape());
  Shape sizes = repeats;  // x's shape with the new dimensions, of size 1
  Shape shape = repeats;  // the result's
  for (int d = 0; d < repeats.rank(); ++d) {
    check_repeats("repeat", repeats[d]);
    sizes[d] = d < lead ? 1 : x.shape()[d - lead];
    shape[d] = count({sizes[d], repeats[d]});
  }
  if (count(shape) == 0) return empty(shape, x.dtype());
  // A size of 1 repeats in the broadcast of the last copy, the others one by one.
  Tensor tiled = reshape(x, sizes);
  for (int d = 0; d < repeats.rank(); ++d) {
    if (sizes[d] != 1 && repeats[d] != 1) tiled = tile(tiled, d, repeats[d]);
  }
  const bool done = tiled.shape() == shape && tiled.storage() != x.storage();
  return done ? tiled : empty(shape, x.dtype()).copy_(tiled);
}

Tensor repeat_interleave(const Tensor& x, Integer repeats) {
  check_repeats("repeat_interleave", repeats);
  return repeat_blocks(x, 1, repeats, {count({x.numel(), repeats})});
}

Tensor repeat_interleave(const Tensor& x, Integer repeats, Dim dim) {
  const int d = existing_dim("repeat_interleave", dim, x.dim());
  check_repeats("repeat_interleave", repeats);
  Shape shape = x.shape();
  shape[d] = count({shape[d], repeats});
  return repeat_blocks(x, elements_below(x, d), repeats, shape);
}

Tensor repeat_interleave(const Tensor& x, const Tensor& repeats, Dim dim) {
  const int d = existing_dim("repeat_interleave", dim, x.dim());
  const std::int64_t slices = x.shape()[d];
  check(repeats.dtype() == int64, "repeat_interleave: the repeats must be int64, got {}",
        name(repeats.dtype()));
  check(repeats.shape() == Shape{slices},
        "repeat_interleave: there must be one number per slice, shape ({}), got {}",
        slices, repeats.shape());
  const Tensor dense = repeats.contiguous();
  const std::int64_t* times = dense.data<std::int64_t>();
  Shape total{0};
  for (std::int64_t i = 0; i < slices; ++i) {
    check_repeats("repeat_interleave", times[i]);
    total[0] += count({times[i]});
    count(total);  // throws before the sum could overflow
  }
  Tensor index = empty(total, int64);
  std::int64_t* out = index.mutable_data<std::int64_t>();
  for (std::int64_t i = 0; i < slices; ++i) out = std::fill_n(out, times[i], i);
  return index_select(x, d, index);
}

Tensor flip(const Tensor& x, const Dims& dims) {
  // Negative strides from the last element on; no view has them, so that the rest of heed
  // need not think of them, but copying with them is what reverses.
  Strides strides = x.strides();
  std::int64_t offset = x.offset();
  unsigned named = 0;
  for (std::int64_t dim : dims) {
    const int d = normalize_dim("flip", dim, x.dim());
    check(!(named >> d & 1), "flip: dims must name no dimension twice, got {}", dims);
    named |= 1u << d;
    if (x.dim() == 0 || x.shape()[d] == 0) continue;
    offset += (x.shape()[d] - 1) * x.strides()[d];
    strides[d] = -x.strides()[d];
  }
  return Tensor(x.storage(), offset, x.shape(), strides, x.dtype()).clone();
}

Tensor roll(const Tensor& x, Integer shift, Dim dim) {
  const int d = existing_dim("roll", dim, x.dim());
  const std::int64_t n = x.size(d);
  if (n == 0) return x.clone();
  const std::int64_t first = (n - shift % n) % n;  // is at the front of the result
  return cat({slice(x, d, first), slice(x, d, 0, first)}, d);
}

std::vector<Tensor> meshgrid(std::span<const Tensor> vectors) {
  Shape shape;
  for (const Tensor& x : vectors) {
    check(x.dim() == 1, "meshgrid: each tensor must have one dimension, got {}",
          x.shape());
    shape.push_back(x.numel());
  }
  std::vector<Tensor> grids;
  for (int d = 0; d < shape.rank(); ++d) {
    Shape sizes = shape;
    for (std::int64_t& size : sizes) size = 1;
    sizes[d] = shape[d];
    grids.push_back(expand(reshape(vectors[static_cast<std::size_t>(d)], sizes), shape));
  }
  return grids;
}

std::vector<Tensor> meshgrid(std::initializer_list<Tensor> vectors) {
  return meshgrid(std::span(vectors.begin(), vectors.size()));
}

}  // namespace heed

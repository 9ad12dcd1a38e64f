#include "tensor/core/views.h"

#include <utility>

#include <fmt/format.h>

#include "tensor/core/parallel.h"

namespace heed {
namespace {

// Finds the strides with which x, neither empty nor a scalar, reads as `shape`, of as
// many elements; false when there are none. Going from the last dimension to the first,
// dimensions of x that step evenly form one run; the sizes of `shape` must cut each run
// without a rest.
bool find_strides(const Tensor& x, const Shape& shape, Strides& strides) {
  strides = Strides::zeros(shape.rank());
  int to = shape.rank() - 1;
  std::int64_t run = 1, step = x.strides()[x.dim() - 1];
  for (int from = x.dim() - 1; from >= 0; --from) {
    run *= x.shape()[from];
    const int next = from - 1;
    if (next >= 0 && (x.shape()[next] == 1 || x.strides()[next] == run * step)) continue;
    std::int64_t covered = 1;
    while (to >= 0 && (covered < run || shape[to] == 1)) {
      strides[to] = covered * step;
      covered *= shape[to];
      --to;
    }
    if (covered != run) return false;
    run = 1;
    if (next >= 0) step = x.strides()[next];
  }
  return true;
}

Tensor with_layout(const Tensor& x, const Shape& shape, const Strides& strides) {
  return Tensor(x.storage(), x.offset(), shape, strides, x.dtype());
}

Tensor reshaped(std::string_view op, const Tensor& x, const Shape& shape, bool may_copy) {
  const Shape sizes = resolved_sizes(op, x.shape(), shape);
  if (x.is_contiguous() || x.numel() == 0) {
    return with_layout(x, sizes, row_major(sizes));
  }
  Strides strides;
  if (find_strides(x, sizes, strides)) return with_layout(x, sizes, strides);
  check(may_copy,
        "{}: the strides of this tensor allow no view of the shape {}; reshape copies "
        "where it must",
        op, sizes);
  return with_layout(x.clone(), sizes, row_major(sizes));
}

// slice without its checks: `length` elements of dimension d, step apart from start on.
Tensor narrowed(const Tensor& x, int d, std::int64_t start, std::int64_t length,
                std::int64_t step = 1) {
  Shape shape = x.shape();
  Strides strides = x.strides();
  shape[d] = length;
  // One element or none: the step is never taken, and might not fit. With none, the start
  // might lie past the storage's end.
  if (length > 1) strides[d] *= step;
  const std::int64_t offset = length > 0 ? start * x.strides()[d] : 0;
  return Tensor(x.storage(), x.offset() + offset, shape, strides, x.dtype());
}

}  // namespace

Tensor reshape(const Tensor& x, const Shape& shape) {
  return reshaped("reshape", x, shape, true);
}

Tensor view(const Tensor& x, const Shape& shape) {
  return reshaped("view", x, shape, false);
}

Tensor flatten(const Tensor& x, Dim start, Dim end) {
  const int first = normalize_dim("flatten", start, x.dim());
  const int last = normalize_dim("flatten", end, x.dim());
  check(first <= last, "flatten: start must not come after end, got {} and {}", start,
        end);
  if (x.dim() == 0) return reshape(x, {1});
  Shape shape, joined;
  for (int d = 0; d < x.dim(); ++d) {
    (first <= d && d <= last ? joined : shape).push_back(x.shape()[d]);
  }
  shape.insert(first, count(joined));
  return reshape(x, shape);
}

Tensor transpose(const Tensor& x, Dim a, Dim b) {
  const int i = normalize_dim("transpose", a, x.dim());
  const int j = normalize_dim("transpose", b, x.dim());
  if (i == j) return x;
  Shape shape = x.shape();
  Strides strides = x.strides();
  std::swap(shape[i], shape[j]);
  std::swap(strides[i], strides[j]);
  return with_layout(x, shape, strides);
}

Tensor permute(const Tensor& x, const Dims& dims) {
  check(dims.rank() == x.dim(),
        "permute: dims must name each dimension once, got {} for the shape {}", dims,
        x.shape());
  Shape shape = x.shape();
  Strides strides = x.strides();
  unsigned named = 0;
  for (int d = 0; d < dims.rank(); ++d) {
    const int from = normalize_dim("permute", dims[d], x.dim());
    check(!(named >> from & 1),
          "permute: dims must name each dimension once, got {} for the shape {}", dims,
          x.shape());
    named |= 1u << from;
    shape[d] = x.shape()[from];
    strides[d] = x.strides()[from];
  }
  return with_layout(x, shape, strides);
}

Tensor expand(const Tensor& x, const Shape& shape) {
  const int lead = shape.rank() - x.dim();
  check(lead >= 0, "expand: {} has more dimensions than {}", x.shape(), shape);
  Shape sizes = shape;
  Strides strides = Strides::zeros(shape.rank());
  for (int d = 0; d < shape.rank(); ++d) {
    if (d < lead) {
      check(shape[d] >= 0, "expand: a new dimension needs a size, got {} for {}", shape,
            x.shape());
      strides[d] = 0;
      continue;
    }
    const std::int64_t size = x.shape()[d - lead];
    if (shape[d] == -1) sizes[d] = size;
    check(sizes[d] == size || (size == 1 && sizes[d] >= 0),
          "expand: sizes other than 1 must stay, got {} for {}", shape, x.shape());
    strides[d] = sizes[d] == size ? x.strides()[d - lead] : 0;
  }
  count(sizes);  // throws when there would be too many elements
  return with_layout(x, sizes, strides);
}

Tensor squeeze(const Tensor& x) {
  Shape shape;
  Strides strides;
  for (int d = 0; d < x.dim(); ++d) {
    if (x.shape()[d] == 1) continue;
    shape.push_back(x.shape()[d]);
    strides.push_back(x.strides()[d]);
  }
  return with_layout(x, shape, strides);
}

Tensor squeeze(const Tensor& x, Dim dim) {
  const int d = normalize_dim("squeeze", dim, x.dim());
  if (x.dim() == 0 || x.shape()[d] != 1) return x;
  Shape shape = x.shape();
  Strides strides = x.strides();
  shape.erase(d);
  strides.erase(d);
  return with_layout(x, shape, strides);
}

Tensor unsqueeze(const Tensor& x, Dim dim) {
  const int d = normalize_dim("unsqueeze", dim, x.dim() + 1);
  Shape shape = x.shape();
  Strides strides = x.strides();
  // Any stride would do. This one lets the new dimension run together with the next.
  strides.insert(d, d < x.dim() ? x.shape()[d] * x.strides()[d] : 1);
  shape.insert(d, 1);
  return with_layout(x, shape, strides);
}

Tensor slice(const Tensor& x, Dim dim, Integer start, Integer stop, Integer step) {
  const int d = existing_dim("slice", dim, x.dim());
  check(step >= 1, "slice: step must be at least 1, got {}", step);
  const std::int64_t size = x.shape()[d];
  const auto bound = [size](std::int64_t i) {
    return std::clamp<std::int64_t>(i < 0 ? i + size : i, 0, size);
  };
  const std::int64_t first = bound(start), last = bound(stop);
  const std::int64_t length = first < last ? (last - first - 1) / step + 1 : 0;
  return narrowed(x, d, first, length, step);
}

Tensor select(const Tensor& x, Dim dim, Integer index) {
  const int d = existing_dim("select", dim, x.dim());
  const std::int64_t size = x.shape()[d];
  check(size > 0, "select: dim {} of {} has no elements", d, x.shape());
  check(-size <= index && index < size,
        "select: the index of dim {} must be from {} to {}, got {}", d, -size, size - 1,
        index);
  Shape shape = x.shape();
  Strides strides = x.strides();
  shape.erase(d);
  strides.erase(d);
  const std::int64_t start =
      (index < 0 ? index + size : std::int64_t{index}) * x.strides()[d];
  return Tensor(x.storage(), x.offset() + start, shape, strides, x.dtype());
}

std::vector<Tensor> split(const Tensor& x, Size size, Dim dim) {
  const int d = existing_dim("split", dim, x.dim());
  check(size >= 1, "split: size must be at least 1, got {}", size);
  const std::int64_t total = x.shape()[d];
  auto pieces = detail::list_for<Tensor>("split", ceil_div(total, size));
  std::int64_t start = 0;
  do {  // an empty dimension gives one empty piece
    const std::int64_t length = std::min(std::int64_t{size}, total - start);
    pieces.push_back(narrowed(x, d, start, length));
    start += length;
  } while (start < total);
  return pieces;
}

std::vector<Tensor> split_with_sizes(const Tensor& x,
                                     const std::vector<std::int64_t>& sizes, Dim dim) {
  const int d = existing_dim("split_with_sizes", dim, x.dim());
  std::vector<Tensor> pieces;
  pieces.reserve(sizes.size());
  const std::int64_t total = x.shape()[d];
  std::int64_t start = 0;
  bool fits = true;
  for (std::int64_t size : sizes) {
    fits = 0 <= size && size <= total - start;
    if (!fits) break;
    pieces.push_back(narrowed(x, d, start, size));
    start += size;
  }
  check(fits && start == total,
        "split_with_sizes: the sizes must add up to {}, none negative, got ({})", total,
        fmt::join(sizes, ", "));
  return pieces;
}

std::vector<Tensor> chunk(const Tensor& x, Size chunks, Dim dim) {
  const int d = existing_dim("chunk", dim, x.dim());
  check(chunks >= 1, "chunk: chunks must be at least 1, got {}", chunks);
  const std::int64_t total = x.shape()[d];
  if (total > 0) return split(x, (total - 1) / chunks + 1, d);
  auto pieces = detail::list_for<Tensor>("chunk", chunks);
  pieces.assign(static_cast<std::size_t>(chunks), x);
  return pieces;
}

}  // namespace heed

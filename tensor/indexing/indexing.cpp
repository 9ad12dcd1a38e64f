#include "tensor/indexing/indexing.h"

#include <algorithm>
#include <atomic>
#include <numeric>

#include "tensor/core/factories.h"
#include "tensor/core/tensor_iterator.h"
#include "tensor/core/views.h"

namespace heed {
namespace {

// The size of dimension d, where a scalar counts as one of size 1.
std::int64_t size_along(const Shape& shape, int d) {
  return shape.rank() > 0 ? shape[d] : 1;
}

void check_mask(std::string_view op, const Tensor& mask) {
  check(mask.dtype() == boolean, "{}: the mask must be bool, got {}", op,
        name(mask.dtype()));
}

// `index`, contiguous, after a check that its numbers are from 0 to size - 1.
Tensor checked_index(std::string_view op, const Tensor& index, std::int64_t size) {
  check(index.dtype() == int64, "{}: the index must be int64, got {}", op,
        name(index.dtype()));
  Tensor dense = index.contiguous();
  const std::int64_t* first = dense.data<std::int64_t>();
  const std::int64_t n = dense.numel();
  const auto outside = [size](std::int64_t i) { return i < 0 || i >= size; };
  std::atomic<bool> bad = false;
  parallel_for(n, 1, [&](std::int64_t begin, std::int64_t end) {
    bool any = false;
    for (std::int64_t i = begin; i < end; ++i) any |= outside(first[i]);
    if (any) bad = true;
  });
  check(!bad || size > 0, "{}: there is no element to pick along a dimension of size 0",
        op);
  check(!bad, "{}: the indices must be from 0 to {}, got {}", op, size - 1,
        [&] { return *std::find_if(first, first + n, outside); });
  return dense;
}

// out[i] = x[i, but index[i] along dimension d], for all i of out's shape. index has
// out's shape and is read with `index_strides`.
void pick(Tensor& out, const Tensor& x, int d, const Tensor& index,
          const Strides& index_strides) {
  if (out.numel() == 0) return;
  Strides x_strides = x.strides();
  std::int64_t along = 0;  // x's stride along d
  if (x.dim() > 0) std::swap(along, x_strides[d]);
  const TensorIterator<3> iterator(out.shape(),
                                   {&out.strides(), &x_strides, &index_strides});
  const std::int64_t* const from = index.data<std::int64_t>();
  dispatch(x.dtype(), [&]<class T>() {
    T* const to = out.mutable_data<T>();
    const T* const elements = x.data<T>();
    iterator.run([&, step = iterator.inner_strides()](std::int64_t n, const auto& at) {
      T* const run = to + at[0];
      const T* const source = elements + at[1];
      const std::int64_t* const where = from + at[2];
      if (step[2] == 0) {  // a row with one index
        const T* const row = source + *where * along;
        if (step[0] == 1 && step[1] == 1) {
          std::copy_n(row, n, run);
        } else {
          for (std::int64_t i = 0; i < n; ++i) run[i * step[0]] = row[i * step[1]];
        }
      } else {
        for (std::int64_t i = 0; i < n; ++i) {
          run[i * step[0]] = source[i * step[1] + where[i * step[2]] * along];
        }
      }
    });
  });
}

// a + b, where whole numbers wrap around and bools become true.
template <class T>
T sum_of(T a, T b) {
  if constexpr (std::is_same_v<T, std::int64_t>) {
    return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  } else {
    return static_cast<T>(a + b);
  }
}

// Adds every element of x to that of `out` with the same indices except dimension d,
// where it is row_index(position in x, position along d). In the order of d, and each
// element of `out` on one thread only: the sums do not depend on the number of threads.
template <class RowIndex>
void add_rows(Tensor& out, int d, const Tensor& x, RowIndex&& row_index) {
  const Tensor dense = x.contiguous();
  std::int64_t inner = 1;
  for (int i = d + 1; i < x.dim(); ++i) inner *= x.shape()[i];
  const std::int64_t rows = size_along(x.shape(), d);
  const std::int64_t sums_apart = size_along(out.shape(), d) * inner;
  if (dense.numel() == 0) return;
  const std::int64_t columns = dense.numel() / rows;
  // One share a thread: each passes over all rows.
  dispatch(x.dtype(), [&]<class T>() {
    T* const sums = out.mutable_data<T>();
    const T* const terms = dense.data<T>();
    parallel_shares(columns, rows, [&](std::int64_t c, std::int64_t end) {
      while (c < end) {  // the columns of one outer index at a time
        const std::int64_t outer = c / inner;
        const std::int64_t first = c - outer * inner;
        const std::int64_t n = std::min(end - c, inner - first);
        T* const sum = sums + outer * sums_apart + first;
        for (std::int64_t row = 0; row < rows; ++row) {
          const std::int64_t at = (outer * rows + row) * inner + first;
          for (std::int64_t i = 0; i < n; ++i) {
            T& element = sum[row_index(at + i, row) * inner + i];
            element = sum_of(element, terms[at + i]);
          }
        }
        c += n;
      }
    });
  });
}

// x with the elements on one side of the diagonal, and 0 on the other.
Tensor triangle(std::string_view op, const Tensor& x, std::int64_t diagonal, bool upper) {
  check(x.dim() >= 2, "{}: at least two dimensions, got {}", op, x.shape());
  Tensor result = empty(x.shape(), x.dtype());
  if (result.numel() == 0) return result;
  const Tensor dense = x.contiguous();
  const std::int64_t rows = x.size(-2), columns = x.size(-1);
  const std::int64_t shift = std::clamp(diagonal, -rows, columns);
  dispatch(x.dtype(), [&]<class T>() {
    const T* const in = dense.data<T>();
    T* const out = result.mutable_data<T>();
    parallel_for(x.numel() / columns, columns, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row) {
        const T* const from = in + row * columns;
        T* const to = out + row * columns;
        // triu keeps the diagonal and what follows it, tril what comes up to it.
        const std::int64_t cut =
            std::clamp<std::int64_t>(row % rows + shift + !upper, 0, columns);
        const std::int64_t first = upper ? cut : 0, last = upper ? columns : cut;
        std::fill_n(to, first, T{0});
        std::copy(from + first, from + last, to + first);
        std::fill_n(to + last, columns - last, T{0});
      }
    });
  });
  return result;
}

}  // namespace

Tensor index_select(const Tensor& x, Dim dim, const Tensor& index) {
  const int d = normalize_dim("index_select", dim, x.dim());
  check(index.dim() <= 1, "index_select: the index must have one dimension, got {}",
        index.shape());
  const std::int64_t length = index.numel();
  check(x.dim() > 0 || length == 1, "index_select: a scalar takes one index, got {}",
        index.shape());
  const Tensor from = checked_index("index_select", index, size_along(x.shape(), d));
  Shape shape = x.shape();
  Strides strides = x.strides();
  std::fill(strides.begin(), strides.end(), 0);
  if (x.dim() > 0) {
    shape[d] = length;
    strides[d] = 1;
  }
  Tensor result = empty(shape, x.dtype());
  pick(result, x, d, from, strides);
  return result;
}

Tensor gather(const Tensor& x, Dim dim, const Tensor& index) {
  const int d = normalize_dim("gather", dim, x.dim());
  bool fits = index.dim() == x.dim();
  for (int i = 0; fits && i < x.dim(); ++i) {
    fits = i == d || index.shape()[i] <= x.shape()[i];
  }
  check(fits,
        "gather: the index must have x's rank and be no larger but along dim {}, got {} "
        "and {}",
        d, index.shape(), x.shape());
  const Tensor from = checked_index("gather", index, size_along(x.shape(), d));
  Tensor result = empty(index.shape(), x.dtype());
  pick(result, x, d, from, from.strides());
  return result;
}

Tensor nonzero(const Tensor& x) {
  const Tensor flags = x.to(boolean).contiguous();
  const bool* const flag = flags.data<bool>();
  const std::int64_t n = x.numel(), rank = x.dim();
  Tensor result = empty({std::count(flag, flag + n, true), rank}, int64);
  std::int64_t* row = result.mutable_data<std::int64_t>();
  for (std::int64_t i = 0; i < n; ++i) {
    if (!flag[i]) continue;
    std::int64_t rest = i;
    for (int d = static_cast<int>(rank) - 1; d >= 0; --d) {
      row[d] = rest % x.shape()[d];
      rest /= x.shape()[d];
    }
    row += rank;
  }
  return result;
}

Tensor one_hot(const Tensor& ids, std::optional<Size> classes) {
  check(ids.dtype() == int64, "one_hot: the ids must be int64, got {}", ids.dtype());
  check(classes || ids.numel() > 0,
        "one_hot: without ids the number of classes must be given, got the shape {}",
        ids.shape());
  const std::vector<std::int64_t> list = ids.to_vector<std::int64_t>();
  std::int64_t largest = -1;
  for (const std::int64_t id : list) {
    check(0 <= id, "one_hot: the ids must not be negative, got {}", id);
    largest = std::max(largest, id);
  }
  const std::int64_t n = classes.value_or(std::min(largest, INT64_MAX - 1) + 1);
  check(n >= 0, "one_hot: the number of classes must not be negative, got {}", n);
  Tensor result = empty(append(ids.shape(), {n}), int64).fill_(0);
  std::int64_t* row = result.mutable_data<std::int64_t>();
  for (const std::int64_t id : list) {
    check(id < n, "one_hot: the ids must be below the number of classes, {}, got {}", n,
          id);
    row[id] = 1;
    row += n;
  }
  return result;
}

Tensor masked_select(const Tensor& x, const Tensor& mask) {
  check_mask("masked_select", mask);
  const Shape shape = broadcast("masked_select", x.shape(), mask.shape());
  const Tensor from = expand(x, shape).contiguous();
  const Tensor dense = expand(mask, shape).contiguous();
  const bool* const chosen = dense.data<bool>();
  const std::int64_t n = dense.numel();
  Tensor result = empty({std::count(chosen, chosen + n, true)}, x.dtype());
  dispatch(x.dtype(), [&]<class T>() {
    const T* const in = from.data<T>();
    T* out = result.mutable_data<T>();
    for (std::int64_t i = 0; i < n; ++i) {
      if (chosen[i]) *out++ = in[i];
    }
  });
  return result;
}

Tensor index_add(const Shape& shape, Dim dim, const Tensor& index, const Tensor& x) {
  const int d = normalize_dim("index_add", dim, shape.rank());
  Shape wanted = shape;
  if (shape.rank() > 0) wanted[d] = index.numel();
  const bool fits = x.shape() == wanted && index.numel() == size_along(x.shape(), d);
  check(
      index.dim() <= 1 && fits,
      "index_add: x must have the sizes {}, but along dim {} one slice per index, got {} "
      "and {}",
      shape, d, x.shape(), index.shape());
  const Tensor to = checked_index("index_add", index, size_along(shape, d));
  Tensor result = zeros(shape, x.dtype());
  const std::int64_t* const row = to.data<std::int64_t>();
  add_rows(result, d, x, [row](std::int64_t, std::int64_t i) { return row[i]; });
  return result;
}

Tensor scatter_add(const Shape& shape, Dim dim, const Tensor& index, const Tensor& x) {
  const int d = normalize_dim("scatter_add", dim, shape.rank());
  bool fits = index.shape() == x.shape() && x.dim() == shape.rank();
  for (int i = 0; fits && i < x.dim(); ++i) fits = i == d || x.shape()[i] <= shape[i];
  check(fits,
        "scatter_add: x and the index must have one shape, no larger than {} but along "
        "dim {}, got {} and {}",
        shape, d, x.shape(), index.shape());
  const Tensor to = checked_index("scatter_add", index, size_along(shape, d));
  // Where x is smaller, its elements go to the corner of the result.
  Shape corner = x.shape();
  if (x.dim() > 0) corner[d] = shape[d];
  Tensor sums = zeros(corner, x.dtype());
  const std::int64_t* const row = to.data<std::int64_t>();
  add_rows(sums, d, x, [row](std::int64_t at, std::int64_t) { return row[at]; });
  if (corner == shape) return sums;
  Tensor result = zeros(shape, x.dtype());
  Tensor target = result;
  for (int i = 0; i < x.dim(); ++i) target = slice(target, i, 0, corner[i]);
  target.copy_(sums);
  return result;
}

Tensor masked_scatter(const Shape& shape, const Tensor& mask, const Tensor& x) {
  check_mask("masked_scatter", mask);
  check(broadcasts_to(mask.shape(), shape),
        "masked_scatter: the mask must broadcast to the shape, got {} and {}",
        mask.shape(), shape);
  const Tensor from = x.contiguous();
  const Tensor dense = expand(mask, shape).contiguous();
  const bool* const chosen = dense.data<bool>();
  const std::int64_t n = dense.numel();
  const std::int64_t holds = std::count(chosen, chosen + n, true);
  check(holds == x.numel(),
        "masked_scatter: x must have an element for each true of the mask, got {} and {}",
        x.numel(), holds);
  Tensor result = empty(shape, x.dtype());
  dispatch(x.dtype(), [&]<class T>() {
    const T* in = from.data<T>();
    T* const out = result.mutable_data<T>();
    for (std::int64_t i = 0; i < n; ++i) out[i] = chosen[i] ? *in++ : T{0};
  });
  return result;
}

Tensor slice_scatter(const Shape& shape, const Tensor& x, Dim dim, Integer start,
                     Integer step) {
  Tensor result = zeros(shape, x.dtype());
  const Tensor rest = slice(result, dim, start, to_end, step);
  check(x.dim() == rest.dim(), "slice_scatter: x must have the rank of {}, got {}", shape,
        x.shape());
  Tensor target = slice(rest, dim, 0, x.size(dim));
  check(x.shape() == target.shape(),
        "slice_scatter: x must fit into the slice, got {} and {}", x.shape(),
        rest.shape());
  target.copy_(x);
  return result;
}

Tensor select_scatter(const Shape& shape, const Tensor& x, Dim dim, Integer index) {
  Tensor result = zeros(shape, x.dtype());
  Tensor target = select(result, dim, index);
  check(x.shape() == target.shape(),
        "select_scatter: x must have the shape of the selection, got {} and {}",
        x.shape(), target.shape());
  target.copy_(x);
  return result;
}

Tensor triu(const Tensor& x, Integer diagonal) {
  return triangle("triu", x, diagonal, true);
}

Tensor tril(const Tensor& x, Integer diagonal) {
  return triangle("tril", x, diagonal, false);
}

Tensor diagonal(const Tensor& x) {
  check(x.dim() == 2, "diagonal: x must be a matrix, got {}", x.shape());
  const std::int64_t n = std::min(x.size(0), x.size(1));
  return squeeze(gather(slice(x, 0, 0, n), 1, unsqueeze(arange(n), 1)), 1);
}

Tensor tril_indices(Size rows, Size columns, Integer offset) {
  return transpose(nonzero(tril(ones({rows, columns}), offset)), 0, 1).contiguous();
}
Tensor triu_indices(Size rows, Size columns, Integer offset) {
  return transpose(nonzero(triu(ones({rows, columns}), offset)), 0, 1).contiguous();
}

Tensor combination_indices(Size n, Size r) {
  (void)count({n, r});  // neither is negative, and n - r does not overflow
  std::int64_t choices = r <= n ? 1 : 0;  // the binomial coefficient, factor by factor
  for (std::int64_t k = 1; k <= std::min<std::int64_t>(r, n - r); ++k) {
    check(!__builtin_mul_overflow(choices, n - k + 1, &choices),
          "combinations: there are too many choices of {} of {} elements", r, n);
    choices /= k;
  }
  Tensor indices = empty({choices, r}, int64);
  std::int64_t* row = indices.mutable_data<std::int64_t>();
  for (std::int64_t i = 0; i < choices; ++i, row += r) {
    if (i == 0) {
      std::iota(row, row + r, 0);
      continue;
    }
    // The last number that can still rise does, and those after it follow it.
    std::copy_n(row - r, r, row);
    std::int64_t place = r - 1;
    while (row[place] == n - r + place) --place;
    std::iota(row + place, row + r, row[place] + 1);
  }
  return indices;
}

}  // namespace heed

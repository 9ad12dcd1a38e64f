#include "tensor/reduce/reductions.h"

#include <atomic>
#include <cmath>

#include "tensor/core/memory_order.h"
#include "tensor/core/views.h"
#include "tensor/elementwise/elementwise.h"
#include "tensor/reduce/reduce.h"

namespace heed {
namespace {

enum class ReduceOp { sum, prod, max, min };

template <class T>
kernels::Fold<T> fold_of(ReduceOp op) {
  switch (op) {
    case ReduceOp::sum: return folds<T>().sum;
    case ReduceOp::prod: return folds<T>().prod;
    case ReduceOp::max: return folds<T>().max;
    default: return folds<T>().min;
  }
}

// `elements` are r's, of the dtype in which to reduce. Of bool, sum is "or" and prod is
// "and".
Tensor reduce(ReduceOp op, const Tensor& elements, const Reduced& r) {
  Tensor out = empty(r.shape, elements.dtype());
  dispatch(elements.dtype(), [&]<class T>() {
    run_fold(fold_of<T>(op), r.outer, r.n, r.inner, elements.data<T>(),
             out.mutable_data<T>());
  });
  return out;
}

// Sum or product; bool is added and multiplied as int64.
Tensor total(ReduceOp op, const Reduced& r) {
  const Tensor& x = r.elements;
  return reduce(op, x.dtype() == boolean ? x.to(int64) : x, r);
}

Tensor mean_of(std::string_view op, const Reduced& r) {
  check_floating(op, r.elements.dtype());
  Tensor out = total(ReduceOp::sum, r);
  dispatch_floating(op, out.dtype(), [&]<class T>() {
    T* const sums = out.mutable_data<T>();
    const std::int64_t count = r.outer * r.inner;
    for (std::int64_t i = 0; i < count; ++i) sums[i] /= static_cast<T>(r.n);
  });
  return out;
}

// Sums of d and d^2 for d = x - center, as float64 tensors of (outer, inner).
struct Moments {
  Tensor sums;
  Tensor squares;
};

template <class T>
Moments moments(const Reduced& r, const T* center) {
  if (r.outer * r.inner == 0) return {empty({0}, float64), empty({0}, float64)};
  // Cut into blocks as run_fold does; in float64 their size matters to nothing but speed.
  const std::int64_t block =
      std::max<std::int64_t>(32, 16384 / std::max<std::int64_t>(r.inner, 1));
  const std::int64_t blocks = std::max<std::int64_t>(1, ceil_div(r.n, block));
  Tensor sums = empty({r.outer, blocks, r.inner}, float64);
  Tensor squares = empty({r.outer, blocks, r.inner}, float64);
  const T* const x = r.elements.data<T>();
  double* const s = sums.mutable_data<double>();
  double* const q = squares.mutable_data<double>();
  const auto kernel = kernels::get<kernels::ReduceKernels<T>>().moments;
  if (blocks == 1) {
    parallel_for(r.outer, r.size(), [&](std::int64_t begin, std::int64_t end) {
      const std::int64_t at = begin * r.inner;
      kernel(end - begin, r.n, r.inner, x + begin * r.size(), center + at, s + at,
             q + at);
    });
    return {sums, squares};
  }
  parallel_for(r.outer * blocks, block * r.inner,
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t i = begin; i < end; ++i) {
                   const std::int64_t o = i / blocks, first = i % blocks * block;
                   kernel(1, std::min(block, r.n - first), r.inner,
                          x + (o * r.n + first) * r.inner, center + o * r.inner,
                          s + i * r.inner, q + i * r.inner);
                 }
               });
  Moments result{empty({r.outer, r.inner}, float64), empty({r.outer, r.inner}, float64)};
  const auto fold = folds<double>().sum;
  run_fold(fold, r.outer, blocks, r.inner, s, result.sums.mutable_data<double>());
  run_fold(fold, r.outer, blocks, r.inner, q, result.squares.mutable_data<double>());
  return result;
}

// The means; where a sum is too large for the dtype, they are computed as sum(x / n).
Tensor centers(std::string_view op, Reduced r) {
  const Tensor means = mean_of(op, r);
  if (all(isfinite(means)).item() != 0) return means;
  r.elements = r.elements / static_cast<double>(r.n);
  return total(ReduceOp::sum, r);
}

enum class Root { no, yes };

// With d = x - center and any center near the mean, the squared distances from the mean
// add up to sum(d^2) - sum(d)^2 / n: what the rounding of the center adds is taken away.
// Where the squares of finite numbers are too large, the variance is.
Tensor variance(std::string_view op, const Reduced& r, Integer correction, Root root) {
  Tensor out = centers(op, r);  // overwritten by the results
  dispatch_floating(op, out.dtype(), [&]<class T>() {
    T* const results = out.mutable_data<T>();
    const Moments m = moments<T>(r, results);
    const double* const sums = m.sums.template data<double>();
    const double* const squares = m.squares.template data<double>();
    const auto n = static_cast<double>(r.n);
    const double freedom = std::max(0.0, n - correction);
    for (std::int64_t i = 0; i < r.outer * r.inner; ++i) {
      const double shift = std::isinf(squares[i]) ? 0 : sums[i] * sums[i] / n;
      const double rest = squares[i] - shift;
      const double variance = (rest < 0 ? 0 : rest) / freedom;
      results[i] = static_cast<T>(root == Root::yes ? std::sqrt(variance) : variance);
    }
  });
  return out;
}

// log(sum(exp(x - m))) + m for the largest element m; m = 0 where that element
// is infinite, as inf - inf would be NaN.
Tensor logsumexp_of(const Reduced& r) {
  check_floating("logsumexp", r.elements.dtype());
  const Tensor& x = r.elements;
  if (r.n == 0) return reshape(log(sum(x, 1)), r.shape);
  Tensor shift = amax(x, {1}, true);
  shift = masked_fill(shift, isinf(shift), 0);
  return reshape(log(sum(exp(x - shift), 1, true)) + shift, r.shape);
}

}  // namespace

Tensor sum(const Tensor& x, const Dims& dims, Flag keepdim) {
  return total(ReduceOp::sum, reduced("sum", x, dims, keepdim));
}

Tensor prod(const Tensor& x, const Dims& dims, Flag keepdim) {
  return total(ReduceOp::prod, reduced("prod", x, dims, keepdim));
}

Tensor mean(const Tensor& x, const Dims& dims, Flag keepdim) {
  return mean_of("mean", reduced("mean", x, dims, keepdim));
}

Tensor var(const Tensor& x, const Dims& dims, Integer correction, Flag keepdim) {
  return variance("var", reduced("var", x, dims, keepdim), correction, Root::no);
}

Tensor std(const Tensor& x, const Dims& dims, Integer correction, Flag keepdim) {
  return variance("std", reduced("std", x, dims, keepdim), correction, Root::yes);
}

Tensor norm(const Tensor& x, const Dims& dims, Flag keepdim) {
  const Reduced r = reduced("norm", x, dims, keepdim);
  return dispatch_floating("norm", x.dtype(), [&]<class T>() {
    Tensor out = empty(r.shape, x.dtype()).fill_(0);
    T* const results = out.mutable_data<T>();
    const Moments m = moments<T>(r, results);
    const double* const squares = m.squares.template data<double>();
    for (std::int64_t i = 0; i < r.outer * r.inner; ++i) {
      results[i] = static_cast<T>(std::sqrt(squares[i]));
    }
    return out;
  });
}

Tensor logsumexp(const Tensor& x, const Dims& dims, Flag keepdim) {
  return logsumexp_of(reduced("logsumexp", x, dims, keepdim));
}

Tensor any(const Tensor& x, const Dims& dims, Flag keepdim) {
  const Reduced r = reduced("any", x, dims, keepdim);
  return reduce(ReduceOp::sum, r.elements.to(boolean), r);
}

Tensor all(const Tensor& x, const Dims& dims, Flag keepdim) {
  const Reduced r = reduced("all", x, dims, keepdim);
  return reduce(ReduceOp::prod, r.elements.to(boolean), r);
}

bool all_finite(const Tensor& x) {
  if (!is_floating(x.dtype()) || x.numel() == 0) return true;
  // In memory order, for long rows.
  const Tensor sorted = permute(x, memory_order(x.shape(), x.strides()));
  const TensorIterator<1> rows(sorted.shape(), {&sorted.strides()});
  const std::int64_t step = rows.inner_strides()[0];
  std::atomic<bool> finite = true;
  dispatch_floating("all_finite", x.dtype(), [&]<class T>() {
    const T* const elements = x.data<T>();
    const auto kernel = kernels::get<kernels::ReduceKernels<T>>().all_finite;
    rows.run([&](std::int64_t n, const auto& at) {
      if (!kernel(n, elements + at[0], step)) finite = false;
    });
  });
  return finite;
}

Tensor sum_to(const Tensor& x, const Shape& shape) {
  if (x.shape() == shape) return x;
  const int lead = x.dim() - shape.rank();
  check(broadcasts_to(shape, x.shape()),
        "sum_to: the shape must broadcast to the tensor's, got {} and {}", shape,
        x.shape());
  Dims dims;
  for (int d = 0; d < x.dim(); ++d) {
    if (d < lead || shape[d - lead] != x.shape()[d]) dims.push_back(d);
  }
  Reduced r = reduced("sum_to", x, dims, false);
  r.shape = shape;
  return total(ReduceOp::sum, r);
}

// --- the largest and the smallest elements, and where they are

namespace {

Tensor extreme(std::string_view op, ReduceOp max_or_min, const Reduced& r,
               const Shape& shape) {
  check(r.n > 0, "{}: cannot reduce over no elements, got {}", op, shape);
  return reduce(max_or_min, r.elements, r);
}

// For each of the extremes the first place where it stands. Where the extreme is NaN,
// that is the first NaN; where it is not, no element is NaN.
template <class T>
void locate(const Reduced& r, const T* extremes, std::int64_t* indices) {
  const T* const elements = r.elements.data<T>();
  parallel_for(r.outer, r.size(), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t o = begin; o < end; ++o) {
      const T* const x = elements + o * r.size();
      const T* const wanted = extremes + o * r.inner;
      std::int64_t* const index = indices + o * r.inner;
      if (r.inner == 1) {
        std::int64_t i = 0;
        while (!(x[i] == wanted[0]) && x[i] == x[i]) ++i;
        index[0] = i;
        continue;
      }
      for (std::int64_t i = r.n - 1; i >= 0; --i) {
        const T* const row = x + i * r.inner;
        for (std::int64_t j = 0; j < r.inner; ++j) {
          const bool here = (row[j] == wanted[j]) | (row[j] != row[j]);
          index[j] = here ? i : index[j];
        }
      }
    }
  });
}

WithIndices<Tensor> extreme_with_indices(std::string_view op, ReduceOp max_or_min,
                                         const Reduced& r, const Shape& shape) {
  const Tensor values = extreme(op, max_or_min, r, shape);
  Tensor indices = empty(r.shape, int64).fill_(0);
  if (indices.numel() == 0) return {values, indices};
  dispatch(values.dtype(), [&]<class T>() {
    locate(r, values.data<T>(), indices.mutable_data<std::int64_t>());
  });
  return {values, indices};
}

WithIndices<Tensor> along_dim(std::string_view op, ReduceOp max_or_min, const Tensor& x,
                              Dim dim, Flag keepdim) {
  return extreme_with_indices(op, max_or_min, reduced(op, x, Dims{dim}, keepdim),
                              x.shape());
}

Tensor flat_index(std::string_view op, ReduceOp max_or_min, const Tensor& x) {
  const Reduced r = reduced(op, x.contiguous(), {}, false);
  return extreme_with_indices(op, max_or_min, r, x.shape()).indices;
}

}  // namespace

Tensor amax(const Tensor& x, const Dims& dims, Flag keepdim) {
  return extreme("amax", ReduceOp::max, reduced("amax", x, dims, keepdim), x.shape());
}

Tensor amin(const Tensor& x, const Dims& dims, Flag keepdim) {
  return extreme("amin", ReduceOp::min, reduced("amin", x, dims, keepdim), x.shape());
}

Tensor max(const Tensor& x) {
  return extreme("max", ReduceOp::max, reduced("max", x, {}, false), x.shape());
}

Tensor min(const Tensor& x) {
  return extreme("min", ReduceOp::min, reduced("min", x, {}, false), x.shape());
}

WithIndices<Tensor> max(const Tensor& x, Dim dim, Flag keepdim) {
  return along_dim("max", ReduceOp::max, x, dim, keepdim);
}

WithIndices<Tensor> min(const Tensor& x, Dim dim, Flag keepdim) {
  return along_dim("min", ReduceOp::min, x, dim, keepdim);
}

Tensor argmax(const Tensor& x) { return flat_index("argmax", ReduceOp::max, x); }

Tensor argmin(const Tensor& x) { return flat_index("argmin", ReduceOp::min, x); }

Tensor argmax(const Tensor& x, Dim dim, Flag keepdim) {
  return along_dim("argmax", ReduceOp::max, x, dim, keepdim).indices;
}

Tensor argmin(const Tensor& x, Dim dim, Flag keepdim) {
  return along_dim("argmin", ReduceOp::min, x, dim, keepdim).indices;
}

}  // namespace heed

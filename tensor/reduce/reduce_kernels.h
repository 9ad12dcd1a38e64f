// Kernels that work along one dimension of contiguous memory: sums, extremes, softmax.
//
// They see their operands as (outer, n, inner) and work along n. With inner 1 that is
// along rows of n neighbours, otherwise along columns, `inner` of them side by side.
#pragma once

#include <cstdint>

namespace heed::kernels {

// One result from n elements: x is (outer, n, inner), out is (outer, inner). Over nothing
// the result is the operation's neutral element. The order of the additions depends on n
// and inner alone, so the bits are the same at every level.
template <class T>
using Fold = void (*)(std::int64_t outer, std::int64_t n, std::int64_t inner, const T* x,
                      T* out);

// For bool, sum is "or" and prod is "and". int64 sums and products wrap around. The
// largest and the smallest are NaN if any element is.
template <class T>
struct Folds {
  Fold<T> sum;
  Fold<T> prod;
  Fold<T> max;
  Fold<T> min;
};

template <class T>
struct ReduceKernels {
  using Map = void (*)(std::int64_t outer, std::int64_t n, std::int64_t inner, const T* x,
                       T* y);

  // For d = x - center, with x (outer, n, inner) and center (outer, inner), the sums of d
  // and of d^2, each (outer, inner).
  void (*moments)(std::int64_t outer, std::int64_t n, std::int64_t inner, const T* x,
                  const T* center, double* sums, double* squares);
  // y = softmax(x), and its logarithm.
  Map softmax;
  Map log_softmax;
  // dx = y (g - sum(g y))
  void (*softmax_backward)(std::int64_t outer, std::int64_t n, std::int64_t inner,
                           const T* g, const T* y, T* dx);
  // dx = g - e^y sum(g), for y of log_softmax (rows, n).
  void (*log_softmax_backward)(std::int64_t rows, std::int64_t n, const T* g, const T* y,
                               T* dx);
  // Whether all x[i * stride], i < n, are finite.
  bool (*all_finite)(std::int64_t n, const T* x, std::int64_t stride);
};

}  // namespace heed::kernels

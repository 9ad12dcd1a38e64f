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

// For a Gaussian kernel's weights y (n, m) of queries q (n) and keys k (n, m) and their
// gradient g (n, m): dq (n), dk (n, m) unless it is null, and dw (n), of each row alone.
template <class T>
struct GaussianGradients {
  std::int64_t n, m;
  const T *q, *k;
  T w;
  const T *y, *g;
  T *dq, *dk, *dw;
};

template <class T>
struct FloatingRows {
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
  // y (n, m) = softmax(-((q - k) w)^2 / 2) along the rows, for q (n) and k (n, m).
  void (*gaussian_weights)(std::int64_t n, std::int64_t m, const T* q, const T* k, T w,
                           T* y);
  void (*gaussian_gradients)(const GaussianGradients<T>& x);
};

struct Rows {
  Folds<float> folds_float32;
  Folds<double> folds_float64;
  Folds<std::int64_t> folds_int64;
  Folds<bool> folds_bool;
  FloatingRows<float> float32;
  FloatingRows<double> float64;
};

namespace baseline {
const Rows& rows();
}
namespace v3 {
const Rows& rows();
}
namespace v4 {
const Rows& rows();
}

// The table of this processor's level.
const Rows& rows();

}  // namespace heed::kernels

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

// Gaussian attention's operands: queries q (n), each with keys k (n, m) and values v (n,
// m) of its own.
template <class T>
struct GaussianOperands {
  std::int64_t n, m;
  const T *q, *k, *v;
  T w;
};

// What it makes of them: the weights p (n, m), the output o (n) and the derivatives of o
// by q and by w, (n) each.
template <class T>
struct GaussianResults {
  T *p, *o, *do_dq, *do_dw;
};

// The gradients of keys and values (n, m), unless they are null, for p, o, and the
// gradient g (n) of o.
template <class T>
struct GaussianGradients {
  const T *p, *o, *g;
  T *dk, *dv;
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
  // p (n, m) = softmax(-((q - k) w)^2 / 2) along the rows, and o (n) = sum(p v).
  void (*gaussian_attention)(const GaussianOperands<T>& x, const GaussianResults<T>& to);
  void (*gaussian_gradients)(const GaussianOperands<T>& x,
                             const GaussianGradients<T>& to);
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

#include "tensor/reduce/reduce_kernels.h"

#include "tensor/kernels/flush.h"
#include "tensor/kernels/folds.h"
#include "tensor/kernels/level.h"
#include "tensor/kernels/softmax.h"

namespace heed::kernels::HEED_KERNELS {
namespace {

template <class T>
void moments(int64_t outer, int64_t n, int64_t inner, const T* x, const T* center,
             double* sums, double* squares) {
  for (int64_t o = 0; o < outer; ++o, center += inner, sums += inner, squares += inner) {
    if (inner == 1) {
      const double c = center[0];
      double sum = 0, square = 0;
#pragma omp simd reduction(+ : sum, square)
      for (int64_t i = 0; i < n; ++i) {
        const double d = x[i] - c;
        sum += d;
        square += d * d;
      }
      sums[0] = sum;
      squares[0] = square;
      x += n;
      continue;
    }
    for (int64_t j = 0; j < inner; ++j) sums[j] = squares[j] = 0;
    for (int64_t i = 0; i < n; ++i, x += inner) {
#pragma omp simd
      for (int64_t j = 0; j < inner; ++j) {
        const double d = static_cast<double>(x[j]) - static_cast<double>(center[j]);
        sums[j] += d;
        squares[j] += d * d;
      }
    }
  }
}

// 0 times a finite number is 0, times any other NaN.
template <class T>
bool all_finite(int64_t n, const T* x, int64_t stride) {
  T sum = 0;
  if (stride == 1) {
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < n; ++i) sum += x[i] * 0;
  } else {
    for (int64_t i = 0; i < n; ++i) sum += x[i * stride] * 0;
  }
  return sum == 0;
}

template <class T>
constexpr Folds<T> folds = {fold<Sum, T>, fold<Product, T>, fold<Largest, T>,
                            fold<Smallest, T>};

template <class T>
constexpr ReduceKernels<T> kernels = {
    moments<T>,
    flushed<softmax<false, T>, int64_t, int64_t, int64_t, const T*, T*>,
    flushed<softmax<true, T>, int64_t, int64_t, int64_t, const T*, T*>,
    flushed<softmax_backward<T>, int64_t, int64_t, int64_t, const T*, const T*, T*>,
    flushed<log_softmax_backward<T>, int64_t, int64_t, const T*, const T*, T*>,
    all_finite<T>};

}  // namespace

template <>
const Folds<float>& get() {
  return folds<float>;
}
template <>
const Folds<double>& get() {
  return folds<double>;
}
template <>
const Folds<int64_t>& get() {
  return folds<int64_t>;
}
template <>
const Folds<bool>& get() {
  return folds<bool>;
}
template <>
const ReduceKernels<float>& get() {
  return kernels<float>;
}
template <>
const ReduceKernels<double>& get() {
  return kernels<double>;
}

}  // namespace heed::kernels::HEED_KERNELS

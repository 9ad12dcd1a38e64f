#include "tensor/reduce/layer_norm_kernels.h"

#include "tensor/kernels/folds.h"
#include "tensor/kernels/level.h"

namespace heed::kernels::HEED_KERNELS {
namespace {

using std::int64_t;

// f(0) + ... + f(n - 1): in blocks of T, sixteen sums side by side, which is fast, and
// the blocks' sums in double, so that a long row loses no digits. The order is the same
// for all kernels. f comes by value: g++ does not vectorise these loops through a
// reference.
template <class T, class F>
double sum_of(int64_t n, F f) {
  constexpr int64_t block = 256, lanes = 16;
  double total = 0;
  for (int64_t begin = 0; begin < n; begin += block) {
    const int64_t end = begin + block < n ? begin + block : n;
    T sums[lanes] = {};
    int64_t i = begin;
    for (; i + lanes <= end; i += lanes) {
#pragma omp simd
      for (int64_t j = 0; j < lanes; ++j) sums[j] += f(i + j);
    }
    for (int64_t j = 0; i < end; ++i, ++j) sums[j] += f(i);
    total += static_cast<double>(fold_lanes<Sum>(sums));
  }
  return total;
}

template <bool weighted, bool biased, class T>
void normalise(int64_t n, const T* x, T mean, T rstd, const T* weight, const T* bias,
               T* y) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) {
    T h = (x[i] - mean) * rstd;
    if constexpr (weighted) h *= weight[i];
    if constexpr (biased) h += bias[i];
    y[i] = h;
  }
}

template <class T>
void forward(int64_t rows, int64_t n, const T* x, const T* weight, const T* bias,
             double eps, T* y, T* mean, T* rstd) {
  const auto write = weight
                         ? (bias ? normalise<true, true, T> : normalise<true, false, T>)
                     : bias ? normalise<false, true, T>
                            : normalise<false, false, T>;
  const auto count = static_cast<double>(n);
  for (int64_t r = 0; r < rows; ++r, x += n, y += n) {
    const T m = static_cast<T>(sum_of<T>(n, [x](int64_t i) { return x[i]; }) / count);
    // In double: an eps that is 0 in float32 counts, and rstd rounds once.
    const double variance =
        sum_of<T>(n, [x, m](int64_t i) { return (x[i] - m) * (x[i] - m); }) / count;
    const T s = static_cast<T>(1 / __builtin_sqrt(variance + eps));
    write(n, x, m, s, weight, bias, y);
    mean[r] = m;
    rstd[r] = s;
  }
}

// With h = (x - mean) rstd and u = g weight:  dx = rstd (u - mean(u) - h mean(u h)).
template <bool weighted, class T>
void backward_x(int64_t n, const T* g, const T* x, const T* weight, T mean, T rstd,
                T* dx) {
  const auto u = [&](int64_t i) { return weighted ? g[i] * weight[i] : g[i]; };
  const auto h = [&](int64_t i) { return (x[i] - mean) * rstd; };
  const auto count = static_cast<double>(n);
  const T mean_u = static_cast<T>(sum_of<T>(n, u) / count);
  const T mean_uh =
      static_cast<T>(sum_of<T>(n, [&](int64_t i) { return u(i) * h(i); }) / count);
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) dx[i] = rstd * (u(i) - mean_u - h(i) * mean_uh);
}

template <class T>
void backward(int64_t rows, int64_t n, const T* g, const T* x, const T* weight,
              const T* mean, const T* rstd, T* dx, T* dweight, T* dbias) {
  for (int64_t r = 0; r < rows; ++r, g += n, x += n) {
    const T m = mean[r], s = rstd[r];
    if (dweight) {
#pragma omp simd
      for (int64_t i = 0; i < n; ++i) dweight[i] += g[i] * ((x[i] - m) * s);
    }
    if (dbias) {
#pragma omp simd
      for (int64_t i = 0; i < n; ++i) dbias[i] += g[i];
    }
    if (!dx) continue;
    if (weight) {
      backward_x<true>(n, g, x, weight, m, s, dx);
    } else {
      backward_x<false>(n, g, x, weight, m, s, dx);
    }
    dx += n;
  }
}

template <class T>
constexpr LayerNormKernels<T> kernels = {forward<T>, backward<T>};

}  // namespace

template <>
const LayerNormKernels<float>& get() {
  return kernels<float>;
}
template <>
const LayerNormKernels<double>& get() {
  return kernels<double>;
}

}  // namespace heed::kernels::HEED_KERNELS

#include "tensor/kernels/norms.h"

namespace heed::kernels::HEED_KERNELS {
namespace {

using Size = std::int64_t;

double root(double x) { return __builtin_sqrt(x); }

template <class T>
void forward(Size rows, Size n, const T* x, const T* weight, const T* bias, double eps,
             T* y, T* mean, T* rstd) {
  for (Size r = 0; r < rows; ++r, x += n, y += n) {
    T sum = 0;
#pragma omp simd reduction(+ : sum)
    for (Size i = 0; i < n; ++i) sum += x[i];
    const T m = sum / static_cast<T>(n);
    T squares = 0;
#pragma omp simd reduction(+ : squares)
    for (Size i = 0; i < n; ++i) squares += (x[i] - m) * (x[i] - m);
    // In double, once a row: an eps that is 0 in float32 counts, and rstd rounds once.
    const double variance = static_cast<double>(squares) / static_cast<double>(n);
    const T s = static_cast<T>(1 / root(variance + eps));
#pragma omp simd
    for (Size i = 0; i < n; ++i) y[i] = (x[i] - m) * s;
    if (weight) {
#pragma omp simd
      for (Size i = 0; i < n; ++i) y[i] *= weight[i];
    }
    if (bias) {
#pragma omp simd
      for (Size i = 0; i < n; ++i) y[i] += bias[i];
    }
    mean[r] = m;
    rstd[r] = s;
  }
}

// With h = (x - mean) rstd and u = g weight:  dx = rstd (u - mean(u) - h mean(u h)).
template <bool weighted, class T>
void backward_x(Size n, const T* g, const T* x, const T* weight, T mean, T rstd, T* dx) {
  const auto u = [&](Size i) { return weighted ? g[i] * weight[i] : g[i]; };
  T sum = 0, product = 0;
#pragma omp simd reduction(+ : sum, product)
  for (Size i = 0; i < n; ++i) {
    sum += u(i);
    product += u(i) * ((x[i] - mean) * rstd);
  }
  sum /= static_cast<T>(n);
  product /= static_cast<T>(n);
#pragma omp simd
  for (Size i = 0; i < n; ++i) {
    dx[i] = rstd * (u(i) - sum - (x[i] - mean) * rstd * product);
  }
}

template <class T>
void backward(Size rows, Size n, const T* g, const T* x, const T* weight, const T* mean,
              const T* rstd, T* dx, T* dweight, T* dbias) {
  for (Size r = 0; r < rows; ++r, g += n, x += n) {
    const T m = mean[r], s = rstd[r];
    if (dweight) {
#pragma omp simd
      for (Size i = 0; i < n; ++i) dweight[i] += g[i] * ((x[i] - m) * s);
    }
    if (dbias) {
#pragma omp simd
      for (Size i = 0; i < n; ++i) dbias[i] += g[i];
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

constexpr LayerNormTable table = {{forward<float>, backward<float>},
                                  {forward<double>, backward<double>}};

}  // namespace

const LayerNormTable& layer_norms() { return table; }

}  // namespace heed::kernels::HEED_KERNELS

// The weights of a Gaussian kernel, for the kernel file rows.cpp alone;
// tensor/gaussian_weights.h has the formulas.
#pragma once

#include "tensor/kernels/softmax.h"

namespace heed::kernels::HEED_KERNELS {
namespace {

// y[j] = -((q - k[j]) w)^2 / 2
template <class T>
void gaussian_scores(Size m, T q, const T* k, T w, T* y) {
#pragma omp simd
  for (Size j = 0; j < m; ++j) {
    const T d = (q - k[j]) * w;
    y[j] = T(-0.5) * (d * d);
  }
}

// A long row's scores are still in the nearest cache when softmax takes them; short rows
// it takes together.
template <class T>
void gaussian_weights(Size n, Size m, const T* q, const T* k, T w, T* y) {
  const bool together = m <= short_row;
  for (Size i = 0; i < n; ++i) {
    gaussian_scores(m, q[i], k + i * m, w, y + i * m);
    if (!together) softmax_row(m, y + i * m, y + i * m);
  }
  if (together) softmax<false>(n, m, 1, y, y);
}

template <class T>
void gaussian_gradients(const GaussianGradients<T>& x) {
  for (Size row = 0; row < x.n; ++row) {
    const T *const k = x.k + row * x.m, *const y = x.y + row * x.m,
                   *const g = x.g + row * x.m;
    const T q = x.q[row], w = x.w;
    const T gy = dot(x.m, g, 1, y, 1);
    T sum_d = 0, sum_dd = 0;
#pragma omp simd reduction(+ : sum_d, sum_dd)
    for (Size j = 0; j < x.m; ++j) {
      // From left to right: d d may overflow where ds or d w is 0.
      const T d = q - k[j], slope = y[j] * (g[j] - gy) * (d * w);
      sum_d += slope;
      sum_dd += slope * d;
    }
    x.dq[row] = -w * sum_d;
    x.dw[row] = -sum_dd;
    if (!x.dk) continue;
    T* const dk = x.dk + row * x.m;
#pragma omp simd
    for (Size j = 0; j < x.m; ++j) {
      dk[j] = w * (y[j] * (g[j] - gy) * ((q - k[j]) * w));
    }
  }
}

}  // namespace
}  // namespace heed::kernels::HEED_KERNELS

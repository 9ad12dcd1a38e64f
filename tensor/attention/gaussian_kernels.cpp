#include "tensor/attention/gaussian_kernels.h"

#include "tensor/kernels/flush.h"
#include "tensor/kernels/level.h"
#include "tensor/kernels/softmax.h"

namespace heed::kernels::HEED_KERNELS {
namespace {

// y[j] = -((q - k[j]) w)^2 / 2
template <class T>
void scores(int64_t m, T q, const T* k, T w, T* y) {
#pragma omp simd
  for (int64_t j = 0; j < m; ++j) {
    const T scaled = (q - k[j]) * w;
    y[j] = T(-0.5) * (scaled * scaled);
  }
}

// The output of a row, and its derivatives by q and w: here, where a long row is still in
// the cache, so that the way back reads rows only for dk and dv.
template <class T>
void output(const GaussianOperands<T>& x, int64_t i, const GaussianResults<T>& to) {
  const T *const k = x.k + i * x.m, *const v = x.v + i * x.m, *const p = to.p + i * x.m;
  const T q = x.q[i], w = x.w, o = dot(x.m, p, 1, v, 1);
  T sum_slope = 0, sum_slope_d = 0;
#pragma omp simd reduction(+ : sum_slope, sum_slope_d)
  for (int64_t j = 0; j < x.m; ++j) {
    // The slope first, then times d: d d may overflow where the weight or d w is 0.
    const T d = q - k[j], slope = p[j] * (v[j] - o) * (d * w);
    sum_slope += slope;
    sum_slope_d += slope * d;
  }
  to.o[i] = o;
  to.do_dq[i] = -w * sum_slope;
  to.do_dw[i] = -sum_slope_d;
}

// A long row's scores are still in the nearest cache when softmax takes them; short rows
// it takes together.
template <class T>
void attention(const GaussianOperands<T>& x, const GaussianResults<T>& to) {
  const bool together = x.m <= short_row;
  for (int64_t i = 0; i < x.n; ++i) {
    T* const row = to.p + i * x.m;
    scores(x.m, x.q[i], x.k + i * x.m, x.w, row);
    if (together) continue;
    softmax_rows<false>(1, x.m, row, row);
    output(x, i, to);
  }
  if (!together) return;
  softmax<false>(x.n, x.m, 1, to.p, to.p);
  for (int64_t i = 0; i < x.n; ++i) output(x, i, to);
}

template <class T>
void gradients(const GaussianOperands<T>& x, const GaussianBackward<T>& from,
               const GaussianGradients<T>& to) {
  for (int64_t i = 0; i < x.n; ++i) {
    const T *const k = x.k + i * x.m, *const v = x.v + i * x.m;
    const T* const p = from.p + i * x.m;
    const T q = x.q[i], w = x.w, g = from.g[i], o = from.o[i];
    if (to.dk) {
      T* const dk = to.dk + i * x.m;
#pragma omp simd
      for (int64_t j = 0; j < x.m; ++j) {
        dk[j] = w * (g * (p[j] * (v[j] - o) * ((q - k[j]) * w)));
      }
    }
    if (to.dv) {
      T* const dv = to.dv + i * x.m;
#pragma omp simd
      for (int64_t j = 0; j < x.m; ++j) dv[j] = p[j] * g;
    }
  }
}

template <class T>
constexpr GaussianKernels<T> kernels = {
    flushed<attention<T>, const GaussianOperands<T>&, const GaussianResults<T>&>,
    flushed<gradients<T>, const GaussianOperands<T>&, const GaussianBackward<T>&,
            const GaussianGradients<T>&>};

}  // namespace

template <>
const GaussianKernels<float>& get() {
  return kernels<float>;
}
template <>
const GaussianKernels<double>& get() {
  return kernels<double>;
}

}  // namespace heed::kernels::HEED_KERNELS

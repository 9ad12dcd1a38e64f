#include "tensor/attention/additive_kernels.h"

#include "tensor/kernels/folds.h"
#include "tensor/kernels/level.h"
#include "tensor/kernels/math.h"

namespace heed::kernels::HEED_KERNELS {
namespace {

// The hidden units are added in lanes: the order is the same at every level.
template <class T>
T score(int64_t h, const T* q, const T* k, const T* w) {
  constexpr int64_t wide = additive_width;
  T lanes[wide] = {};
  const auto add = [&](int64_t first, int64_t width) {
    for_elements<T>(width, [&](int64_t c) {
      lanes[c] += w[first + c] * tanh(q[first + c] + k[first + c]);
    });
  };
  int64_t first = 0;
  for (; first + wide <= h; first += wide) add(first, wide);
  if (first < h) add(first, h - first);
  return fold_lanes<Sum>(lanes);
}

template <class T>
void scores(int64_t m, int64_t h, const T* q, const T* k, const T* w, T* scores) {
  for (int64_t j = 0; j < m; ++j) scores[j] = score(h, q, k + j * h, w);
}

// The sums for one query are in T, those over queries for w in double: they have n times
// as many terms. w[c] is a common factor, and comes last.
template <class T>
[[gnu::always_inline]] inline void add_gradients(const AdditiveGradients<T>& x,
                                                 int64_t width) {
  double dw[additive_width] = {};
  for (int64_t j = 0; j < x.m; ++j) {
    for (int64_t c = 0; c < width; ++c) x.dk[j * x.h + c] = 0;
  }
  for (int64_t i = 0; i < x.n; ++i) {
    const T* const q = x.q + i * x.h;
    T* const dq = x.dq + i * x.h;
    T sum[additive_width] = {}, sum_t[additive_width] = {};
    for (int64_t j = 0; j < x.m; ++j) {
      const T g = x.g[i * x.m + j];
      if (g == 0) continue;
      const T* const k = x.k + j * x.h;
      T* const dk = x.dk + j * x.h;
      for_elements<T>(width, [&](int64_t c) {
        const T t = tanh(q[c] + k[c]);
        const T d = g * (1 - t * t);
        sum[c] += d;
        dk[c] += d;
        sum_t[c] += g * t;
      });
    }
    for (int64_t c = 0; c < width; ++c) {
      dq[c] = x.w[c] * sum[c];
      dw[c] += static_cast<double>(sum_t[c]);
    }
  }
  for (int64_t j = 0; j < x.m; ++j) {
    for (int64_t c = 0; c < width; ++c) x.dk[j * x.h + c] *= x.w[c];
  }
  for (int64_t c = 0; c < width; ++c) x.dw[c] = static_cast<T>(dw[c]);
}

template <class T>
void gradients(const AdditiveGradients<T>& x, int64_t width) {
  if (width == additive_width) {  // a constant makes whole vectors of the loops
    add_gradients(x, additive_width);
  } else {
    add_gradients(x, width);
  }
}

template <class T>
constexpr AdditiveKernels<T> kernels = {scores<T>, gradients<T>};

}  // namespace

template <>
const AdditiveKernels<float>& get() {
  return kernels<float>;
}
template <>
const AdditiveKernels<double>& get() {
  return kernels<double>;
}

}  // namespace heed::kernels::HEED_KERNELS

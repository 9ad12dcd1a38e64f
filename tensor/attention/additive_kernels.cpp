#include "tensor/attention/additive_kernels.h"

#include "tensor/kernels/folds.h"
#include "tensor/kernels/level.h"
#include "tensor/kernels/math.h"

namespace heed::kernels::HEED_KERNELS {
namespace {

// The rows of a query and a key, and their powers.
template <class T>
struct Pair {
  const T *q, *k;
  Powers<T> of_q = {}, of_k = {};
};

// Calls f with the function that gives tanh(q[c] + k[c]). By powers its absolute error in
// float32 is 2.5e-7. Where all is small, E is near 1: then E - 1 is formed from e^2q - 1
// and e^2k - 1, as a subtraction would lose the low bits of q and k. Above 20, E might
// soon be infinite.
template <bool by_powers, class T, class F>
[[gnu::always_inline]] inline void with_tanh(const Pair<T>& x, F&& f) {
  const T *const q = x.q, *const k = x.k;
  const auto exact = [=](int64_t c) { return tanh(q[c] + k[c]); };
  if constexpr (by_powers) {
    const T largest =
        *x.of_q.largest > *x.of_k.largest ? *x.of_q.largest : *x.of_k.largest;
    if (largest <= T(0.5)) {
      const T *const a = x.of_q.less_one, *const b = x.of_k.less_one;
      f([=](int64_t c) {
        const T e = fma(a[c], b[c], a[c] + b[c]);
        return e / (e + 2);
      });
    } else if (largest <= 20) {
      const T *const a = x.of_q.power, *const b = x.of_k.power;
      f([=](int64_t c) {
        const T e = a[c] * b[c];
        return (e - 1) / (e + 1);
      });
    } else {
      f(exact);
    }
  } else {
    f(exact);
  }
}

// The hidden units are added in lanes: the order is the same at every level.
template <bool by_powers, class T>
T score(int64_t h, const Pair<T>& x, const T* w) {
  constexpr int64_t wide = additive_width;
  T lanes[wide] = {};
  with_tanh<by_powers>(x, [&](auto tanh_at) {
    const auto add = [&](int64_t first, int64_t width) {
      for_elements<T>(width,
                      [&](int64_t c) { lanes[c] += w[first + c] * tanh_at(first + c); });
    };
    int64_t first = 0;
    for (; first + wide <= h; first += wide) add(first, wide);
    if (first < h) add(first, h - first);
  });
  return fold_lanes<Sum>(lanes);
}

template <class T>
void scores(int64_t m, int64_t h, const T* q, const T* k, const T* w, T* scores) {
  for (int64_t j = 0; j < m; ++j) scores[j] = score<false>(h, Pair<T>{q, k + j * h}, w);
}

template <class T>
void scores_by_powers(int64_t m, int64_t h, const T* q, const T* k, const T* w,
                      const Powers<T>& of_q, const Powers<T>& of_k, T* scores) {
  for (int64_t j = 0; j < m; ++j) {
    scores[j] = score<true>(h, Pair<T>{q, k + j * h, of_q, of_k.row(j, h)}, w);
  }
}

// e^2x and e^2x - 1 for |x| <= 20.
[[gnu::always_inline]] inline void power_of(float x, float& power, float& less_one) {
  const ExpParts e = exp_parts(x + x);
  power = exp_of_parts(e);
  less_one = expm1_of_parts(e);
}
inline void power_of(double x, double& power, double& less_one) {
  less_one = expm1(x + x);
  power = exp(x + x);
}

template <class T>
void powers(int64_t rows, int64_t width, const T* x, int64_t stride,
            const Powers<T>& to) {
  for (int64_t i = 0; i < rows; ++i, x += stride) {
    const Powers<T> row = to.row(i, width);
    for_elements<T>(width,
                    [&](int64_t c) { power_of(x[c], row.power[c], row.less_one[c]); });
    T largest = 0;
#pragma omp simd reduction(max : largest)
    for (int64_t c = 0; c < width; ++c) {
      const T a = x[c] < 0 ? -x[c] : x[c];
      largest = a > largest ? a : largest;
    }
    *row.largest = largest;
  }
}

// dq and dk are added up in T; dw over the keys of a query in T, over queries in double.
// In dq and dk, w[c] is a common factor, and comes last.
template <bool by_powers, class T>
[[gnu::always_inline]] inline void add_gradients(const AdditiveBackward<T>& x,
                                                 int64_t width) {
  double dw[additive_width] = {};
  for (int64_t j = 0; j < x.m; ++j) {
    for (int64_t c = 0; c < width; ++c) x.dk[j * x.h + c] = 0;
  }
  Powers<T> of_q{}, of_k{};
  if constexpr (by_powers) {
    of_q = Powers<T>::in(x.powers, x.n, width);
    of_k = Powers<T>::in(x.powers + Powers<T>::size(x.n, width), x.m, width);
    powers(x.n, width, x.q, x.h, of_q);
    powers(x.m, width, x.k, x.h, of_k);
  }
  for (int64_t i = 0; i < x.n; ++i) {
    T* const dq = x.dq + i * x.h;
    T sum[additive_width] = {}, sum_t[additive_width] = {};
    for (int64_t j = 0; j < x.m; ++j) {
      const T g = x.g[i * x.m + j];
      if (g == 0) continue;
      T* const dk = x.dk + j * x.h;
      const Pair<T> pair{x.q + i * x.h, x.k + j * x.h, of_q.row(i, width),
                         of_k.row(j, width)};
      with_tanh<by_powers>(pair, [&](auto tanh_at) {
        for_elements<T>(width, [&](int64_t c) {
          const T t = tanh_at(c);
          const T d = g * (1 - t * t);
          sum[c] += d;
          dk[c] += d;
          sum_t[c] += g * t;
        });
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

template <bool by_powers, class T>
void gradients_of(const AdditiveBackward<T>& x, int64_t width) {
  if (width == additive_width) {  // a constant makes whole vectors of the loops
    add_gradients<by_powers>(x, additive_width);
  } else {
    add_gradients<by_powers>(x, width);
  }
}

template <class T>
void gradients(const AdditiveBackward<T>& x, int64_t width) {
  x.powers ? gradients_of<true>(x, width) : gradients_of<false>(x, width);
}

template <class T>
constexpr AdditiveKernels<T> kernels = {scores<T>, scores_by_powers<T>, powers<T>,
                                        gradients<T>};

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

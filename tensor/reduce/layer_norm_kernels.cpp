#include "tensor/reduce/layer_norm_kernels.h"

#include "tensor/kernels/folds.h"
#include "tensor/kernels/level.h"
#include "tensor/kernels/vector.h"

namespace heed::kernels::HEED_KERNELS {
namespace {

using std::int64_t;

// k sums over i < n, formed in one pass: add(at, sums) adds a term to each, where at(x)
// is x[i], or a vector of neighbours. In blocks of T, sixteen sums side by side, which is
// fast, and the blocks' sums in double, so that a long row loses no digits. The order is
// the same for all kernels.
template <class T, int k, class F>
[[gnu::always_inline]] inline void add_up(int64_t n, const F& add, double (&total)[k]) {
  constexpr int64_t block = 256, side_by_side = 16;
  constexpr int vectors = side_by_side / lanes<T>;
  repeat<k>([&](auto c) { total[c] = 0; });
  for (int64_t begin = 0; begin < n; begin += block) {
    const int64_t end = begin + block < n ? begin + block : n;
    Vector<T> sums[vectors][k] = {};
    int64_t i = begin;
    for (; i + side_by_side <= end; i += side_by_side) {
      repeat<vectors>([&](auto v) {
        add([&](const T* x) { return load(x + i + v * lanes<T>); }, sums[v]);
      });
    }
    T lane[k][side_by_side];
    repeat<vectors>([&](auto v) {
      repeat<k>([&](auto c) {
        std::memcpy(lane[c] + v * lanes<T>, &sums[v][c], vector_bytes);
      });
    });
    for (int64_t j = 0; i < end; ++i, ++j) {
      T term[k] = {};
      add([&](const T* x) { return x[i]; }, term);
      repeat<k>([&](auto c) { lane[c][j] += term[c]; });
    }
    repeat<k>([&](auto c) { total[c] += static_cast<double>(fold_lanes<Sum>(lane[c])); });
  }
}

template <class T, class F>
[[gnu::always_inline]] inline double sum_of(int64_t n, const F& f) {
  double total[1];
  add_up<T>(
      n, [&](const auto& at, auto& sums) { sums[0] += f(at); }, total);
  return total[0];
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
    const T m =
        static_cast<T>(sum_of<T>(n, [x](const auto& at) { return at(x); }) / count);
    const auto square = [x, m](const auto& at) { return (at(x) - m) * (at(x) - m); };
    // In double: an eps that is 0 in float32 counts, and rstd rounds once.
    const double variance = sum_of<T>(n, square) / count;
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
  const auto u = [&](const auto& at) {
    if constexpr (weighted) {
      return at(g) * at(weight);
    } else {
      return at(g);
    }
  };
  const auto h = [&](const auto& at) { return (at(x) - mean) * rstd; };
  double total[2];  // of u, and of u h
  add_up<T>(
      n,
      [&](const auto& at, auto& sums) {
        sums[0] += u(at);
        sums[1] += u(at) * h(at);
      },
      total);
  const auto count = static_cast<double>(n);
  const T mean_u = static_cast<T>(total[0] / count);
  const T mean_uh = static_cast<T>(total[1] / count);
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) {
    const auto at = [i](const T* row) { return row[i]; };
    dx[i] = rstd * (u(at) - mean_u - h(at) * mean_uh);
  }
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

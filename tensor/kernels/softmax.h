// The softmax family, for the kernel files alone. softmax(), below, has three ways:
//   softmax_columns()     not along rows
//   softmax_short_rows()  8 rows or more of up to 64 elements: they become columns
//   softmax_rows()        other rows: four at a time up to 256 elements, else one by one
#pragma once

#include "tensor/kernels/folds.h"
#include "tensor/kernels/math.h"
#include "tensor/kernels/stream.h"
#include "tensor/kernels/transpose.h"
#include "tensor/kernels/vector.h"

namespace heed::kernels::HEED_KERNELS {
namespace {

// The largest of numbers without NaN. Where there is a NaN, it may be any of them: the
// NaN's exp makes the sum NaN, and so the whole row. A row of -inf alone has -inf - -inf,
// which is NaN as well.
struct LargestNumber : Largest {
  template <class T>
  static T of(T a, T b) {
    return b > a ? b : a;
  }
};

// How many elements at a time pass through the cache nearest to the processor. It also
// bounds how many are added in T before the sum moves on to a double.
constexpr int64_t piece = 2048;

// Rows of up to medium_row elements are computed four at a time. Each pass goes over all
// of them before the next begins: a row's largest number and its sum come at the end of a
// chain of steps, and meanwhile the processor is busy with other rows.
constexpr int64_t medium_row = 256, most_rows = 4;
static_assert(most_rows * medium_row <= piece);

// One row of any length, or up to most_rows rows of up to medium_row elements. The
// exponentials are left in y; of a log-softmax, which needs only their sum, in a place of
// their own.
template <bool logarithm, class T>
void softmax_rows(int64_t rows, int64_t n, const T* x, T* y) {
  T shift[most_rows], exps[logarithm ? piece : 1];
  double sum[most_rows] = {};
  for (int64_t r = 0; r < rows; ++r) shift[r] = fold_row<LargestNumber>(n, x + r * n);
  for (int64_t first = 0; first < n; first += piece) {
    const int64_t count = n - first < piece ? n - first : piece;
    T* const e = logarithm ? exps : y + first;
    for (int64_t r = 0; r < rows; ++r) {
      const auto exp_of = [largest = shift[r]](auto x) {
        return exp_nonpositive(x - largest);
      };
      map(count, e + r * n, exp_of, x + r * n + first);
    }
    for (int64_t r = 0; r < rows; ++r) sum[r] += fold_row<Sum>(count, e + r * n);
  }
  for (int64_t r = 0; r < rows; ++r, x += n, y += n) {
    const T last = static_cast<T>(logarithm ? log(sum[r]) : 1 / sum[r]);
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) {
      y[i] = logarithm ? x[i] - shift[r] - last : y[i] * last;
    }
  }
}

// Columns: the same three passes (the largest; exp and sum; the quotients), for up to
// most_columns of them side by side. Each is added up as four sums in turn: the fewer
// numbers go into a sum, the less is rounded off.
constexpr int64_t most_columns = 256;

template <bool logarithm, class T>
void softmax_columns(int64_t n, int64_t inner, const T* x, T* y) {
  T shift[most_columns], sums[4][most_columns], exps[logarithm ? most_columns : 1];
  for (int64_t first = 0; first < inner; first += most_columns) {
    const int64_t width = inner - first < most_columns ? inner - first : most_columns;
    for (int64_t j = 0; j < width; ++j) {
      shift[j] = LargestNumber::neutral<T>;
      sums[0][j] = sums[1][j] = sums[2][j] = sums[3][j] = 0;
    }
    for (int64_t i = first; i < n * inner; i += inner) {
#pragma omp simd
      for (int64_t j = 0; j < width; ++j)
        shift[j] = LargestNumber::of(shift[j], x[i + j]);
    }
    for (int64_t row = 0; row < n; ++row) {
      const int64_t i = row * inner + first;
      T* const sum = sums[row % 4];
      T* const e = logarithm ? exps : y + i;
      const auto exp_of = [](auto x, auto largest) {
        return exp_nonpositive(x - largest);
      };
      map(width, e, exp_of, x + i, shift);
#pragma omp simd
      for (int64_t j = 0; j < width; ++j) {
        sum[j] += e[j];
        if (logarithm) y[i + j] = x[i + j] - shift[j];
      }
    }
    T* const scale = sums[0];
    for (int64_t j = 0; j < width; ++j) {
      const T sum = (sums[0][j] + sums[1][j]) + (sums[2][j] + sums[3][j]);
      scale[j] = logarithm ? static_cast<T>(log(sum)) : 1 / sum;
    }
    for (int64_t i = first; i < n * inner; i += inner) {
#pragma omp simd
      for (int64_t j = 0; j < width; ++j) {
        y[i + j] = logarithm ? y[i + j] - scale[j] : y[i + j] * scale[j];
      }
    }
  }
}

// Of a short row, adding up the lanes of a vector costs more than the rest, and very
// short ones leave most lanes empty. So 8 rows or more are laid side by side as columns,
// padded to a multiple of 16. (A thread's share is always many rows, so that which way is
// taken does not depend on the threads.)
constexpr int64_t short_row = 64;
constexpr int64_t few_rows = 8;
constexpr int64_t side_by_side = 64;

template <bool logarithm, class T>
void softmax_short_rows(int64_t rows, int64_t n, const T* x, T* y) {
  T e[short_row * side_by_side];
  while (rows > 0) {
    const int64_t now = rows < side_by_side ? rows : side_by_side;
    const int64_t width = (now + 15) / 16 * 16;
    transpose(now, n, x, n, e, width);
    for (int64_t i = 0; now < width && i < n; ++i) {
      for (int64_t j = now; j < width; ++j) e[i * width + j] = 0;
    }
    softmax_columns<logarithm>(n, width, e, e);
    transpose(n, now, e, width, y, n);
    rows -= now;
    x += now * n;
    y += now * n;
  }
}

template <bool logarithm, class T>
void softmax(int64_t outer, int64_t n, int64_t inner, const T* x, T* y) {
  if (inner != 1) {
    for (int64_t o = 0; o < outer; ++o, x += n * inner, y += n * inner) {
      softmax_columns<logarithm>(n, inner, x, y);
    }
    return;
  }
  if (n <= short_row && outer >= few_rows) {
    softmax_short_rows<logarithm>(outer, n, x, y);
    return;
  }
  const int64_t at_once = n <= medium_row ? most_rows : 1;
  const bool streamed = n <= piece && is_streamed<T>(outer * n);
  T result[piece];
  for (int64_t now; outer > 0; outer -= now, x += now * n, y += now * n) {
    now = outer < at_once ? outer : at_once;
    softmax_rows<logarithm>(now, n, x, streamed ? result : y);
    // In turn 256 elements of the result go to memory, past the caches, and 256 elements
    // of the next rows are fetched: larger parts take longer. (To fetch from beyond the
    // end does no harm.)
    constexpr int64_t step = 256;
    for (int64_t i = 0; streamed && i < now * n; i += step) {
      const int64_t count = now * n - i < step ? now * n - i : step;
      for (int64_t k = 0; k < count; k += cache_line<T>) {
        __builtin_prefetch(x + now * n + i + k);
      }
      stream(count, result + i, y + i);
    }
  }
  if (streamed) end_stream();
}

// The gradient of y = softmax(x): dx = y (g - Σ g y), with the sum over each column. Rows
// are below.
template <class T>
void softmax_backward_columns(int64_t n, int64_t inner, const T* g, const T* y, T* dx) {
  T sum[most_columns];
  for (int64_t first = 0; first < inner; first += most_columns) {
    const int64_t width = inner - first < most_columns ? inner - first : most_columns;
    for (int64_t j = 0; j < width; ++j) sum[j] = 0;
    for (int64_t i = first; i < n * inner; i += inner) {
#pragma omp simd
      for (int64_t j = 0; j < width; ++j) sum[j] += g[i + j] * y[i + j];
    }
    for (int64_t i = first; i < n * inner; i += inner) {
#pragma omp simd
      for (int64_t j = 0; j < width; ++j) dx[i + j] = y[i + j] * (g[i + j] - sum[j]);
    }
  }
}

template <class T>
void softmax_backward(int64_t outer, int64_t n, int64_t inner, const T* g, const T* y,
                      T* dx) {
  const int64_t step = n * inner;
  for (int64_t o = 0; o < outer; ++o, g += step, y += step, dx += step) {
    if (inner != 1) {
      softmax_backward_columns(n, inner, g, y, dx);
      continue;
    }
    const T sum = dot(n, g, 1, y, 1);
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) dx[i] = y[i] * (g[i] - sum);
  }
}

// y is a log-softmax, so that no element is above 0.
template <class T>
void log_softmax_backward(int64_t rows, int64_t n, const T* g, const T* y, T* dx) {
  for (int64_t row = 0; row < rows; ++row, g += n, y += n, dx += n) {
    const T sum = fold_row<Sum>(n, g);
    const auto slope = [sum](auto g, auto y) { return g - exp_nonpositive(y) * sum; };
    map(n, dx, slope, g, y);
  }
}

}  // namespace
}  // namespace heed::kernels::HEED_KERNELS

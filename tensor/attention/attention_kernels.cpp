#include "tensor/attention/attention_kernels.h"

#include "tensor/kernels/flush.h"
#include "tensor/kernels/folds.h"
#include "tensor/kernels/level.h"
#include "tensor/kernels/math.h"
#include "tensor/kernels/transpose.h"

namespace heed::kernels::HEED_KERNELS {
namespace {

static_assert(2 * lanes<float> <= widest_tile);

// Calls f<width>() for the widths of most tiles, and f<0>() for others: a loop of known
// length is a few instructions.
template <class F>
void for_width(int64_t width, F&& f) {
  switch (width) {
    case 8: return f.template operator()<8>();
    case 16: return f.template operator()<16>();
    case 32: return f.template operator()<32>();
    default: return f.template operator()<0>();
  }
}

// Sums of so many rows are added up, and not single elements: the error grows more
// slowly.
constexpr int64_t rows_at_once = 64;

template <int fixed, class T>
void exp_columns(int64_t n, int64_t any_width, const int64_t* lens, T* x, T* largest,
                 T* inverse_sums) {
  const int width = fixed ? fixed : static_cast<int>(any_width);
  constexpr int most = fixed ? fixed : static_cast<int>(widest_tile);
  int seen[most];
  T shift[most], sum[most], part[most];
  int shortest = static_cast<int>(n);
  for (int j = 0; j < width; ++j) {
    seen[j] = static_cast<int>(lens[j] < n ? lens[j] : n);
    shortest = seen[j] < shortest ? seen[j] : shortest;
    sum[j] = 0;
  }
  for (int i = shortest; i < n; ++i) {
    T* const row = x + int64_t{i} * width;
#pragma omp simd
    for (int j = 0; j < width; ++j) row[j] = i < seen[j] ? row[j] : -infinity;
  }
  fold_rows<Largest>(n, width, x, shift);
  for (int64_t i = 0; i < n; i += rows_at_once, x += rows_at_once * width) {
    const int64_t now = n - i < rows_at_once ? n - i : rows_at_once;
    for (int64_t r = 0; r < now; ++r) {
      T* const row = x + r * width;
      for_elements<T>(width, [&](int j) { row[j] = exp_nonpositive(row[j] - shift[j]); });
    }
    fold_rows<Sum>(now, width, x, part);
    for (int j = 0; j < width; ++j) sum[j] += part[j];
  }
  for (int j = 0; j < width; ++j) {
    largest[j] = shift[j];
    inverse_sums[j] = 1 / sum[j];
  }
}

template <class T>
void add_bias(int64_t rows, int64_t n, const T* bias, int64_t row_stride,
              int64_t column_stride, T* x, int64_t x_stride) {
  const auto sum = [](T b, T x) { return b == -infinity ? b : x + b; };
  for (int64_t i = 0; i < rows; ++i, x += x_stride, bias += row_stride) {
    if (column_stride == 1) {
#pragma omp simd
      for (int64_t j = 0; j < n; ++j) x[j] = sum(bias[j], x[j]);
    } else {
      for (int64_t j = 0; j < n; ++j) x[j] = sum(bias[j * column_stride], x[j]);
    }
  }
}

// 32 rows of x at a time, for which a column's bits are half a word.
template <int fixed, class T>
void drop_columns(int64_t n, int64_t any_width, int64_t count, const int64_t* bits,
                  int64_t stride, T* x) {
  const int width = fixed ? fixed : static_cast<int>(any_width);
  constexpr int most = fixed ? fixed : static_cast<int>(widest_tile);
  std::uint32_t half[most];
  for (int j = 0; j < width; ++j) half[j] = 0;
  for (int64_t first = 0; first < n; first += 32) {
    for (int j = 0; j < count; ++j) {
      half[j] = static_cast<std::uint32_t>(bits[j * stride + first / 64] >> (first % 64));
    }
    for (int i = 0; i < 32 && first + i < n; ++i, x += width) {
#pragma omp simd
      for (int j = 0; j < width; ++j) x[j] = (half[j] >> i & 1) != 0 ? x[j] : 0;
    }
  }
}

// factor[j] for the keys first + j that are seen. Where tiles are 8, 16 or 32 keys wide,
// the bits of one lie in one word.
template <int fixed, class T>
void read_factors(const int64_t* bits, int64_t first, int seen, T stay_factor,
                  T* factor) {
  if constexpr (fixed != 0) {
    const auto half = static_cast<std::uint32_t>(bits[first / 64] >> (first % 64));
#pragma omp simd
    for (int j = 0; j < fixed; ++j) factor[j] = (half >> j & 1) != 0 ? stay_factor : 0;
  } else {
    for (int j = 0; j < seen; ++j) {
      const int64_t key = first + j;
      factor[j] = (bits[key / 64] >> (key % 64) & 1) != 0 ? stay_factor : 0;
    }
  }
}

template <int fixed, class T>
void scores_backward(const ScoresPanel<T>& panel) {
  const int width = fixed ? fixed : static_cast<int>(panel.width);
  constexpr int most = fixed ? fixed : static_cast<int>(widest_tile);
  T p[most], factor[most];
  for (int j = 0; j < width; ++j) factor[j] = 1;
  for (int64_t i = 0; i < panel.rows; ++i) {
    T* const s = panel.s + i * panel.stride;
    const int64_t beyond = panel.lens[i] - panel.first;
    const int seen = static_cast<int>(beyond < 0 ? 0 : beyond < width ? beyond : width);
    if (panel.bits && seen > 0) {
      read_factors<fixed>(panel.bits + i * panel.bits_stride, panel.first, seen,
                          panel.stay_factor, factor);
    }
    const T largest = panel.largest[i], inverse_sum = panel.inverse_sums[i];
    for_elements<T>(width, [&](int j) {
      const T weight = exp_nonpositive(s[j] - largest) * inverse_sum;
      p[j] = j < seen && s[j] != -infinity ? weight : 0;
    });
    if (panel.d) {
      T* const d = panel.d + i * panel.stride;
      const T dot = panel.dots[i];
#pragma omp simd
      for (int j = 0; j < width; ++j) {
        const T slope = p[j] * (d[j] * factor[j] - dot);
        d[j] = j < seen && s[j] != -infinity ? slope : 0;
      }
    }
#pragma omp simd
    for (int j = 0; j < width; ++j) s[j] = p[j] * factor[j];
  }
}

template <class T>
void exp_columns_flushed(int64_t n, int64_t width, const int64_t* lens, T* x, T* largest,
                         T* inverse_sums) {
  for_width(width, [&]<int fixed>() {
    flushed<exp_columns<fixed, T>>(n, width, lens, x, largest, inverse_sums);
  });
}

template <class T>
void drop_columns_of(int64_t n, int64_t width, int64_t count, const int64_t* bits,
                     int64_t stride, T* x) {
  for_width(width, [&]<int fixed>() {
    drop_columns<fixed, T>(n, width, count, bits, stride, x);
  });
}

template <class T>
void scores_backward_flushed(const ScoresPanel<T>& panel) {
  for_width(panel.width, [&]<int fixed>() {
    flushed<scores_backward<fixed, T>, const ScoresPanel<T>&>(panel);
  });
}

template <class T>
void gemv(int64_t rows, int64_t n, T alpha, const T* a, int64_t a_stride, const T* x,
          T* out) {
  for (int64_t i = 0; i < rows; ++i, a += a_stride) out[i] = alpha * dot(n, a, 1, x, 1);
}

// Without `add`, 0 is added, so that no element is -0.
template <class T>
void ger(int64_t rows, int64_t n, T alpha, const T* x, const T* y, bool add, T* a,
         int64_t a_stride) {
  for (int64_t i = 0; i < rows; ++i, a += a_stride) {
    const T factor = alpha * x[i];
    if (add) {
#pragma omp simd
      for (int64_t p = 0; p < n; ++p) a[p] += factor * y[p];
    } else {
#pragma omp simd
      for (int64_t p = 0; p < n; ++p) a[p] = factor * y[p] + T(0);
    }
  }
}

template <class T>
constexpr AttentionKernels<T> kernels = {
    .exp_columns = exp_columns_flushed<T>,
    .add_bias = add_bias<T>,
    .drop_columns = drop_columns_of<T>,
    .scores_backward = scores_backward_flushed<T>,
    .transpose = transpose<T>,
    .gemv = gemv<T>,
    .ger = ger<T>,
};

}  // namespace

template <>
const AttentionKernels<float>& get() {
  return kernels<float>;
}
template <>
const AttentionKernels<double>& get() {
  return kernels<double>;
}

}  // namespace heed::kernels::HEED_KERNELS

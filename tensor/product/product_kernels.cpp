#include "tensor/product/product_kernels.h"

#include <cstring>

#include "tensor/kernels/folds.h"
#include "tensor/kernels/level.h"
#include "tensor/kernels/math.h"
#include "tensor/kernels/transpose.h"

namespace heed::kernels::HEED_KERNELS {
namespace {

// The first term of sums that begin at 0: a product of -0 is 0 in them.
template <class T>
void scale(int64_t n, const T* x, int64_t x_step, T factor, T* out) {
  if (x_step == 1) {
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) out[i] = x[i] * factor + T(0);
  } else {
    for (int64_t i = 0; i < n; ++i) out[i] = x[i * x_step] * factor + T(0);
  }
}

// Four columns at a time, for a quarter of the traffic on `out`. k is at least 1.
template <class T>
void add_columns(int64_t n, int64_t k, const T* a, int64_t a_step, const T* x,
                 int64_t x_step, T* out) {
  int64_t p = (k - 1) % 4 + 1;  // 1 to 4, so that fours remain
  scale(n, a, 1, x[0], out);
  for (int64_t q = 1; q < p; ++q) {
    const T* const column = a + q * a_step;
    const T weight = x[q * x_step];
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) out[i] += column[i] * weight;
  }
  for (; p < k; p += 4) {
    const T *const a0 = a + p * a_step, *const a1 = a0 + a_step, *const a2 = a1 + a_step,
                   *const a3 = a2 + a_step;
    const T* const w = x + p * x_step;
    const T w0 = w[0], w1 = w[x_step], w2 = w[2 * x_step], w3 = w[3 * x_step];
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) {
      out[i] += (a0[i] * w0 + a1[i] * w1) + (a2[i] * w2 + a3[i] * w3);
    }
  }
}

template <class T>
void gemv(int64_t rows, int64_t n, T alpha, const T* a, int64_t a_step, const T* x,
          T* out) {
  for (int64_t i = 0; i < rows; ++i, a += a_step) out[i] = alpha * dot(n, a, 1, x, 1);
}

template <class T>
void ger(int64_t rows, int64_t n, T alpha, const T* x, const T* y, bool add, T* a,
         int64_t a_step) {
  for (int64_t i = 0; i < rows; ++i, a += a_step) {
    const T factor = alpha * x[i];
    if (add) {
#pragma omp simd
      for (int64_t p = 0; p < n; ++p) a[p] += factor * y[p];
    } else {
      scale(n, y, 1, factor, a);
    }
  }
}

// The lines of a panel lie side by side in memory already. A loop of known length is a
// few instructions; pack() knows the widths of BLIS's micro-kernels for x86-64.
template <int fixed, class T>
void pack_side_by_side(int64_t width, int64_t lines, int64_t depth, const T* x,
                       int64_t depth_step, T* panel) {
  const int64_t count = fixed ? fixed : lines;
  constexpr int64_t cache_line = 64 / sizeof(T), ahead = 16;
  for (int64_t p = 0; p < depth; ++p, x += depth_step, panel += width) {
    // What follows lies far apart in memory, so that the processor does not foresee it.
    for (int64_t i = 0; i < count; i += cache_line) {
      __builtin_prefetch(x + ahead * depth_step + i);
    }
#pragma omp simd
    for (int64_t i = 0; i < count; ++i) panel[i] = x[i];
  }
}

template <class T>
void pack(int64_t width, int64_t lines, int64_t depth, const T* x, int64_t line_step,
          int64_t depth_step, T* panel) {
  if (lines < width) {
    for (int64_t i = 0; i < width * depth; ++i) panel[i] = 0;
  }
  if (line_step == 1) {
    switch (lines) {
      case 6: return pack_side_by_side<6>(width, lines, depth, x, depth_step, panel);
      case 8: return pack_side_by_side<8>(width, lines, depth, x, depth_step, panel);
      case 12: return pack_side_by_side<12>(width, lines, depth, x, depth_step, panel);
      case 14: return pack_side_by_side<14>(width, lines, depth, x, depth_step, panel);
      case 16: return pack_side_by_side<16>(width, lines, depth, x, depth_step, panel);
      case 32: return pack_side_by_side<32>(width, lines, depth, x, depth_step, panel);
      default: return pack_side_by_side<0>(width, lines, depth, x, depth_step, panel);
    }
  } else if (depth_step == 1) {
    // The lines are rows of memory. What is fetched ahead is what the next panel reads,
    // the lines that follow; where lines are more than 2 KiB apart, the rest of these.
    const int64_t far = 2048 / sizeof(T),
                  ahead = line_step <= far ? lines * line_step : 128;
    transpose(lines, depth, x, line_step, panel, width, ahead);
  } else {
    for (int64_t p = 0; p < depth; ++p) {
      for (int64_t i = 0; i < lines; ++i) {
        panel[p * width + i] = x[i * line_step + p * depth_step];
      }
    }
  }
}

template <class T>
void add_row(int64_t rows, int64_t n, const T* row, T* c, int64_t c_step) {
  for (int64_t i = 0; i < rows; ++i, c += c_step) {
#pragma omp simd
    for (int64_t j = 0; j < n; ++j) c[j] += row[j];
  }
}

template <class T>
void transpose_whole(int64_t rows, int64_t columns, const T* x, int64_t step, T* out,
                     int64_t out_step) {
  transpose(rows, columns, x, step, out, out_step);
}

// The bytes of a vector at this level, and the rows of a tile: with two vectors each,
// their sums and what is multiplied fill the registers.
#if defined(__AVX512F__)
constexpr int64_t vector_bytes = 64, tile_rows = 12;
#elif defined(__AVX__)
constexpr int64_t vector_bytes = 32, tile_rows = 6;
#else
constexpr int64_t vector_bytes = 16, tile_rows = 6;
#endif
template <class T>
constexpr int64_t lanes = vector_bytes / sizeof(T);
// The most rows that multiply() computes at once, if they have one vector of columns.
constexpr int64_t most_rows = 12;

// A tile of `rows` rows and n columns, up to `vectors` vectors of them. It does what
// BLIS's micro-kernel does, as fast, on rows of a wherever they lie.
template <int rows, int vectors, class T>
void multiply_tile(int64_t n, int64_t k, const T* a, int64_t row_stride,
                   int64_t column_stride, const T* b, int64_t width, bool add, T* c,
                   int64_t c_step) {
  // Fetched while the sums are formed: else the stores of a large c wait for it.
  for (int i = 0; i < rows; ++i) {
    for (int v = 0; v < vectors; ++v)
      __builtin_prefetch(c + i * c_step + v * lanes<T>, 1);
  }
  // Set by loops of vectors: g++ sets an array that begins as {} in memory.
  T sums[rows][vectors][lanes<T>];
  for (int i = 0; i < rows; ++i) {
    for (int v = 0; v < vectors; ++v) {
#pragma omp simd
      for (int64_t l = 0; l < lanes<T>; ++l) sums[i][v][l] = 0;
    }
  }
  for (int64_t p = 0; p < k; ++p, a += column_stride, b += width) {
    for (int i = 0; i < rows; ++i) {
      const T x = a[i * row_stride];
      for (int v = 0; v < vectors; ++v) {
#pragma omp simd
        for (int64_t l = 0; l < lanes<T>; ++l) {
          sums[i][v][l] = fma(x, b[v * lanes<T> + l], sums[i][v][l]);
        }
      }
    }
  }
  for (int i = 0; i < rows; ++i) {
    for (int v = 0; v < vectors; ++v) {
      T* const out = c + i * c_step + v * lanes<T>;
      const T* const sum = sums[i][v];
      if (const int64_t left = n - v * lanes<T>; left < lanes<T>) {
        for (int64_t l = 0; l < left; ++l) out[l] = add ? out[l] + sum[l] : sum[l];
      } else if (add) {
#pragma omp simd
        for (int64_t l = 0; l < lanes<T>; ++l) out[l] += sum[l];
      } else {
        std::memcpy(out, sum, sizeof sums[i][v]);
      }
    }
  }
}

// m rows, from 1 to `rows`.
template <int rows, class T>
void multiply_rows(int64_t m, int64_t n, int64_t k, const T* a, int64_t row_stride,
                   int64_t column_stride, const T* b, int64_t width, bool add, T* c,
                   int64_t c_step) {
  if constexpr (rows > 1) {
    if (m < rows) {
      return multiply_rows<rows - 1>(m, n, k, a, row_stride, column_stride, b, width, add,
                                     c, c_step);
    }
  }
  for (int64_t j = 0; j < n;) {
    if (rows <= tile_rows && n - j > lanes<T>) {
      multiply_tile<rows, rows <= tile_rows ? 2 : 1>(
          n - j, k, a, row_stride, column_stride, b + j, width, add, c + j, c_step);
      j += 2 * lanes<T>;
    } else {
      multiply_tile<rows, 1>(n - j, k, a, row_stride, column_stride, b + j, width, add,
                             c + j, c_step);
      j += lanes<T>;
    }
  }
}

// In the fewest equal pieces of rows whose sums the registers hold.
template <class T>
void multiply(int64_t m, int64_t n, int64_t k, const T* a, int64_t row_stride,
              int64_t column_stride, const T* b, int64_t width, bool add, T* c,
              int64_t c_step) {
  const int64_t most = n > lanes<T> ? tile_rows : most_rows;
  for (int64_t begin = 0; begin < m;) {
    const int64_t left = m - begin;
    const int64_t rows = left <= most ? left : left / ((left + most - 1) / most);
    multiply_rows<most_rows>(rows, n, k, a + begin * row_stride, row_stride,
                             column_stride, b, width, add, c + begin * c_step, c_step);
    begin += rows;
  }
}

template <class T>
constexpr ProductKernels<T> kernels = {
#if defined(__FMA__)
    tile_rows,
#else
    0,
#endif
    2 * lanes<T>, dot<T>,  scale<T>,    add_columns<T>, gemv<T>,
    ger<T>,       pack<T>, multiply<T>, add_row<T>,     transpose_whole<T>};

}  // namespace

template <>
const ProductKernels<float>& get() {
  return kernels<float>;
}
template <>
const ProductKernels<double>& get() {
  return kernels<double>;
}

}  // namespace heed::kernels::HEED_KERNELS

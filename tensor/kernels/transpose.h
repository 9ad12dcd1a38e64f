// Transposing a matrix in memory. Only the kernels include this file: each gets a
// function of its own (see level.h).
#pragma once

#include <cstdint>
#include <cstring>

#include "tensor/kernels/vector.h"

namespace heed::kernels::HEED_KERNELS {
namespace {

// A square of 4 x 4 floats or 2 x 2 doubles, in vectors of 16 bytes, which every x86-64
// and ARM64 has. It is transposed in eight (two) shuffles: v is its rows, then its
// columns.
template <class T>
struct Square;

template <>
struct Square<float> {
  static constexpr std::int64_t side = 4;
  using Vector = float __attribute__((vector_size(16)));
  static void transpose(Vector (&v)[side]) {
    const Vector a = __builtin_shufflevector(v[0], v[1], 0, 4, 1, 5);
    const Vector b = __builtin_shufflevector(v[2], v[3], 0, 4, 1, 5);
    const Vector c = __builtin_shufflevector(v[0], v[1], 2, 6, 3, 7);
    const Vector d = __builtin_shufflevector(v[2], v[3], 2, 6, 3, 7);
    v[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
    v[1] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
    v[2] = __builtin_shufflevector(c, d, 0, 1, 4, 5);
    v[3] = __builtin_shufflevector(c, d, 2, 3, 6, 7);
  }
};

template <>
struct Square<double> {
  static constexpr std::int64_t side = 2;
  using Vector = double __attribute__((vector_size(16)));
  static void transpose(Vector (&v)[side]) {
    const Vector a = v[0];
    v[0] = __builtin_shufflevector(a, v[1], 0, 2);
    v[1] = __builtin_shufflevector(a, v[1], 1, 3);
  }
};

// The columns of the square whose rows begin at x, `stride` apart.
template <class T>
[[gnu::always_inline]] inline void load_columns(
    const T* x, std::int64_t stride,
    typename Square<T>::Vector (&columns)[Square<T>::side]) {
  repeat<Square<T>::side>([&](auto i) { columns[i] = load<16>(x + i * stride); });
  Square<T>::transpose(columns);
}

// out[j * out_stride + i] = x[i * stride + j] for i < rows and j < columns. A cache
// line's worth of columns at a time, so that each line of x is read once.
template <class T>
void transpose(std::int64_t rows, std::int64_t columns, const T* x, std::int64_t stride,
               T* out, std::int64_t out_stride) {
  constexpr std::int64_t side = Square<T>::side;
  constexpr std::int64_t line = cache_line<T>;
  const std::int64_t whole_rows = rows - rows % side;
  const std::int64_t whole_columns = columns - columns % side;
  for (std::int64_t first = 0; first < whole_columns; first += line) {
    const std::int64_t last = first + line < whole_columns ? first + line : whole_columns;
    for (std::int64_t i = 0; i < whole_rows; i += side) {
      for (std::int64_t j = first; j < last; j += side) {
        typename Square<T>::Vector square[side];
        load_columns(x + i * stride + j, stride, square);
        for (int l = 0; l < side; ++l) {
          std::memcpy(out + (j + l) * out_stride + i, &square[l], 16);
        }
      }
    }
  }
  for (std::int64_t j = whole_columns; j < columns; ++j) {
    for (std::int64_t i = 0; i < whole_rows; ++i) {
      out[j * out_stride + i] = x[i * stride + j];
    }
  }
  for (std::int64_t i = whole_rows; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      out[j * out_stride + i] = x[i * stride + j];
    }
  }
}

}  // namespace
}  // namespace heed::kernels::HEED_KERNELS

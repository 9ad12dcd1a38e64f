// Transposing a matrix in memory. Only the kernels include this file: each gets a
// function of its own (see level.h).
#pragma once

#include <cstdint>
#include <cstring>

#include "tensor/kernels/vector.h"

namespace heed::kernels::HEED_KERNELS {
namespace {

// Vectors of 16 bytes: every x86-64 and ARM64 has them, and a 4 x 4 (2 x 2 for double)
// block is transposed in eight (two) shuffles: v is its rows, then its columns.
template <class T>
struct Block;

template <>
struct Block<float> {
  static constexpr std::int64_t size = 4;
  using Vector = float __attribute__((vector_size(16)));
  static void transpose(Vector (&v)[size]) {
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
struct Block<double> {
  static constexpr std::int64_t size = 2;
  using Vector = double __attribute__((vector_size(16)));
  static void transpose(Vector (&v)[size]) {
    const Vector a = v[0];
    v[0] = __builtin_shufflevector(a, v[1], 0, 2);
    v[1] = __builtin_shufflevector(a, v[1], 1, 3);
  }
};

// The columns of the block whose rows begin at x, `step` apart.
template <class T>
[[gnu::always_inline]] inline void load_columns(
    const T* x, std::int64_t step, typename Block<T>::Vector (&columns)[Block<T>::size]) {
  repeat<Block<T>::size>([&](auto i) { columns[i] = load<16>(x + i * step); });
  Block<T>::transpose(columns);
}

// out[j * out_step + i] = x[i * step + j] for i < rows and j < columns. A cache line's
// worth of columns at a time, so that each line of x is read once.
template <class T>
void transpose(std::int64_t rows, std::int64_t columns, const T* x, std::int64_t step,
               T* out, std::int64_t out_step) {
  constexpr std::int64_t size = Block<T>::size;
  constexpr std::int64_t line = cache_line<T>;
  const std::int64_t whole_rows = rows - rows % size;
  const std::int64_t whole_columns = columns - columns % size;
  for (std::int64_t first = 0; first < whole_columns; first += line) {
    const std::int64_t last = first + line < whole_columns ? first + line : whole_columns;
    for (std::int64_t i = 0; i < whole_rows; i += size) {
      for (std::int64_t j = first; j < last; j += size) {
        typename Block<T>::Vector block[size];
        load_columns(x + i * step + j, step, block);
        for (int l = 0; l < size; ++l) {
          std::memcpy(out + (j + l) * out_step + i, &block[l], 16);
        }
      }
    }
  }
  for (std::int64_t j = whole_columns; j < columns; ++j) {
    for (std::int64_t i = 0; i < whole_rows; ++i) out[j * out_step + i] = x[i * step + j];
  }
  for (std::int64_t i = whole_rows; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) out[j * out_step + i] = x[i * step + j];
  }
}

}  // namespace
}  // namespace heed::kernels::HEED_KERNELS

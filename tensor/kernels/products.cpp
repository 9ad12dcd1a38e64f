#include "tensor/kernels/products.h"

namespace heed::kernels::HEED_KERNELS {
namespace {

template <class T>
T dot(std::int64_t n, const T* x, std::int64_t x_step, const T* y, std::int64_t y_step) {
  T sum = 0;
  if (x_step == 1 && y_step == 1) {
#pragma omp simd reduction(+ : sum)
    for (std::int64_t i = 0; i < n; ++i) sum += x[i] * y[i];
  } else {
    for (std::int64_t i = 0; i < n; ++i) sum += x[i * x_step] * y[i * y_step];
  }
  return sum;
}

template <class T>
void scale(std::int64_t n, const T* x, std::int64_t x_step, T factor, T* out) {
  if (x_step == 1) {
#pragma omp simd
    for (std::int64_t i = 0; i < n; ++i) out[i] = x[i] * factor;
  } else {
    for (std::int64_t i = 0; i < n; ++i) out[i] = x[i * x_step] * factor;
  }
}

// Four columns at a time, for a quarter of the traffic on `out`. k is at least 1.
template <class T>
void add_columns(std::int64_t n, std::int64_t k, const T* a, std::int64_t a_step,
                 const T* x, std::int64_t x_step, T* out) {
  std::int64_t p = (k - 1) % 4 + 1;  // 1 to 4, so that fours remain
  scale(n, a, 1, x[0], out);
  for (std::int64_t q = 1; q < p; ++q) {
    const T* const column = a + q * a_step;
    const T weight = x[q * x_step];
#pragma omp simd
    for (std::int64_t i = 0; i < n; ++i) out[i] += column[i] * weight;
  }
  for (; p < k; p += 4) {
    const T *const a0 = a + p * a_step, *const a1 = a0 + a_step, *const a2 = a1 + a_step,
                   *const a3 = a2 + a_step;
    const T* const w = x + p * x_step;
    const T w0 = w[0], w1 = w[x_step], w2 = w[2 * x_step], w3 = w[3 * x_step];
#pragma omp simd
    for (std::int64_t i = 0; i < n; ++i) {
      out[i] += (a0[i] * w0 + a1[i] * w1) + (a2[i] * w2 + a3[i] * w3);
    }
  }
}

// Vectors of 16 bytes: every x86-64 and ARM64 has them, and a 4 x 4 (2 x 2 for double)
// block is transposed in eight (two) shuffles.
template <class T>
struct Block;

template <>
struct Block<float> {
  static constexpr std::int64_t size = 4;
  using Vector = float __attribute__((vector_size(16)));
  static void transpose(const float* x, std::int64_t step, float* out,
                        std::int64_t out_step) {
    Vector v[4];
    for (int i = 0; i < 4; ++i) __builtin_memcpy(&v[i], x + i * step, 16);
    const Vector a = __builtin_shufflevector(v[0], v[1], 0, 4, 1, 5);
    const Vector b = __builtin_shufflevector(v[2], v[3], 0, 4, 1, 5);
    const Vector c = __builtin_shufflevector(v[0], v[1], 2, 6, 3, 7);
    const Vector d = __builtin_shufflevector(v[2], v[3], 2, 6, 3, 7);
    v[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
    v[1] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
    v[2] = __builtin_shufflevector(c, d, 0, 1, 4, 5);
    v[3] = __builtin_shufflevector(c, d, 2, 3, 6, 7);
    for (int i = 0; i < 4; ++i) __builtin_memcpy(out + i * out_step, &v[i], 16);
  }
};

template <>
struct Block<double> {
  static constexpr std::int64_t size = 2;
  using Vector = double __attribute__((vector_size(16)));
  static void transpose(const double* x, std::int64_t step, double* out,
                        std::int64_t out_step) {
    Vector v[2];
    for (int i = 0; i < 2; ++i) __builtin_memcpy(&v[i], x + i * step, 16);
    const Vector a = __builtin_shufflevector(v[0], v[1], 0, 2);
    const Vector b = __builtin_shufflevector(v[0], v[1], 1, 3);
    __builtin_memcpy(out, &a, 16);
    __builtin_memcpy(out + out_step, &b, 16);
  }
};

template <class T>
void transpose(std::int64_t rows, std::int64_t columns, const T* x, std::int64_t step,
               T* out, std::int64_t out_step) {
  constexpr std::int64_t size = Block<T>::size;
  const std::int64_t whole_rows = rows - rows % size;
  const std::int64_t whole_columns = columns - columns % size;
  for (std::int64_t j = 0; j < whole_columns; j += size) {
    for (std::int64_t i = 0; i < whole_rows; i += size) {
      Block<T>::transpose(x + i * step + j, step, out + j * out_step + i, out_step);
    }
  }
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = i < whole_rows ? whole_columns : 0; j < columns; ++j) {
      out[j * out_step + i] = x[i * step + j];
    }
  }
}

template <class T>
void pack(std::int64_t width, std::int64_t lanes, std::int64_t depth, const T* x,
          std::int64_t lane_step, std::int64_t depth_step, T* panel) {
  if (lane_step == 1) {
    for (std::int64_t p = 0; p < depth; ++p) {
#pragma omp simd
      for (std::int64_t i = 0; i < lanes; ++i) {
        panel[p * width + i] = x[i + p * depth_step];
      }
    }
  } else if (depth_step == 1) {
    transpose(lanes, depth, x, lane_step, panel, width);
  } else {
    for (std::int64_t p = 0; p < depth; ++p) {
      for (std::int64_t i = 0; i < lanes; ++i) {
        panel[p * width + i] = x[i * lane_step + p * depth_step];
      }
    }
  }
  if (lanes == width) return;
  for (std::int64_t p = 0; p < depth; ++p) {
    for (std::int64_t i = lanes; i < width; ++i) panel[p * width + i] = 0;
  }
}

}  // namespace

const ProductTable& products() {
  static constexpr ProductTable table{
      {dot<float>, scale<float>, add_columns<float>, pack<float>, transpose<float>},
      {dot<double>, scale<double>, add_columns<double>, pack<double>, transpose<double>},
  };
  return table;
}

}  // namespace heed::kernels::HEED_KERNELS

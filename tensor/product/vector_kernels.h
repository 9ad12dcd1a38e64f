// The loops of products with vectors. T is float or double.
#pragma once

#include <cstdint>

namespace heed::kernels {

template <class T>
struct VectorKernels {
  // The sum of x[i * x_stride] * y[i * y_stride] over i < n.
  T(*dot)
  (std::int64_t n, const T* x, std::int64_t x_stride, const T* y, std::int64_t y_stride);
  // out[i] = x[i * x_stride] * factor + 0: no element is -0.
  void (*scale)(std::int64_t n, const T* x, std::int64_t x_stride, T factor, T* out);
  // out[i] = the sum over p < k of a[i + p * a_stride] * x[p * x_stride]: columns,
  // weighted and added; k is at least 1. Each out[i] is summed up in the same order
  // whatever n is.
  void (*add_columns)(std::int64_t n, std::int64_t k, const T* a, std::int64_t a_stride,
                      const T* x, std::int64_t x_stride, T* out);
  // c[i * c_stride + j] += row[j] for i < rows and j < n.
  void (*add_row)(std::int64_t rows, std::int64_t n, const T* row, T* c,
                  std::int64_t c_stride);
};

}  // namespace heed::kernels

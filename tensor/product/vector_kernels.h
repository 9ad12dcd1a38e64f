// The loops of products with vectors, and what attention row by row needs of BLAS. T is
// float or double.
#pragma once

#include <cstdint>

namespace heed::kernels {

template <class T>
struct VectorKernels {
  // The sum of x[i * x_step] * y[i * y_step] over i < n.
  T(*dot)
  (std::int64_t n, const T* x, std::int64_t x_step, const T* y, std::int64_t y_step);
  // out[i] = x[i * x_step] * factor + 0: no element is -0.
  void (*scale)(std::int64_t n, const T* x, std::int64_t x_step, T factor, T* out);
  // out[i] = the sum over p < k of a[i + p * a_step] * x[p * x_step]: columns, weighted
  // and added; k is at least 1. Each out[i] is summed up in the same order whatever n is.
  void (*add_columns)(std::int64_t n, std::int64_t k, const T* a, std::int64_t a_step,
                      const T* x, std::int64_t x_step, T* out);
  // out[i] = alpha times the sum over p < n of a[i * a_step + p] * x[p]. (BLAS: gemv)
  void (*gemv)(std::int64_t rows, std::int64_t n, T alpha, const T* a,
               std::int64_t a_step, const T* x, T* out);
  // a[i * a_step + p] = alpha x[i] y[p], i < rows and p < n; with `add` it adds that to
  // what a holds. (BLAS: ger)
  void (*ger)(std::int64_t rows, std::int64_t n, T alpha, const T* x, const T* y,
              bool add, T* a, std::int64_t a_step);
  // out[j * out_step + i] = x[i * step + j] for i < rows and j < columns.
  void (*transpose)(std::int64_t rows, std::int64_t columns, const T* x,
                    std::int64_t step, T* out, std::int64_t out_step);
};

}  // namespace heed::kernels

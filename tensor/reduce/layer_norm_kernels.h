// The loops of layer normalisation, over rows of n neighbours.
#pragma once

#include <cstdint>

namespace heed::kernels {

// weight and bias have n elements each, or are null where there is none.
template <class T>
struct LayerNormKernels {
  // y = (x - mean) rstd weight + bias, and the mean and rstd = 1/√(variance + eps) of
  // each row.
  void (*forward)(std::int64_t rows, std::int64_t n, const T* x, const T* weight,
                  const T* bias, double eps, T* y, T* mean, T* rstd);
  // The gradient of x, given the gradient g of y; adds the rows' parts of the gradients
  // of weight and bias to dweight and dbias. Each of the three may be null.
  void (*backward)(std::int64_t rows, std::int64_t n, const T* g, const T* x,
                   const T* weight, const T* mean, const T* rstd, T* dx, T* dweight,
                   T* dbias);
};

}  // namespace heed::kernels

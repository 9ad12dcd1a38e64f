// dot() is in kernels/folds.h.
#include "tensor/product/vector_kernels.h"

#include "tensor/kernels/folds.h"
#include "tensor/kernels/level.h"

namespace heed::kernels::HEED_KERNELS {
namespace {

// The first term of a sum that begins at 0: + 0 turns a product of -0 into 0, as in that
// sum.
template <class T>
void scale(int64_t n, const T* x, int64_t x_stride, T factor, T* out) {
  if (x_stride == 1) {
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) out[i] = x[i] * factor + T(0);
  } else {
    for (int64_t i = 0; i < n; ++i) out[i] = x[i * x_stride] * factor + T(0);
  }
}

// Four columns at a time, for a quarter of the traffic on `out`. k is at least 1.
template <class T>
void add_columns(int64_t n, int64_t k, const T* a, int64_t a_stride, const T* x,
                 int64_t x_stride, T* out) {
  int64_t p = (k - 1) % 4 + 1;  // 1 to 4, so that fours remain
  scale(n, a, 1, x[0], out);
  for (int64_t q = 1; q < p; ++q) {
    const T* const column = a + q * a_stride;
    const T weight = x[q * x_stride];
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) out[i] += column[i] * weight;
  }
  for (; p < k; p += 4) {
    const T *const a0 = a + p * a_stride, *const a1 = a0 + a_stride,
                   *const a2 = a1 + a_stride, *const a3 = a2 + a_stride;
    const T* const w = x + p * x_stride;
    const T w0 = w[0], w1 = w[x_stride], w2 = w[2 * x_stride], w3 = w[3 * x_stride];
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) {
      out[i] += (a0[i] * w0 + a1[i] * w1) + (a2[i] * w2 + a3[i] * w3);
    }
  }
}

template <class T>
void add_row(int64_t rows, int64_t n, const T* row, T* c, int64_t c_stride) {
  for (int64_t i = 0; i < rows; ++i, c += c_stride) {
#pragma omp simd
    for (int64_t j = 0; j < n; ++j) c[j] += row[j];
  }
}

template <class T>
constexpr VectorKernels<T> kernels = {
    .dot = dot<T>,
    .scale = scale<T>,
    .add_columns = add_columns<T>,
    .add_row = add_row<T>,
};

}  // namespace

template <>
const VectorKernels<float>& get() {
  return kernels<float>;
}
template <>
const VectorKernels<double>& get() {
  return kernels<double>;
}

}  // namespace heed::kernels::HEED_KERNELS

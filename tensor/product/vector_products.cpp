// Products in which a matrix is a vector: not worth packing.
#include "tensor/product/gemm.h"

#include <algorithm>

#include "tensor/core/parallel.h"
#include "tensor/kernels/level.h"
#include "tensor/product/vector_kernels.h"

namespace heed {
namespace {

using std::int64_t;

// Cuts the lines of all products, `lines` each, among threads, and calls f(product,
// begin, end) for those lines of a product that are in a share. A line has `work`
// elements. A thread gets one share, for more calls cost more: where lines are columns,
// each call passes over all rows.
template <class F>
void for_lines(int64_t products, int64_t lines, int64_t work, F&& f) {
  parallel_shares(products * lines, work, [&](int64_t begin, int64_t end) {
    int64_t product = begin / lines, first = begin % lines;
    while (begin < end) {
      const int64_t last = std::min(lines, first + end - begin);
      f(product, first, last);
      begin += last - first;
      ++product;
      first = 0;
    }
  });
}

// Columns (m) times rows (n). (BLAS: ger)
template <class T>
void outer_products(const Products<T>& x) {
  const auto scale = kernels::get<kernels::VectorKernels<T>>().scale;
  for_lines(x.count(), x.m, x.n, [&](int64_t product, int64_t begin, int64_t end) {
    const auto [at_a, at_b] = x.offsets(product);
    const T* const a = x.a.first + at_a;
    const T* const b = x.b.first + at_b;
    T* const c = x.c + product * x.m * x.n;
    for (int64_t i = begin; i < end; ++i) {
      scale(x.n, b, x.b.column_stride, a[i * x.a.row_stride], c + i * x.n);
    }
  });
}

// The products of matrices (lines, k) and vectors (k) whose elements are `stride` apart.
// `operand` is that of the matrices: 0 for a, 1 for b, transposed. A matrix whose columns
// are contiguous, and not its rows, is read column by column: c is the sum of the
// columns, each times an element of the vector. Of any other each row gives a dot
// product. (BLAS: gemv)
template <class T>
void matrix_vector(const Products<T>& x, int64_t lines, Matrix<const T> matrix,
                   const T* vector, int64_t stride, int operand) {
  const auto dot = kernels::get<kernels::VectorKernels<T>>().dot;
  const auto add_columns = kernels::get<kernels::VectorKernels<T>>().add_columns;
  for_lines(x.count(), lines, x.k, [&](int64_t product, int64_t begin, int64_t end) {
    const auto at = x.offsets(product);
    const T* const first = matrix.first + at[operand];
    const T* const v = vector + at[1 - operand];
    T* const c = x.c + product * lines;
    if (lines > 1 && matrix.column_stride != 1 && matrix.row_stride == 1) {
      add_columns(end - begin, x.k, first + begin, matrix.column_stride, v, stride,
                  c + begin);
    } else {
      for (int64_t i = begin; i < end; ++i) {
        c[i] = dot(x.k, first + i * matrix.row_stride, matrix.column_stride, v, stride);
      }
    }
  });
}

}  // namespace

template <class T>
void multiply_vectors(const Products<T>& x) {
  if (x.n == 1) {
    matrix_vector<T>(x, x.m, x.a, x.b.first, x.b.row_stride, 0);
  } else if (x.k == 1) {
    outer_products(x);
  } else {  // a is a row: the columns of b are the lines
    matrix_vector<T>(x, x.n, {x.b.first, x.b.column_stride, x.b.row_stride}, x.a.first,
                     x.a.column_stride, 1);
  }
}

template void multiply_vectors(const Products<float>&);
template void multiply_vectors(const Products<double>&);

}  // namespace heed

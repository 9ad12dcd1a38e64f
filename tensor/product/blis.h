// What heed takes from BLIS. blis.cpp alone includes <blis.h>: no name and no macro of it
// reaches any other file.
#pragma once

#include <cstdint>
#include <string>

#include "tensor/product/matrix.h"

namespace heed::blis {

// c = a b, for a (m, k), b (k, n) and c (m, n) with m, n, k >= 1, on up to `threads`
// threads; the bits of c do not depend on how many. No two elements of a matrix may share
// a place. T is float or double. The plain form of multiply() in gemm.h, for tests and
// benchmarks.
template <class T>
void gemm(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<const T> a,
          Matrix<const T> b, Matrix<T> c, int threads);

// BLIS's innermost routine, and the sizes that it wants. It computes one tile, m x n, of
// a product whose operands are packed in panels of `rows` rows and `columns` columns,
// which m and n do not exceed:
//   c(i, j) = the sum over p < depth of  a[p * rows + i] * b[p * columns + j]
// with c(i, j) = c[i * row_stride + j]; with `add` it adds that to what c holds. Panels
// must be aligned to 64 bytes and end `slack` elements before their memory does, because
// the routine loads ahead.
template <class T>
struct TileKernel {
  std::int64_t rows, columns;

  static constexpr std::int64_t slack = 256 / sizeof(T);
  void operator()(std::int64_t m, std::int64_t n, std::int64_t depth, const T* a,
                  const T* b, T* c, std::int64_t row_stride, bool add = false) const;
};

// That of this processor; starts BLIS.
template <class T>
const TileKernel<T>& tile_kernel();

// BLIS's version, the name of the kernels that it chose, and whether it has threads:
// "BLIS 0.9.0 (skx kernels, OpenMP)".
std::string description();

}  // namespace heed::blis

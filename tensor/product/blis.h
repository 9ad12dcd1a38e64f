// What heed takes from BLIS. blis.cpp alone includes <blis.h>: no name and no macro of it
// reaches any other file.
#pragma once

#include <cstdint>
#include <string>

#include "tensor/product/matrix.h"
#include "tensor/product/tile_kernels.h"

namespace heed::blis {

// c = a b, for a (m, k), b (k, n) and c (m, n) with m, n, k >= 1, on up to `threads`
// threads; the bits of c do not depend on how many. No two elements of a matrix may share
// a place. T is float or double. This calls BLIS's own driver; tests and benchmarks
// compare multiply() in gemm.h with it.
template <class T>
void gemm(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<const T> a,
          Matrix<const T> b, Matrix<T> c, int threads);

// BLIS's innermost routine, the micro-kernel of this processor, as heed's kernel of tiles
// (see tile_kernels.h). Its multiply_panels() takes at most tile_rows rows of a, which a
// panel of tile_rows rows holds, and panels of b one after another: it does not look at
// the strides of a or at b_stride. Panels must be aligned to 64 bytes and end
// read_ahead elements before their memory does, because the routine loads ahead. Starts
// BLIS.
template <class T>
const kernels::TileKernels<T>& tile_kernels();
template <class T>
constexpr std::int64_t read_ahead = 256 / sizeof(T);

// BLIS's version: "BLIS 0.9.0". At the baseline level, where its micro-kernel is used,
// also which one that is: "BLIS 0.9.0 (skx kernels)"; that starts BLIS.
std::string description();

}  // namespace heed::blis

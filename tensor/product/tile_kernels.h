// The loops of products in tiles: the packing of panels, and the kernel that computes
// tiles: heed's, or BLIS's (see blis.h). T is float or double.
#pragma once

#include <cstdint>

#include "tensor/product/matrix.h"

namespace heed::kernels {

// A product for multiply_panels():
//   c = scale a b,  plus c where `add` is true,  plus `bias` (n) in each row unless null
// for a (m, k), b (k, n) and c (m, n).
//   b    panels of tile_columns columns, the last padded with zeros to whole vectors: row
//        p of panel j begins at b[j * panel_step + p * b_step]
//   c    rows c_step apart
// gemm.cpp leaves scale at 1; attention sets it.
template <class T>
struct TileProduct {
  std::int64_t m, n, k;
  Matrix<const T> a;
  const T* b;
  std::int64_t b_step, panel_step;
  T* c;
  std::int64_t c_step;
  bool add = false;
  T scale = 1;
  const T* bias = nullptr;
};

template <class T>
struct TileKernels {
  // The tile of c that stays in registers; heed's is two vectors wide. (BLIS: MR, NR)
  std::int64_t tile_rows, tile_columns;
  // The rows of a with which multiply_panels() is best called. heed's 12 are one tile
  // with AVX-512, else two of 6 rows, or one of 12 where a vector of columns is left.
  std::int64_t strip_rows;
  // Whether a has to be packed, in panels of strip_rows rows, one of them for a call.
  bool needs_panels_of_a;
  // Packs lines of `depth` elements in panels of `width` lines, panel_step apart; what
  // the last panel has no lines for becomes 0:
  //   panels[j * panel_step + p * width + i] =
  //       x[(j * width + i) * line_step + p * depth_step]
  void (*pack)(std::int64_t width, std::int64_t lines, std::int64_t depth, const T* x,
               std::int64_t line_step, std::int64_t depth_step, T* panels,
               std::int64_t panel_step);
  void (*multiply_panels)(const TileProduct<T>& product);
  // c[i * c_step + j] += row[j] for i < rows and j < n.
  void (*add_row)(std::int64_t rows, std::int64_t n, const T* row, T* c,
                  std::int64_t c_step);
};

}  // namespace heed::kernels

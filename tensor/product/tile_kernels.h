// The kernel that computes products in tiles: heed's, or BLIS's (see blis.h). T is float
// or double.
#pragma once

#include <cstdint>

#include "tensor/product/matrix.h"

namespace heed::kernels {

// A product of rows of a and panels of b, for multiply_panels():
//   c = scale a b,  plus c where `add` is true,  plus `bias` (n) in each row unless null
// for a (m, k), b (k, n) and c (m, n). After a b is summed: scale, then c, then
// the bias (the epilogue); heed's tiles do it while the sums are in registers. Where k is
// cut into slices, one for each call, all calls scale, all but the first add to c, and
// the last one adds the bias.
//   b    panels of tile_columns columns, the last padded with zeros to whole vectors: row
//        p of panel j begins at b[j * panel_stride + p * b_stride]. They follow one
//        another (b_stride = tile_columns) or lie side by side (panel_stride =
//        tile_columns); a single one may be half as wide, one vector
//   c    rows c_stride apart
// Only attention sets scale.
template <class T>
struct PanelProduct {
  std::int64_t m, n, k;
  Matrix<const T> a;
  const T* b;
  std::int64_t b_stride, panel_stride;
  T* c;
  std::int64_t c_stride;
  bool add = false;
  T scale = 1;
  const T* bias = nullptr;
};

template <class T>
struct TileKernels {
  // The tile of c that stays in registers; heed's is two vectors wide.
  std::int64_t tile_rows, tile_columns;
  // Whether a has to be packed: in panels of tile_rows rows, one panel for each call.
  bool needs_panels_of_a;
  void (*multiply_panels)(const PanelProduct<T>& product);
};

}  // namespace heed::kernels

// heed's own loops of matrix products: vectors, the packing of panels, tiles whose rows
// are read where they lie. Only attention calls gemv, ger and transpose. T is float or
// double.
#pragma once

#include <cstdint>

#include "tensor/product/matrix.h"

namespace heed::kernels {

// A product for multiply_panels(): c (m, n) = scale a (m, k) b, or with `add` c + scale a
// b, and then plus `bias` (n), each row of it, unless that is null.
//   b    panels of tile_columns columns, the last padded with zeros to whole vectors: row
//        p of panel j begins at b[j * panel_step + p * b_step]
//   c    rows c_step apart
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
struct ProductKernels {
  // The tile that multiply_panels() computes best.
  std::int64_t tile_rows, tile_columns;
  // The most rows of a tile of one vector of columns, which registers limit: calls with a
  // multiple are the best.
  std::int64_t strip_rows;
  // Whether the level has fused multiply-adds: without them BLIS's micro-kernel is faster
  // than large tiles of multiply_panels().
  bool fused;
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
  // out[j * out_step + i] = x[i * step + j] for i < rows and j < columns.
  void (*transpose)(std::int64_t rows, std::int64_t columns, const T* x,
                    std::int64_t step, T* out, std::int64_t out_step);
};

}  // namespace heed::kernels

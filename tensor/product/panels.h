// Operands of products packed for multiply_panels() (see tile_kernels.h): in panels, each
// of which holds a few lines, that is rows of a or columns of b, side by side (BLIS:
// micro-panels). In gemm.cpp those of a are strip_rows wide, those of b tile_columns.
// Only heed's own sources include this file.
#pragma once

#include <cstdint>

#include "tensor/core/parallel.h"
#include "tensor/kernels/level.h"
#include "tensor/product/blis.h"
#include "tensor/product/tile_kernels.h"

namespace heed {

// `count` elements of T, rounded up to whole cache lines: what follows is aligned.
template <class T>
std::int64_t aligned(std::int64_t count) {
  constexpr std::int64_t cache_line = 64 / sizeof(T);
  return ceil_div(count, cache_line) * cache_line;
}

// The lines of one operand, each `depth` elements long, in panels of `width` lines. In
// memory the panels follow one another, element p of line i of a panel at
// panel[p * width + i]; lines that do not exist are 0.
template <class T>
struct Panels {
  std::int64_t lines, width, depth;
  std::int64_t count;  // of panels
  std::int64_t size;   // elements of a panel, and to the end of its last cache line

  Panels(std::int64_t lines, std::int64_t width, std::int64_t depth)
      : lines(lines),
        width(width),
        depth(depth),
        count(ceil_div(lines, width)),
        size(aligned<T>(width * depth)) {}

  // The elements of all panels, and of those after them that BLIS's micro-kernel loads.
  std::int64_t total() const { return count * size + blis::read_ahead<T>; }

  // Packs an operand whose lines are `step` apart and the elements of a line
  // `depth_step`.
  void pack(const T* x, std::int64_t step, std::int64_t depth_step, T* packed) const {
    kernels::get<kernels::TileKernels<T>>().pack(width, lines, depth, x, step, depth_step,
                                                 packed, size);
  }
};

}  // namespace heed

// Operands of products packed for multiply_panels() (see tile_kernels.h): in panels, each
// of which holds a few lines, that is columns of b or rows of a, side by side (BLIS:
// micro-panels).
#pragma once

#include <cstdint>

#include "tensor/core/parallel.h"
#include "tensor/kernels/level.h"
#include "tensor/product/pack_kernels.h"

namespace heed {

// `count` elements of T, rounded up to whole cache lines: what follows is aligned.
template <class T>
std::int64_t aligned(std::int64_t count) {
  constexpr std::int64_t cache_line = 64 / sizeof(T);
  return ceil_div(count, cache_line) * cache_line;
}

// How the lines of an operand, each `depth` elements long, lie in panels of `width`
// lines. The panels follow one another; element p of line i of a panel is at panel[p *
// width + i]; the last panel has zeros for the lines that it lacks.
template <class T>
struct PanelLayout {
  std::int64_t lines, width, depth;
  std::int64_t count;  // of panels
  // Elements of a panel, in whole cache lines, and of one empty line. Without that line
  // panels are often a multiple of 4 KiB apart, and the cache lines that are written at a
  // time, one in each panel, share a set of the L1 cache (see worker.h's
  // choose_rows_of_a()): packing rows for the tiles of AVX2 takes up to a third longer.
  std::int64_t size;

  PanelLayout(std::int64_t lines, std::int64_t width, std::int64_t depth)
      : lines(lines),
        width(width),
        depth(depth),
        count(ceil_div(lines, width)),
        size(aligned<T>(width * depth) + aligned<T>(1)) {}

  std::int64_t total() const { return count * size; }  // elements of all panels

  // Packs an operand whose lines are `stride` apart and the elements of a line
  // `depth_stride`.
  void pack(const T* x, std::int64_t stride, std::int64_t depth_stride, T* packed) const {
    kernels::get<kernels::PackKernels<T>>().pack(width, lines, depth, x, stride,
                                                 depth_stride, packed, size);
  }
};

}  // namespace heed

// What one thread computes of products in tiles: how a product is cut (Blocking), and the
// loops over a part of it (Worker). Only gemm.cpp includes this file.
//
// A product of n x n matrices has n^3 multiply-adds and 3 n^2 numbers, which a loop over
// rows and columns would read from memory again and again. Here what is read many times
// is in registers or in a cache. The words, BLIS's names for them (BLIS is a library of
// products), and the sizes for floats and AVX-512; with AVX2 a tile is 6 rows x 16
// columns, and strips and panels are half as large:
//
//   slice   KC           up to 512 values of k (`depth`)
//   tile    micro-tile,  12 rows x 32 columns of c; in registers for one slice
//           MR x NR
//   strip   micro-panel  a slice of the 12 rows of matrix a that a tile needs, up to
//           of A         24 KiB; in the L1 cache
//   panel   micro-panel  a slice of the 32 columns of b that a tile needs, up to 64 KiB,
//           of B         copied so that the tile reads memory from front to back. This
//                        copying is called packing: vectors are aligned, and what is
//                        missing at the ends is 0
//   group   (none)       panels that together fit two thirds of a core's L2 cache
//   block   KC x NC      of b: up to 64 panels, up to 4 MiB for each thread; in the L3
//                        cache
//           MC x KC      of a: what is packed or copied at a time; all rows, if they are
//                        neither
//   part    (none)       the rows x columns of c, for all slices or for some, that a
//                        thread computes at a time
//
// The loops over one part, their steps, BLIS's names of these, and where they stand:
//
//   for each block of columns of b                 block_columns  NC  compute()
//     for each slice of k: pack b                  depth          KC  compute()
//       for each block of rows of a: pack a or     block_rows     MC  compute()
//           copy it, if need be
//         for each group of panels                 group              compute_block()
//           for some strips of rows                Strips::at_once    compute_block()
//             for each strip of these              tile_rows      MR  multiply_panels()
//               for each panel of the group        tile_columns   NR  multiply_panels()
//                 a tile of c                                         multiply_tile()
//
// A strip is read again for each panel of the group, and a panel for each strip: so a
// strip must stay in L1 and a group in L2. What is read again after that comes from L3,
// or from memory: a strip for the next group, a block of b for the next block of rows.
// The first slice sets a tile of c, the others add to it. (If threads share k, slices are
// added later: see grid.cpp.) For each value of k a tile reads two cache lines of a
// panel. L2 has time for that: the 24 multiply-adds of vectors take 12 cycles or more.
//
// The outer loops are those of Goto and van de Geijn (Anatomy of High-Performance Matrix
// Multiplication, 2008) and of BLIS. The inner two have changed places: BLIS keeps a
// block of a in L2 and a panel of b in L1, heed panels of b in L2 and a strip of a in L1.
// heed's tile reads matrix a number by number, with any strides: so contiguous rows of it
// need no packing. They are read in place, or copied (see choose_rows_of_a()).
#pragma once

#include <algorithm>
#include <cstdint>

#include <unistd.h>

#include "tensor/core/parallel.h"
#include "tensor/kernels/level.h"
#include "tensor/product/blis.h"
#include "tensor/product/gemm.h"
#include "tensor/product/grid.h"
#include "tensor/product/panels.h"
#include "tensor/product/tile_kernels.h"

namespace heed {

// The size of a core's L2 cache in bytes; 256 KiB where the system does not tell.
inline std::int64_t l2_cache() {
#if defined(_SC_LEVEL2_CACHE_SIZE)
  static const std::int64_t size = sysconf(_SC_LEVEL2_CACHE_SIZE);
  if (size > 0) return size;
#endif
  return 256 << 10;
}

// The kernel that computes tiles: heed's, or at the baseline level (see level.h) BLIS's
// micro-kernel. It is faster there, for BLIS takes the one of this processor, which may
// have more instructions than the level.
template <class T>
const kernels::TileKernels<T>& tile_kernels() {
  return kernels::level() == kernels::Level::baseline
             ? blis::tile_kernels<T>()
             : kernels::get<kernels::TileKernels<T>>();
}

// How the rows of a reach the kernel.
enum class RowsOfA {
  in_place,  // it reads them where they lie
  copied,    // it reads copies, one row after the other
  packed,    // it reads panels of them (see panels.h)
};

// Rows whose numbers do not lie side by side are packed: a strip of them would take whole
// cache lines for a few numbers each, and no longer fit into L1.
//
// Contiguous rows a multiple of 4 KiB apart, which share a set of the cache, are copied.
// Copies are at most 2 KiB apart: at worst the six or twelve rows of a tile share two
// sets.
template <class T>
RowsOfA choose_rows_of_a(const Products<T>& x, bool needs_panels) {
  if (needs_panels || x.a.column_stride != 1) return RowsOfA::packed;
  return share_a_set<T>(x.a.row_stride) ? RowsOfA::copied : RowsOfA::in_place;
}

// How a product is cut. A slice of a row takes up to 2 KiB. Deeper slices would read and
// write c less often, but a strip of 12 rows would not fit into L1: with twice the depth
// products of 1024 x 1024 take a tenth longer on a Zen 4. (Those of 6 rows would fit; on
// a Zen 3 deeper slices take as long.) A block of a that is packed or copied, about 48
// rows or 96 KiB, stays beside the group in an L2 of 512 KiB.
template <class T>
struct Blocking {
  const kernels::TileKernels<T>& kernel = tile_kernels<T>();
  RowsOfA rows_of_a;
  std::int64_t depth;         // of a slice
  std::int64_t block_rows;    // of a block of a
  std::int64_t most_columns;  // of a block of b

  explicit Blocking(const Products<T>& x)
      : rows_of_a(choose_rows_of_a(x, kernel.needs_panels_of_a)),
        depth(piece_size(x.k, 2048 / sizeof(T), 8)),
        block_rows(
            piece_size(x.m, rows_of_a == RowsOfA::in_place ? x.m : 48, kernel.tile_rows)),
        most_columns(64 * kernel.tile_columns) {}

  // The columns of the blocks of a part.
  std::int64_t block_columns(std::int64_t columns) const {
    return piece_size(columns, most_columns, kernel.tile_columns);
  }
  // How many panels of a block are a group: as many as two thirds of L2 hold, but one at
  // least. Rows of a and c pass through the rest.
  std::int64_t group(const PanelLayout<T>& panels) const {
    const std::int64_t most =
        l2_cache() * 2 / 3 / (panels.size * std::int64_t{sizeof(T)});
    return piece_size(panels.count, std::max<std::int64_t>(most, 1), 1);
  }
  // Elements for a block of a, copied or in panels. Here and in size_b() there is room at
  // the end for what BLIS's micro-kernel loads ahead.
  std::int64_t size_a() const {
    if (rows_of_a == RowsOfA::in_place) return 0;
    return PanelLayout<T>(block_rows, kernel.tile_rows, depth).total() +
           blis::read_ahead<T>;
  }
  // Elements for the panels of a block of b, in parts of up to `columns` columns.
  std::int64_t size_b(std::int64_t columns) const {
    return PanelLayout<T>(std::min(columns, most_columns), kernel.tile_columns, depth)
               .total() +
           blis::read_ahead<T>;
  }
};

// The panels of a block, or copies of its rows, and what they were made from. The same
// first element, lines and depth are the same contents, for a block's strides are those
// of its matrix, and nothing writes to a or b during multiply().
template <class T>
struct PackedBlock {
  T* memory;
  const T* source = nullptr;
  std::int64_t lines = 0, depth = 0;

  bool holds(const T* from, std::int64_t wanted_lines, std::int64_t wanted_depth) const {
    return source == from && lines == wanted_lines && depth == wanted_depth;
  }
};

// What one thread does of the products.
template <class T>
class Worker {
 public:
  // `memory` has blocking.size_a() + blocking.size_b(the most columns of a part).
  Worker(const Products<T>& x, const Blocking<T>& blocking, T* memory)
      : x_(x), blocking_(blocking), a_{memory}, b_{memory + blocking.size_a()} {}

  // A part of product i, into c, a matrix (m, n), or added to it. What is packed of b is
  // kept for all blocks of rows. If that is all that the part needs of b, in one block
  // and one slice, it also stays for the next part or product of the same b.
  void compute(std::int64_t i, const Part& part, T* c, bool add) {
    // Nothing is packed for no rows, and piece_size() cannot cut 0 columns.
    if (part.row >= part.row_end || part.column >= part.column_end) return;
    const auto [at_a, at_b] = x_.offsets(i);
    const T *const a = x_.a.first + at_a, *const b = x_.b.first + at_b;
    const std::int64_t block_columns =
                           blocking_.block_columns(part.column_end - part.column),
                       block_rows = blocking_.block_rows;
    for (std::int64_t column = part.column; column < part.column_end;
         column += block_columns) {
      const std::int64_t columns = std::min(block_columns, part.column_end - column);
      for (std::int64_t p = part.k; p < part.k_end; p += blocking_.depth) {
        const std::int64_t depth = std::min(blocking_.depth, part.k_end - p);
        const bool is_first = !add && p == part.k, is_last = p + depth == x_.k;
        const PanelLayout<T> panels(columns, blocking_.kernel.tile_columns, depth);
        // The lines of these panels are columns.
        pack(panels, b + p * x_.b.row_stride + column * x_.b.column_stride,
             x_.b.column_stride, x_.b.row_stride, b_);
        for (std::int64_t row = part.row; row < part.row_end; row += block_rows) {
          const std::int64_t rows = std::min(block_rows, part.row_end - row);
          const T* const first = a + row * x_.a.row_stride + p * x_.a.column_stride;
          compute_block(strips(first, rows, depth), panels, c + row * x_.n + column,
                        !is_first, is_last && x_.bias ? x_.bias + column : nullptr);
        }
      }
    }
  }

 private:
  const Products<T>& x_;
  const Blocking<T>& blocking_;
  PackedBlock<T> a_, b_;

  // The rows of a block as the kernel reads them: the first ones, how many there are, how
  // many it takes at a time, and how many elements further the next of these begin.
  struct Strips {
    Matrix<const T> first;
    std::int64_t rows, at_once, stride;
  };

  // The strips of the rows from `first` on, copied or packed if need be.
  Strips strips(const T* first, std::int64_t rows, std::int64_t depth) {
    const std::int64_t height = blocking_.kernel.tile_rows, row_stride = x_.a.row_stride;
    switch (blocking_.rows_of_a) {
      case RowsOfA::copied:
        if (!a_.holds(first, rows, depth)) {
          for (std::int64_t r = 0; r < rows; ++r) {
            std::copy_n(first + r * row_stride, depth, a_.memory + r * depth);
          }
          a_ = {a_.memory, first, rows, depth};
        }
        return {{a_.memory, depth, 1}, rows, rows, 0};  // all at once
      case RowsOfA::packed: {
        const PanelLayout<T> panels(rows, height, depth);
        pack(panels, first, row_stride, x_.a.column_stride, a_);
        return {{a_.memory, 1, height}, rows, height, panels.size};  // as panels.h has it
      }
      case RowsOfA::in_place: break;
    }
    // One call gets many strips: with AVX2 a strip has 6 rows, but tiles of one vector of
    // columns, the last ones of c, have up to 12 (see tile_kernels.cpp).
    constexpr std::int64_t strips_a_call = 16;
    const std::int64_t at_once = strips_a_call * height;
    return {{first, row_stride, 1}, rows, at_once, at_once * row_stride};
  }

  // Packs lines that are `stride` apart and whose elements are `depth_stride` apart,
  // unless they are packed already.
  void pack(const PanelLayout<T>& panels, const T* from, std::int64_t stride,
            std::int64_t depth_stride, PackedBlock<T>& to) {
    if (to.holds(from, panels.lines, panels.depth)) return;
    panels.pack(from, stride, depth_stride, to.memory);
    to = {to.memory, from, panels.lines, panels.depth};
  }

  // A block of rows times the panels that b_ holds. c points to the first element of the
  // result, to which it is added if `add` is true. `bias` is null, or begins with what is
  // added to the first column.
  void compute_block(const Strips& a, const PanelLayout<T>& panels, T* c, bool add,
                     const T* bias) const {
    const std::int64_t group = blocking_.group(panels);
    for (std::int64_t panel = 0; panel < panels.count; panel += group) {
      const std::int64_t column = panel * panels.width;
      const std::int64_t columns = std::min(group * panels.width, panels.lines - column);
      Matrix<const T> rows = a.first;
      for (std::int64_t row = 0; row < a.rows; row += a.at_once, rows.first += a.stride) {
        blocking_.kernel.multiply_panels({.m = std::min(a.at_once, a.rows - row),
                                          .n = columns,
                                          .k = panels.depth,
                                          .a = rows,
                                          .b = b_.memory + panel * panels.size,
                                          .b_stride = panels.width,
                                          .panel_stride = panels.size,
                                          .c = c + row * x_.n + column,
                                          .c_stride = x_.n,
                                          .add = add,
                                          .bias = bias ? bias + column : nullptr});
      }
    }
  }
};

}  // namespace heed

// Products c = a b of matrices. For a first reading: this comment; Products in gemm.h;
// panels.h; TileProduct in tile_kernels.h; Blocking and Multiplication below; then
// vector.h in kernels/, and tile_kernels.cpp from the top to multiply_panels(). How rows
// of a are copied, how a product is cut for threads (multiply_in_tiles(), grid.cpp), how
// panels are packed, and BLIS can wait. Helpers such as ceil_div() are in
// core/parallel.h.
//
// multiply(), at the end, chooses among three ways:
//
//   vectors  m, n or k is 1: vector_products.cpp
//   small    packed b takes at most 12 KiB, and the product little time:
//            small_products.cpp
//   tiles    all others: here
//
// and for k = 0 writes zeros.
//
// A product of n x n matrices has n^3 multiply-adds and 3 n^2 numbers, which a loop over
// rows and columns would read from memory again and again. Here what is read again comes
// from registers or from a cache. The words, with the sizes for floats and AVX-512:
//
//   slice   up to `depth` values of k
//   tile    12 rows x 32 columns of c; in registers for one slice
//   panel   a slice of the 32 columns of b that a tile needs, up to 64 KiB, copied so
//           that the tile reads memory from front to back. To copy so is to pack: vectors
//           are aligned, and what is missing at the ends is 0
//   strip   a slice of 12 rows of a, up to 24 KiB; in the L1 or L2 cache. With AVX-512 it
//           is as high as a tile, else as two
//   group   panels that together fit two thirds of a core's L2 cache
//   block   of b: up to 64 panels, up to 4 MiB; in the L3 cache
//           of a: what is packed or copied at a time. Rows read in place are one block
//   part    the rows x columns of c, for all slices or for one, that a thread computes at
//           a time
//
// The loops, what they count in, BLIS's name of that, and where they stand:
//
//   for each block of columns of b                 block_columns  NC  compute()
//     for each slice of k: pack b                  depth          KC  compute()
//       for each block of rows of a: pack a or     block_rows     MC  compute()
//           copy it, if need be
//         for each group of panels                 group              compute_block()
//           for each strip of rows                 strip_rows         compute_block()
//             for each tile's rows in the strip    tile_rows      MR  multiply_panels()
//               for each panel of the group        tile_columns   NR  multiply_rows()
//                 a tile of c                                         multiply_tile()
//
// The first slice sets a tile of c, the others add to it; so a slice should be deep. (If
// threads share k, each slice sets a matrix of its own, and these are added.) A panel
// passes from L2 through the registers: 128 bytes of it for 24 multiply-adds of vectors,
// which L2 can deliver.
//
// The outer loops are those of Goto and van de Geijn (Anatomy of High-Performance Matrix
// Multiplication, 2008) and of BLIS. The inner ones have changed places. BLIS keeps a
// block of a in L2 and a panel of b in L1; heed keeps panels of b in L2 and a strip of a
// in L1. heed's tile reads a one number at a time, so that contiguous rows of a need no
// packing: they are read in place, or copied if they are a multiple of 4 KiB apart.
// (BLIS's, which is used at the baseline level, reads a from panels.)
//
// The bits of c depend neither on the number of threads nor on the caches: an element's
// sum over a slice is formed by one thread, the slices are cut by the shape alone, and
// their sums are added in order. (Only which of two different NaNs remains may depend.)
#include "tensor/product/gemm.h"

#include <algorithm>
#include <vector>

#include <unistd.h>

#include "tensor/core/buffer.h"
#include "tensor/core/parallel.h"
#include "tensor/kernels/level.h"
#include "tensor/product/blis.h"
#include "tensor/product/grid.h"
#include "tensor/product/panels.h"
#include "tensor/product/tile_kernels.h"

namespace heed {
namespace {

using std::int64_t;

// The size of a core's L2 cache in bytes.
int64_t l2_cache() {
#if defined(_SC_LEVEL2_CACHE_SIZE)
  static const int64_t size = sysconf(_SC_LEVEL2_CACHE_SIZE);
  if (size > 0) return size;
#endif
  return 256 << 10;
}

// The kernel that computes tiles: heed's, or at the baseline level (see level.h) BLIS's
// micro-kernel. It is faster there, for BLIS takes the one of this processor, which may
// have more instructions than the level. BLIS's own driver is not used: it takes several
// microseconds a call. The tests compare with it.
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
  packed,    // it reads panels
};

// Contiguous rows a multiple of 4 KiB apart are copied. A line of the L1 cache, 64 bytes,
// has its place in one of 64 sets of 8 or 12 lines, so that numbers 4 KiB apart share a
// set: a whole column of a would. Copies are at most 2 KiB apart: at worst the six or
// twelve rows of a tile share two sets. To pack such rows, which transposes them, makes
// products of few rows 15 % slower. Rows 0 apart are one row.
template <class T>
RowsOfA choose_rows_of_a(const Products<T>& x, bool needs_panels) {
  if (needs_panels || x.a.column_stride != 1) return RowsOfA::packed;
  constexpr int64_t same_place = 4096 / sizeof(T);
  const bool share_a_set = x.a.row_stride != 0 && x.a.row_stride % same_place == 0;
  return share_a_set ? RowsOfA::copied : RowsOfA::in_place;
}

// How a product is cut. A slice of a row takes up to 2 KiB. A group takes at most two
// thirds of L2, but one panel at least; rows of a and c pass through the rest. The limits
// are measured: with twice the depth products of 1024 x 1024 take a tenth longer on a
// Zen 4; blocks of 32 panels are no faster. A block of a, up to 96 KiB, stays beside the
// group in an L2 of 512 KiB: with 20 tiles of rows large products take 1 % longer.
template <class T>
struct Blocking {
  const kernels::TileKernels<T>& kernel = tile_kernels<T>();
  RowsOfA rows_of_a;
  int64_t depth, block_rows, block_columns;
  int64_t group;  // in panels

  explicit Blocking(const Products<T>& x)
      : rows_of_a(choose_rows_of_a(x, kernel.needs_panels_of_a)),
        depth(even_pieces(x.k, 2048 / sizeof(T), 8)),
        block_rows(
            even_pieces(x.m, rows_of_a == RowsOfA::in_place ? x.m : 4 * kernel.strip_rows,
                        kernel.tile_rows)) {
    cut_columns(x.n);
  }
  // For a part, or a whole product, of so many columns.
  void cut_columns(int64_t columns) {
    block_columns = even_pieces(columns, 64 * kernel.tile_columns, kernel.tile_columns);
    const int64_t panel = depth * kernel.tile_columns * static_cast<int64_t>(sizeof(T));
    group = even_pieces(ceil_div(block_columns, kernel.tile_columns),
                        std::max<int64_t>(l2_cache() * 2 / 3 / panel, 1), 1);
  }
  // Elements of a block's rows, copied or in panels, and of the panels of its columns.
  int64_t size_a() const {
    switch (rows_of_a) {
      case RowsOfA::copied: return aligned<T>(block_rows * depth);
      case RowsOfA::packed:
        return Panels<T>(block_rows, kernel.strip_rows, depth).total();
      case RowsOfA::in_place: break;
    }
    return 0;
  }
  int64_t size_b() const {
    return Panels<T>(block_columns, kernel.tile_columns, depth).total();
  }
};

// The panels of a block, or copies of its rows, and what they were made from.
template <class T>
struct PackedBlock {
  T* memory;
  const T* source = nullptr;
  int64_t lines = 0, depth = 0;

  // False if it holds these lines already; otherwise it notes them.
  bool must_pack(const T* from, int64_t new_lines, int64_t new_depth) {
    if (source == from && lines == new_lines && depth == new_depth) return false;
    *this = {memory, from, new_lines, new_depth};
    return true;
  }
};

// Rows and columns of c and values of k, the ends not included, and where the product of
// these goes: a matrix of c's shape.
template <class T>
struct Part {
  int64_t row, row_end, column, column_end, k, k_end;
  T* c;
};

// What one thread does of the products.
template <class T>
class Multiplication {
 public:
  // `memory` has blocking.size_a() + blocking.size_b() elements.
  Multiplication(const Products<T>& x, const Blocking<T>& blocking, T* memory)
      : x_(x), blocking_(blocking), a_{memory}, b_{memory + blocking.size_a()} {}

  // A part of product i. What is packed of b is kept for all blocks of rows; if it is all
  // that the part needs of b, also for the next part or product of the same b.
  void compute(int64_t i, const Part<T>& part) {
    if (part.row == part.row_end) return;
    const auto [at_a, at_b] = x_.offsets(i);
    const T *const a = x_.a.first + at_a, *const b = x_.b.first + at_b;
    const int64_t most_columns = blocking_.block_columns,
                  most_rows = blocking_.block_rows;
    for (int64_t column = part.column; column < part.column_end; column += most_columns) {
      const int64_t columns = std::min(most_columns, part.column_end - column);
      for (int64_t p = part.k; p < part.k_end; p += blocking_.depth) {
        const int64_t depth = std::min(blocking_.depth, part.k_end - p);
        const bool is_last = p + depth == x_.k;
        const Panels<T> panels(columns, blocking_.kernel.tile_columns, depth);
        pack(panels, b + p * x_.b.row_stride + column * x_.b.column_stride,
             x_.b.column_stride, x_.b.row_stride, b_);
        for (int64_t row = part.row; row < part.row_end; row += most_rows) {
          const int64_t rows = std::min(most_rows, part.row_end - row);
          const T* const first = a + row * x_.a.row_stride + p * x_.a.column_stride;
          compute_block(strips(first, rows, depth), panels, part.c + row * x_.n + column,
                        p > part.k, is_last && x_.bias ? x_.bias + column : nullptr);
        }
      }
    }
  }

 private:
  const Products<T>& x_;
  const Blocking<T>& blocking_;
  PackedBlock<T> a_, b_;

  // The rows of a block as the kernel reads them: the first strip, how many rows there
  // are in all strips, and how many elements further the next strip begins.
  struct Strips {
    Matrix<const T> first_strip;
    int64_t rows, step;
  };

  // The strips of the rows from `first` on, copied or packed if need be.
  Strips strips(const T* first, int64_t rows, int64_t depth) {
    const int64_t height = blocking_.kernel.strip_rows, row_stride = x_.a.row_stride;
    if (blocking_.rows_of_a == RowsOfA::in_place) {
      return {{first, row_stride, 1}, rows, height * row_stride};
    }
    if (blocking_.rows_of_a == RowsOfA::copied) {
      if (a_.must_pack(first, rows, depth)) {
        for (int64_t r = 0; r < rows; ++r) {
          std::copy_n(first + r * row_stride, depth, a_.memory + r * depth);
        }
      }
      return {{a_.memory, depth, 1}, rows, height * depth};
    }
    const Panels<T> panels(rows, height, depth);
    pack(panels, first, row_stride, x_.a.column_stride, a_);
    return {{a_.memory, 1, height}, rows, panels.size};
  }

  // Packs the panels, unless they are packed already.
  void pack(const Panels<T>& panels, const T* from, int64_t step, int64_t depth_step,
            PackedBlock<T>& to) {
    if (!to.must_pack(from, panels.lines, panels.depth)) return;
    panels.pack(from, step, depth_step, to.memory);
  }

  // A block of rows times the panels that b_ holds. c points to the first element of the
  // result. `bias` is null, or begins with what is added to the first column.
  void compute_block(const Strips& a, const Panels<T>& panels, T* c, bool add,
                     const T* bias) const {
    for (int64_t panel = 0; panel < panels.count; panel += blocking_.group) {
      const int64_t column = panel * panels.width;
      const int64_t columns =
          std::min(blocking_.group * panels.width, panels.lines - column);
      const int64_t height = blocking_.kernel.strip_rows;
      for (int64_t row = 0; row < a.rows; row += height) {
        const auto& [first, row_stride, column_stride] = a.first_strip;
        blocking_.kernel.multiply_panels(
            {.m = std::min(height, a.rows - row),
             .n = columns,
             .k = panels.depth,
             .a = {first + row / height * a.step, row_stride, column_stride},
             .b = b_.memory + panel * panels.size,
             .b_step = panels.width,
             .panel_step = panels.size,
             .c = c + row * x_.n + column,
             .c_step = x_.n,
             .add = add,
             .bias = bias ? bias + column : nullptr});
      }
    }
  }
};

// Where piece i begins and piece i - 1 ends, if `count` is cut into `pieces` at multiples
// of `unit`.
int64_t bound(int64_t i, int64_t pieces, int64_t count, int64_t unit) {
  return std::min(ceil_div(count, unit) * i / pieces * unit, count);
}

// Part i of a product, counted by columns, then rows, then slices. c is where it goes.
template <class T>
Part<T> part_of(const Products<T>& x, const Blocking<T>& blocking, const Grid& grid,
                int64_t i, T* c) {
  const int64_t rows = blocking.kernel.tile_rows, columns = blocking.kernel.tile_columns;
  const int64_t column_piece = i % grid.columns;
  const int64_t row_piece = i / grid.columns % grid.rows;
  const int64_t slice = i / grid.columns / grid.rows;
  return {.row = bound(row_piece, grid.rows, x.m, rows),
          .row_end = bound(row_piece + 1, grid.rows, x.m, rows),
          .column = bound(column_piece, grid.columns, x.n, columns),
          .column_end = bound(column_piece + 1, grid.columns, x.n, columns),
          .k = bound(slice, grid.slices, x.k, blocking.depth),
          .k_end = bound(slice + 1, grid.slices, x.k, blocking.depth),
          .c = c};
}

template <class T>
void multiply_in_tiles(const Products<T>& x) {
  Blocking<T> blocking(x);
  const int64_t products = x.count();
  const Sharing sharing = share_out(
      {.products = products,
       .m = x.m,
       .n = x.n,
       .k = x.k,
       .tile_rows = blocking.kernel.tile_rows,
       .tile_columns = blocking.kernel.tile_columns,
       .depth = blocking.depth,
       .can_cut_k = products == 1 && !x.bias,  // the bias is added after the last slice
       .is_a_in_place = blocking.rows_of_a == RowsOfA::in_place,
       .is_b_one_block = x.k <= blocking.depth && x.n <= blocking.block_columns});
  const Grid& grid = sharing.grid;
  blocking.cut_columns(largest_piece(x.n, blocking.kernel.tile_columns, grid.columns));
  const int64_t size = blocking.size_a() + blocking.size_b();
  Buffer<T> memory(size * sharing.threads);
  std::vector<Multiplication<T>> multiplications;
  for (int64_t i = 0; i < sharing.threads; ++i) {
    multiplications.emplace_back(x, blocking, memory.first() + i * size);
  }
  // Rounds of at_once slices. The sums of slice 0 go to c, those of each other slice to a
  // matrix of their own, and then to c. If there is one round, slice 0 needs none.
  const int64_t size_c = x.m * x.n, at_once = sharing.slices_at_once;
  Buffer<T> sums((at_once == grid.slices ? at_once - 1 : at_once) * size_c);
  const int64_t parts = grid.rows * grid.columns;  // of a slice
  for (int64_t first = 0; first < grid.slices; first += at_once) {
    const int64_t end = std::min(first + at_once, grid.slices);
    const int64_t first_added = std::max<int64_t>(first, 1);
    const auto sums_of = [&](int64_t slice) {
      return sums.first() + (slice - first_added) * size_c;
    };
    // Part 0 of each product, then part 1 of each: a b that they share stays packed. (If
    // there are several slices, there is one product: can_cut_k.)
    parallel_stealing(
        products * parts * (end - first), sharing.threads,
        [&](int64_t thread, int64_t i) {
          const int64_t product = i % products, part = first * parts + i / products;
          T* const c = part < parts ? x.c + product * size_c : sums_of(part / parts);
          multiplications[thread].compute(product, part_of(x, blocking, grid, part, c));
        });
    if (grid.slices == 1) break;  // there is nothing to add
    parallel_for(size_c, parallel_grain / at_once + 1, [&](auto begin, auto stop) {
      for (int64_t slice = first_added; slice < end; ++slice) {
        blocking.kernel.add_row(1, stop - begin, sums_of(slice) + begin, x.c + begin,
                                size_c);
      }
    });
  }
}

}  // namespace

template <class T>
void multiply(const Products<T>& x) {
  if (x.m > 1 && x.n > 1 && x.k > 1) {
    return is_small(x) ? multiply_small(x) : multiply_in_tiles(x);
  }
  if (x.k == 0) {
    std::fill_n(x.c, x.count() * x.m * x.n, T{0});
  } else {
    multiply_vectors(x);
  }
  if (x.bias) {
    const auto add_row = kernels::get<kernels::TileKernels<T>>().add_row;
    parallel_for(x.count() * x.m, parallel_grain / x.n + 1, [&](auto begin, auto end) {
      add_row(end - begin, x.n, x.bias, x.c + begin * x.n, x.n);
    });
  }
}

template void multiply(const Products<float>&);
template void multiply(const Products<double>&);

}  // namespace heed

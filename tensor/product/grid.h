// How threads share products c = a b among them: whole ones, or parts of each. Only
// grid.cpp, worker.h and gemm.cpp include this file.
#pragma once

#include <cstdint>

#include "tensor/core/parallel.h"

namespace heed {

// Products of one shape, a (m, k) and b (k, n).
struct ProductSizes {
  std::int64_t products, m, n, k;
  std::int64_t tile_rows, tile_columns;  // of c
  std::int64_t depth;                    // of a slice of k
  bool can_cut_k;
  bool is_a_in_place;  // it is neither copied nor packed
};

// Into how many pieces the rows of c, its columns, and k are cut. A part is one piece of
// each. k is left whole, or cut into all its slices (see worker.h).
struct Grid {
  std::int64_t rows = 1, columns = 1, slices = 1;
};

struct Sharing {
  std::int64_t threads;
  Grid grid;  // of each product
  // How many slices are computed before their sums are added to c.
  std::int64_t slices_at_once = 1;
  // Whether parts of the grid are computed in stages (see multiply_in_stages()). Each
  // share of parallel_stealing() then has as many of them as any other, and columns are
  // whole, or cut into one piece for each share.
  bool in_stages = false;
};

// How threads share the products; grid.cpp lists the ways.
Sharing share_out(const ProductSizes& x);

// Rows and columns of c and values of k, the ends not included.
struct Part {
  std::int64_t row, row_end, column, column_end, k, k_end;
};

// Part i of a product. All parts of slice 0 come first, then those of slice 1, and so on;
// within a slice those of the first piece of columns, one for each piece of rows, then
// those of the next: so what a thread has packed of b serves its next part too. Where
// there are more pieces than tiles, some parts are empty.
Part part_of(const ProductSizes& x, const Grid& grid, std::int64_t i);
// The lines of the largest of `pieces`, up to the end of its last tile, when `lines` rows
// or columns are cut at multiples of `tile`, as part_of() does.
inline std::int64_t largest_piece(std::int64_t lines, std::int64_t tile,
                                  std::int64_t pieces) {
  return ceil_div(ceil_div(lines, tile), pieces) * tile;
}

}  // namespace heed

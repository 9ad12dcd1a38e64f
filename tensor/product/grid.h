// How threads share products c = a b among them: whole ones, or parts of each. Only
// grid.cpp and gemm.cpp include this file.
#pragma once

#include <cstdint>

#include "tensor/core/parallel.h"

namespace heed {

// The pieces of the rows and the columns of c, and of k: a part is one of each. The k of
// a part is whole or one of the slices that gemm.cpp cuts k into.
struct Grid {
  std::int64_t rows = 1, columns = 1, slices = 1;
};

// The lines of the largest piece, when `lines` in tiles of `tile` are cut into `pieces`.
inline std::int64_t widest(std::int64_t lines, std::int64_t tile, std::int64_t pieces) {
  return ceil_div(ceil_div(lines, tile), pieces) * tile;
}

// Products of one shape, a (m, k) and b (k, n).
struct Uncut {
  std::int64_t products, m, n, k;
  std::int64_t tile_rows, tile_columns;  // of c
  std::int64_t depth;                    // of a slice of k
  bool can_cut_k;
  bool is_a_in_place;   // it is neither copied nor packed
  bool is_b_one_block;  // all of b is packed at a time
};

struct Sharing {
  std::int64_t threads;
  Grid grid;                        // of each product
  std::int64_t slices_at_once = 1;  // of which the sums take memory at the same time
};

// What takes the least time, as grid.cpp explains.
Sharing share_out(const Uncut& x);

}  // namespace heed

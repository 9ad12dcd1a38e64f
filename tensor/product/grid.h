// How threads share one product c = a b among them: in parts. gemm.cpp alone includes
// this file.
#pragma once

#include <cstdint>

namespace heed {

// The pieces of the rows and the columns of c, and of k: a part is one of each. The k of
// a part is whole or one of the slices that gemm.cpp cuts k into.
struct Grid {
  std::int64_t rows = 1, columns = 1, slices = 1;
};

// a (m, k), b (k, n); the rows and columns of a tile of c; and how many slices of k may
// be parts, 1 if k must stay whole.
struct ProductSize {
  std::int64_t m, n, k, tile_rows, tile_columns, slices;
};

// The grid for a team of threads that takes them the least time, with a part for each
// thread or more.
Grid best_grid(const ProductSize& x, std::int64_t team);

}  // namespace heed

// How threads share one product c = a b among them: in parts. Only grid.cpp and gemm.cpp
// include this file.
#pragma once

#include <cstdint>

namespace heed {

// The pieces of the rows and the columns of c, and of k: a part is one of each. The k of
// a part is whole or one of the slices that gemm.cpp cuts k into.
struct Grid {
  std::int64_t rows = 1, columns = 1, slices = 1;
};

// What is cut: a (m, k), b (k, n), and the rows and columns of a tile of c.
struct Uncut {
  std::int64_t m, n, k, tile_rows, tile_columns;
};

// The grid that takes a team of threads the least time; it has at least one part for each
// thread. `slices` is how many slices k has, or 1 if it must stay whole.
Grid best_grid(const Uncut& x, std::int64_t slices, std::int64_t team);

}  // namespace heed

// Each thread computes parts of c with loops and packed panels of its own. Where there
// are more parts than threads, one that is done takes parts that a slower one has not
// begun. Columns that two threads need are packed by both, which takes 2 to 4 % of the
// time. To share them, with a barrier or with one flag per thread, was measured and is no
// faster: then threads wait for each other.
//
// Where c is small beside k, as the gradient of a layer's weights is, parts are slices of
// k. If only k is cut, no element of a or b is read by two threads, and most are read by
// the thread that has written them. The first slice's sums are c's; those of the others
// lie elsewhere and are added to c, in order, as one thread alone would.
#include "tensor/product/grid.h"

#include <algorithm>
#include <initializer_list>

namespace heed {
namespace {

using std::int64_t;

// How many sums of slices, each as large as c, may be kept at a time: at most half as
// much memory as a and b take, and eight for each thread.
int64_t most_sums(const Uncut& x, int64_t threads) {
  return std::min(x.k * (x.m + x.n) / (2 * x.m * x.n), 8 * threads);
}

// The grid that takes a team of threads the least time; it has at least one part for each
// thread, and `all_slices` slices or one. Times are in multiply-adds of one thread: 1 for
// each multiply-add, 24 for each element of a or b that is packed or copied, 16 for one
// that is read in place, and 32 for each sum of a slice that is added to c. The numbers
// are measured in training steps, where a and b are seldom in a cache. Of equal grids it
// is that which cuts k, then that with more rows: the next op, cut into rows as well,
// finds them in the cache of its core.
Grid best_grid(const Uncut& x, int64_t all_slices, int64_t team) {
  constexpr int64_t packing = 24, reading = 16, adding = 32;
  const int64_t reading_a = x.is_a_in_place ? reading : packing;
  Grid best;
  int64_t least = -1;
  for (const int64_t slices : {int64_t{1}, all_slices}) {
    const int64_t parts = ceil_div(team, slices);  // of a slice
    for (int64_t rows = 1; rows <= parts; ++rows) {
      if (parts % rows != 0) continue;
      const int64_t columns = parts / rows;
      const int64_t m = widest(x.m, x.tile_rows, rows);
      const int64_t n = widest(x.n, x.tile_columns, columns);
      const int64_t k = ceil_div(parts * slices, team) * ceil_div(x.k, slices);
      const int64_t time = k * (m * n + reading_a * m + packing * n) +
                           adding * (slices - 1) * x.m * x.n / team;
      if (least < 0 || time <= least) {
        least = time;
        best = {rows, columns, slices};
      }
    }
  }
  return best;
}

// More parts than threads, where no part packs what another one has packed: pieces of at
// least `tiles` tiles, and the same number for each thread, at most eight.
int64_t more_pieces(int64_t lines, int64_t tile, int64_t tiles, int64_t team) {
  return team * std::min<int64_t>(ceil_div(lines, tiles * tile * team), 8);
}

}  // namespace

// Either each of some threads takes whole products, or every product is cut into parts,
// at least one for each thread of a team. It is cut if the team is larger, or if it is as
// large and whole products would leave threads without work: if there are fewer than four
// a thread, and not the same number for each. A thread's parts together have at least
// twice the work that keeps a thread busy, for several threads read the same a or b.
Sharing share_out(const Uncut& x) {
  const int64_t work = x.m * x.n * x.k;
  const int64_t tiles = ceil_div(x.m, x.tile_rows) * ceil_div(x.n, x.tile_columns);
  const int64_t slices = x.can_cut_k ? ceil_div(x.k, x.depth) : 1;
  const int64_t threads = thread_count(x.products, multiply_grain / work + 1);
  const int64_t team =
      thread_count(std::min(work / (2 * multiply_grain), tiles * slices), 1);
  const bool is_uneven = x.products % threads != 0 && x.products < 4 * threads;
  if (threads > team || (threads == team && !is_uneven)) return {threads, Grid{}};

  const int64_t sums = most_sums(x, team);
  Grid grid = best_grid(x, sums >= team ? slices : 1, team);
  if (x.products == 1 && grid.rows > 1 && grid.columns == 1 && x.is_b_one_block) {
    grid.rows = more_pieces(x.m, x.tile_rows, 4, team);
  }
  if (x.products == 1 && grid.columns > 1 && grid.rows == 1 && x.is_a_in_place) {
    grid.columns = more_pieces(x.n, x.tile_columns, 2, team);
  }
  const int64_t at_once = even_pieces(grid.slices, std::max(sums, team), team);
  return {team, grid, std::min(at_once, grid.slices)};
}

}  // namespace heed

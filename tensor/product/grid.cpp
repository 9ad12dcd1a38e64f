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

#include <initializer_list>

#include "tensor/core/parallel.h"

namespace heed {

// A grid's time, in multiply-adds of one thread: 1 for each multiply-add, 24 for each
// element of a or b that is read, and 32 for each sum of a slice that is added to c. The
// numbers are measured in training steps, where a and b are seldom in a cache. Of equal
// grids it is that which cuts k, then that with more rows: the next op, cut into rows as
// well, finds them in the cache of its core.
Grid best_grid(const Uncut& x, std::int64_t all_slices, std::int64_t team) {
  constexpr std::int64_t reading = 24, adding = 32;
  Grid best;
  std::int64_t least = -1;
  for (const std::int64_t slices : {std::int64_t{1}, all_slices}) {
    const std::int64_t parts = ceil_div(team, slices);  // of a slice
    for (std::int64_t rows = 1; rows <= parts; ++rows) {
      if (parts % rows != 0) continue;
      const std::int64_t columns = parts / rows;
      const std::int64_t m = ceil_div(ceil_div(x.m, x.tile_rows), rows) * x.tile_rows;
      const std::int64_t n =
          ceil_div(ceil_div(x.n, x.tile_columns), columns) * x.tile_columns;
      const std::int64_t k = ceil_div(parts * slices, team) * ceil_div(x.k, slices);
      const std::int64_t time =
          k * (m * n + reading * (m + n)) + adding * (slices - 1) * x.m * x.n / team;
      if (least < 0 || time <= least) {
        least = time;
        best = {rows, columns, slices};
      }
    }
  }
  return best;
}

}  // namespace heed

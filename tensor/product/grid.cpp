// Each thread computes parts of c with loops and packed panels of its own. Where there
// are more parts than threads, one that is done takes parts that a slower one has not
// begun (parallel_stealing() in parallel.h). Columns that two threads need are packed by
// both, which takes 1 to 4 % of the time. If they shared them, each would wait for the
// other at each slice: a millisecond or more when another program runs on its core. Of a
// wide c each thread has columns of its own (see share_out()).
//
// Where c is small beside k, parts are slices of k. The gradient of a layer's weights is
// such a product: there k counts the rows of the layer's input and of its output's
// gradient. If only k is cut, no element of a or b is read by two threads; and the ops
// before, which were cut by these rows as well, have left most of a thread's slice in the
// cache of its core. The sums of the first slice go to c, those of each other slice to a
// matrix of their own; these are then added to c, in order, as one thread alone would.
//
// The ways, in the order in which share_out() tries them:
//
//   whole products   whole ones occupy more threads than parts of one would, or as many,
//                    evenly; so also all that is for one thread
//   slices of k      one product, no bias, c small beside k; sums are added afterwards
//   parts of each    several products left: some rows and columns of each
//   stages           many rows, or a product cut into rows anyway: many parts for each
//                    thread
//   columns          a is read in place, and only columns are cut: many parts, of all
//                    rows. Two threads cut 300 x 300 (k = 300) into six of up to 64
//                    columns
//   parts            any other: one for each thread
#include "tensor/product/grid.h"

#include <algorithm>
#include <initializer_list>

namespace heed {
namespace {

using std::int64_t;

// About how many sums of slices, each as large as c, may be kept at a time: half as much
// memory as a and b take, and at most eight for each thread.
int64_t max_sums(const ProductSizes& x, int64_t threads) {
  return std::min(x.k * (x.m + x.n) / (2 * x.m * x.n), 8 * threads);
}

// The grid that takes a team of threads the least time. It has at least one part for each
// thread, and `all_slices` slices or one. The time, in multiply-adds of one thread, is
//
//   k' (m' n' + reading_a m' + packing n') + adding (slices - 1) m n / team
//
// for m' rows and n' columns of the largest part, and the k' of all parts of a thread
// together: a thread computes up to ceil(parts / team) parts. The costs are measured in
// training steps, where a and b are seldom in a cache. If only rows are cut, each thread
// packs all of b; if only columns, each reads all of a.
Grid best_grid(const ProductSizes& x, int64_t all_slices, int64_t team) {
  constexpr int64_t packing = 24;  // an element of b, or of a if it is packed or copied
  constexpr int64_t reading = 16;  // an element of a in place, in each part anew
  constexpr int64_t adding = 32;   // one of a slice's sums to c
  const int64_t reading_a = x.is_a_in_place ? reading : packing;
  Grid best;
  int64_t least_time = -1;
  for (const int64_t slices : {int64_t{1}, all_slices}) {
    const int64_t parts = ceil_div(team, slices);  // of a slice
    for (int64_t rows = 1; rows <= parts; ++rows) {
      if (parts % rows != 0) continue;
      const int64_t columns = parts / rows;
      const int64_t m = largest_piece(x.m, x.tile_rows, rows);
      const int64_t n = largest_piece(x.n, x.tile_columns, columns);
      const int64_t k = ceil_div(parts * slices, team) * ceil_div(x.k, slices);
      const int64_t time = k * (m * n + reading_a * m + packing * n) +
                           adding * (slices - 1) * x.m * x.n / team;
      // Of grids that take equal time the later one: that which cuts k, then that with
      // more rows. The next op, cut into rows as well, finds its rows in its cache.
      if (least_time < 0 || time <= least_time) {
        least_time = time;
        best = {rows, columns, slices};
      }
    }
  }
  return best;
}

// The number of pieces for each thread when others may take them: of about two tiles or
// more, and of multiply_grain or more, for a part costs some 0.3 microseconds beside its
// multiply-adds. At most `most` pieces. `work` is that of a thread.
int64_t pieces_to_share(int64_t lines, int64_t tile, int64_t team, int64_t work,
                        int64_t most) {
  return std::min({ceil_div(lines, 2 * tile * team), work / multiply_grain, most});
}

// Where piece i begins and piece i - 1 ends, if `count` is cut into `pieces` at multiples
// of `unit`.
int64_t bound(int64_t i, int64_t pieces, int64_t count, int64_t unit) {
  const int64_t units = ceil_div(count, unit);
  return std::min(units * i / pieces * unit, count);
}

}  // namespace

// Products stay whole if whole ones occupy more threads (`threads`) than parts of one
// product would (`team`). If both occupy the same number, they stay whole only if threads
// get equal numbers of them, or at least four each.
Sharing share_out(const ProductSizes& x) {
  const int64_t work = x.m * x.n * x.k;
  const int64_t tiles = ceil_div(x.m, x.tile_rows) * ceil_div(x.n, x.tile_columns);
  const int64_t slices = x.can_cut_k ? ceil_div(x.k, x.depth) : 1;
  const int64_t threads = thread_count(x.products, work, multiply_grain);
  // Twice the work that pays for a thread: several of them read the same a or b.
  const int64_t team =
      std::min(thread_count(work, 1, 2 * multiply_grain), tiles * slices);
  const bool is_uneven = x.products % threads != 0 && x.products < 4 * threads;
  if (threads > team || (threads == team && !is_uneven)) return {threads, Grid{}};

  // k is cut only if there may be as many sums as threads.
  const int64_t sums = max_sums(x, team);
  Grid grid = best_grid(x, sums >= team ? slices : 1, team);
  if (grid.slices > 1) {
    // A multiple of the team, so that in a full round threads do the same.
    const int64_t at_once = piece_size(grid.slices, sums, team);
    return {team, grid, std::min(at_once, grid.slices)};
  }
  if (x.products > 1) return {team, grid};  // these give enough parts to take
  // Smaller parts, so that others can take some. In stages (see multiply_in_stages()) if
  // best_grid() leaves columns whole, and wherever there are 384 rows for each thread: to
  // pack b costs little beside these, and less than to read all rows of a for each small
  // piece of columns. best_grid() does not know these pieces.
  if (grid.columns == 1 || x.m >= 384 * team) {
    // By default pieces of rows: each thread packs all of b, in each stage a slice of a
    // block. Where c is at least as wide as high, each thread has columns of its own, and
    // packs only these and what it steals, but reads all of a. With two threads this
    // takes 1 % more time for 1024 x 1024 on a Zen 3, 1 to 2 % less for 2048 x 2048, and
    // half the memory for panels. Not where k is one slice, as in most layers: the next
    // op is cut into rows, and finds those of a thread in its core's cache.
    const int64_t owners = std::min(team, most_shares);
    // (With at most 8 or 16 pieces of rows it took as long on a Zen 3.)
    const bool has_columns = x.k > x.depth && x.n >= std::max(x.m, 512 * owners);
    const int64_t columns = has_columns ? owners : 1, rows = owners / columns;
    grid = {.rows = rows * pieces_to_share(x.m, x.tile_rows, rows, work / team, 32),
            .columns = columns};
    return {.threads = team, .grid = grid, .in_stages = true};
  }
  if (grid.rows == 1 && x.is_a_in_place) {
    grid.columns = team * pieces_to_share(x.n, x.tile_columns, team, work / team, 8);
  }
  return {team, grid};
}

Part part_of(const ProductSizes& x, const Grid& grid, int64_t i) {
  const int64_t row = i % grid.rows;
  const int64_t column = i / grid.rows % grid.columns;
  const int64_t slice = i / grid.rows / grid.columns;
  return {.row = bound(row, grid.rows, x.m, x.tile_rows),
          .row_end = bound(row + 1, grid.rows, x.m, x.tile_rows),
          .column = bound(column, grid.columns, x.n, x.tile_columns),
          .column_end = bound(column + 1, grid.columns, x.n, x.tile_columns),
          .k = bound(slice, grid.slices, x.k, x.depth),
          .k_end = bound(slice + 1, grid.slices, x.k, x.depth)};
}

}  // namespace heed

// Products c = a b of matrices (BLAS's gemm). To read first, in an hour: this comment and
// the head of worker.h, which has the words; Products in gemm.h, matrix.h,
// tile_kernels.h; kernels/vector.h, and tile_kernels.cpp up to the end of the loop in
// multiply_tile(); then panels.h and the rest of worker.h (Part is in grid.h). What
// remains can wait: the ends and order of tiles, packing, and cuts for threads (here and
// in grid.cpp). Levels are explained in kernels/level.h, piece_size() and
// parallel_stealing() in core/parallel.h.
//
// multiply(), at the end, chooses among three ways (k = 0 gives zeros, or the bias):
//
//   vectors  m, n or k is 1: vector_products.cpp
//   small    packed b takes at most 12 KiB, and m n k is small: small_products.cpp
//   tiles    all others: here
//
// The bits of c depend neither on the number of threads nor on the caches: whatever its
// tile, an element's sum over a slice of k is formed by one thread in the order of k; the
// slices are cut by the shape alone, and their sums are added in order.
// (tests/tensor/matmul_bits_test.cpp compares them.)
#include "tensor/product/gemm.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "tensor/core/buffer.h"
#include "tensor/core/parallel.h"
#include "tensor/kernels/level.h"
#include "tensor/product/grid.h"
#include "tensor/product/vector_kernels.h"
#include "tensor/product/worker.h"

namespace heed {
namespace {

using std::int64_t;

// The products of one call, cut into parts (share_out()), and a worker for each thread.
template <class T>
class TiledProducts {
 public:
  explicit TiledProducts(const Products<T>& x) : x_(x) {
    for (int64_t i = 0; i < sharing_.threads; ++i) {
      workers_.emplace_back(x_, blocking_, memory_.first() + i * worker_size_);
    }
  }

  void multiply() {
    if (sharing_.in_stages) return multiply_in_stages();
    if (grid_.slices > 1) return multiply_in_slices();
    compute_slices(0, 1, [&](int64_t product, auto) { return x_.c + product * size_c_; });
  }

 private:
  const Products<T>& x_;
  const int64_t size_c_ = x_.m * x_.n;
  const Blocking<T> blocking_{x_};
  const ProductSizes sizes_{
      .products = x_.count(),
      .m = x_.m,
      .n = x_.n,
      .k = x_.k,
      .tile_rows = blocking_.kernel.tile_rows,
      .tile_columns = blocking_.kernel.tile_columns,
      .depth = blocking_.depth,
      // With a bias no: it is added by the tiles of the last slice (see tile_kernels.h),
      // and sums of slices that threads add afterwards have no last tile.
      .can_cut_k = x_.count() == 1 && !x_.bias,
      .is_a_in_place = blocking_.rows_of_a == RowsOfA::in_place};
  const Sharing sharing_ = share_out(sizes_);
  const Grid& grid_ = sharing_.grid;
  // Of the largest part, and of the largest block of b in it.
  const int64_t columns_ = largest_piece(x_.n, sizes_.tile_columns, grid_.columns);
  const int64_t block_columns_ = blocking_.block_columns(columns_);
  const int64_t worker_size_ =
      blocking_.size_a() +
      blocking_.size_b(sharing_.in_stages ? block_columns_ : columns_);
  const Buffer<T> memory_{worker_size_ * sharing_.threads};
  std::vector<Worker<T>> workers_;

  // Computes the slices first to end - 1 of the grid, of all products: part 0 of each,
  // then part 1 of each: if products share b, it stays packed. target(product, slice) is
  // the matrix for the sums.
  void compute_slices(int64_t first, int64_t end, const auto& target) {
    const int64_t parts = grid_.rows * grid_.columns;  // of a slice
    parallel_stealing(sizes_.products * parts * (end - first), sharing_.threads,
                      [&](int64_t thread, int64_t i) {
                        const int64_t product = i % sizes_.products;
                        const int64_t part = first * parts + i / sizes_.products;
                        workers_[thread].compute(product, part_of(sizes_, grid_, part),
                                                 target(product, part / parts), false);
                      });
  }

  // One product, whose slices are parts: in rounds of at_once slices, whose sums are then
  // added to c in order.
  void multiply_in_slices() {
    const int64_t at_once = sharing_.slices_at_once;
    // Slice 0's go to c.
    const Buffer<T> sums(std::min(at_once, grid_.slices - 1) * size_c_);
    const auto target = [&](auto, int64_t slice) {
      return slice == 0 ? x_.c : sums.first() + (slice - 1) % at_once * size_c_;
    };
    const auto add_row = kernels::get<kernels::VectorKernels<T>>().add_row;
    for (int64_t first = 0; first < grid_.slices; first += at_once) {
      const int64_t end = std::min(first + at_once, grid_.slices);
      compute_slices(first, end, target);
      parallel_for(size_c_, at_once, [&](auto begin, auto stop) {
        for (int64_t slice = std::max<int64_t>(first, 1); slice < end; ++slice) {
          add_row(1, stop - begin, target(0, slice) + begin, x_.c + begin, size_c_);
        }
      });
    }
  }

  // One product, whose parts are computed in stages: a stage is one slice of k of one
  // block of columns, and a thread computes stage 0 of all parts of its share, then stage
  // 1 of all, and so on. So it packs b for a stage once, and the panels stay for all
  // parts (PackedBlock::holds()); part after part, it would pack all of b for each.
  //
  // Others may steal parts, so two threads may have stages of one part. These add to the
  // same elements of c: each waits for the stage before, and that keeps the order of the
  // sums, and so the bits. The wait ends: parallel_stealing() gives out the items of a
  // share in order, so the stage before is done or under way on another thread, which
  // itself waits for an earlier one at most.
  void multiply_in_stages() {
    const int64_t parts = grid_.rows * grid_.columns;
    const int64_t share_size = parts / std::min(sharing_.threads, most_shares);
    const int64_t slices = ceil_div(x_.k, blocking_.depth);
    const int64_t stages = ceil_div(columns_, block_columns_) * slices;
    std::vector<std::atomic<int64_t>> done(parts);  // stages of each part
    parallel_stealing(parts * stages, sharing_.threads, [&](int64_t thread, int64_t i) {
      const int64_t share = i / (share_size * stages), at = i % (share_size * stages);
      const int64_t stage = at / share_size, index = share * share_size + at % share_size;
      Part part = part_of(sizes_, grid_, index);
      part.column += stage / slices * block_columns_;
      part.column_end = std::min(part.column + block_columns_, part.column_end);
      part.k = stage % slices * blocking_.depth;
      part.k_end = std::min(part.k + blocking_.depth, x_.k);
      while (done[index].load() < stage) std::this_thread::yield();
      workers_[thread].compute(0, part, x_.c, part.k > 0);
      done[index].store(stage + 1, std::memory_order_release);
    });
  }
};

}  // namespace

template <class T>
void multiply(const Products<T>& x) {
  if (x.m > 1 && x.n > 1 && x.k > 1) {
    return is_small(x) ? multiply_small(x) : TiledProducts<T>(x).multiply();
  }
  if (x.k == 0) {
    std::fill_n(x.c, x.count() * x.m * x.n, T{0});
  } else {
    multiply_vectors(x);
  }
  if (x.bias) {
    const auto add_row = kernels::get<kernels::VectorKernels<T>>().add_row;
    parallel_for(x.count() * x.m, x.n, [&](auto begin, auto end) {
      add_row(end - begin, x.n, x.bias, x.c + begin * x.n, x.n);
    });
  }
}

template void multiply(const Products<float>&);
template void multiply(const Products<double>&);

}  // namespace heed

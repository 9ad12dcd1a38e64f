// Products that take little time and need no blocks: all of b is packed at a time (and
// kept for the next product, if it has the same b), and heed's kernel computes the whole
// product.
#include "tensor/core/buffer.h"
#include "tensor/core/parallel.h"
#include "tensor/kernels/level.h"
#include "tensor/product/gemm.h"
#include "tensor/product/panels.h"
#include "tensor/product/tile_kernels.h"

namespace heed {
namespace {

using std::int64_t;

// The columns of b, and zeros up to a whole number of vectors.
template <class T>
int64_t padded_columns(const Products<T>& x) {
  const int64_t vector = kernels::get<kernels::TileKernels<T>>().tile_columns / 2;
  return ceil_div(x.n, vector) * vector;
}

}  // namespace

template <class T>
bool is_small(const Products<T>& x) {
  constexpr int64_t packed_limit = 12 << 10;  // bytes
  return x.m * x.n * x.k <= multiply_grain &&
         padded_columns(x) * x.k * static_cast<int64_t>(sizeof(T)) <= packed_limit;
}

template <class T>
void multiply_small(const Products<T>& x) {
  const auto& kernel = kernels::get<kernels::TileKernels<T>>();
  // All columns are packed as one wide panel, which the kernel reads as several of its
  // own, side by side. So they are padded to a whole vector only: 40 to 48, which with
  // AVX-512 are a panel of 32 and half a panel.
  const PanelLayout<T> panel(x.n, padded_columns(x), x.k);
  const int64_t products = x.count();
  const int64_t threads = thread_count(products, x.m * x.n * x.k, multiply_grain);
  Buffer<T> memory(panel.size * threads);
  parallel_pieces(products, threads, [&](int64_t thread, int64_t begin, int64_t end) {
    T* const packed = memory.first() + thread * panel.size;
    const T* source = nullptr;  // what is packed
    for (int64_t i = begin; i < end; ++i) {
      const auto [at_a, at_b] = x.offsets(i);
      if (const T* const b = x.b.first + at_b; b != source) {
        panel.pack(b, x.b.column_stride, x.b.row_stride, packed);
        source = b;
      }
      kernel.multiply_panels({.m = x.m,
                              .n = x.n,
                              .k = x.k,
                              .a = {x.a.first + at_a, x.a.row_stride, x.a.column_stride},
                              .b = packed,
                              .b_stride = panel.width,
                              .panel_stride = kernel.tile_columns,
                              .c = x.c + i * x.m * x.n,
                              .c_stride = x.n,
                              .bias = x.bias});
    }
  });
}

template bool is_small(const Products<float>&);
template bool is_small(const Products<double>&);
template void multiply_small(const Products<float>&);
template void multiply_small(const Products<double>&);

}  // namespace heed

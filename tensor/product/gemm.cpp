// Four ways to a product, and only the shape decides which one is taken: the way must not
// depend on the number of threads, because their bits differ.
//
//   k = 1            an outer product: rows of b, scaled
//   m = 1 or n = 1   a matrix and a vector: dot products, or a weighted sum of columns
//   small            panels packed here, tiles computed by BLIS's micro-kernel
//   large            one call of BLIS
//
// BLIS's general call costs several microseconds and its packing more; a model makes
// thousands of products that take less than that.
#include "tensor/product/gemm.h"

#include <algorithm>
#include <array>

#include "tensor/core/parallel.h"
#include "tensor/kernels/level.h"
#include "tensor/product/panels.h"
#include "tensor/product/product_kernels.h"

namespace heed {

namespace {

using std::int64_t;

// Where the operands of product i begin.
std::array<int64_t, 2> offsets(const TensorIterator<2>& batch, int64_t i) {
  std::array<int64_t, 2> at{};
  for (int d = batch.rank - 1; d > 0; --d) {
    const int64_t index = i % batch.sizes[d];
    i /= batch.sizes[d];
    for (int operand : {0, 1}) at[operand] += index * batch.strides[d][operand];
  }
  for (int operand : {0, 1}) at[operand] += i * batch.strides[0][operand];
  return at;
}

int64_t count(const TensorIterator<2>& batch) {
  int64_t products = 1;
  for (int d = 0; d < batch.rank; ++d) products *= batch.sizes[d];
  return products;
}

// --- vectors

// Calls f(product, begin, end) for lines begin to end of a product, over all `lines`
// lines of all products, of `work` elements each.
template <class F>
void for_lines(int64_t products, int64_t lines, int64_t work, F&& f) {
  parallel_for(products * lines, parallel_grain / work + 1,
               [&](int64_t begin, int64_t end) {
                 int64_t product = begin / lines, first = begin % lines;
                 while (begin < end) {
                   const int64_t last = std::min(lines, first + end - begin);
                   f(product, first, last);
                   begin += last - first;
                   ++product;
                   first = 0;
                 }
               });
}

template <class T>
void outer_products(const Products<T>& x) {
  const auto scale = kernels::get<kernels::ProductKernels<T>>().scale;
  for_lines(count(x.batch), x.m, x.n, [&](int64_t product, int64_t begin, int64_t end) {
    const auto [at_a, at_b] = offsets(x.batch, product);
    const T* const a = x.a.first + at_a;
    const T* const b = x.b.first + at_b;
    T* const c = x.c + product * x.m * x.n;
    for (int64_t i = begin; i < end; ++i) {
      scale(x.n, b, x.b.column_stride, a[i * x.a.row_stride], c + i * x.n);
    }
  });
}

// The products of matrices (lines, k), which are operand `matrix` of the batch, and
// vectors (k).
template <class T>
void matrix_vector(const Products<T>& x, int64_t lines, blis::Matrix<const T> m,
                   const T* vector, int64_t step, int matrix) {
  const auto dot = kernels::get<kernels::ProductKernels<T>>().dot;
  const auto add_columns = kernels::get<kernels::ProductKernels<T>>().add_columns;
  for_lines(count(x.batch), lines, x.k, [&](int64_t product, int64_t begin, int64_t end) {
    const auto at = offsets(x.batch, product);
    const T* const a = m.first + at[matrix];
    const T* const v = vector + at[1 - matrix];
    T* const c = x.c + product * lines;
    if (m.column_stride != 1 && m.row_stride == 1) {
      add_columns(end - begin, x.k, a + begin, m.column_stride, v, step, c + begin);
    } else {
      for (int64_t i = begin; i < end; ++i) {
        c[i] = dot(x.k, a + i * m.row_stride, m.column_stride, v, step);
      }
    }
  });
}

// --- tiles

// A small product cut into tiles.
template <class T>
struct Tiling {
  const blis::TileKernel<T>& kernel = blis::tile_kernel<T>();
  int64_t depth;
  Panels<T> rows, columns;

  Tiling(int64_t m, int64_t n, int64_t k)
      : depth(k), rows(m, kernel.rows, k), columns(n, kernel.columns, k) {}

  int64_t tiles() const { return rows.count * columns.count; }
  int64_t edge_size() const { return aligned<T>(rows.width * columns.width); }

  // Computes tiles begin to end. One that reaches over the end of c goes to `edge`, and
  // from there what belongs to c.
  void compute(const T* a, const T* b, T* c, int64_t begin, int64_t end, T* edge) const {
    for (int64_t t = begin; t < end; ++t) {
      const int64_t i = t / columns.count, j = t % columns.count;
      const int64_t height = std::min(rows.width, rows.lines - i * rows.width);
      const int64_t width = std::min(columns.width, columns.lines - j * columns.width);
      const T* const pa = a + i * rows.size;
      const T* const pb = b + j * columns.size;
      T* const out = c + i * rows.width * columns.lines + j * columns.width;
      if (height == rows.width && width == columns.width) {
        kernel(depth, pa, pb, out, columns.lines);
      } else {
        kernel(depth, pa, pb, edge, columns.width);
        for (int64_t r = 0; r < height; ++r) {
          std::copy_n(edge + r * columns.width, width, out + r * columns.lines);
        }
      }
    }
  }
};

template <class T>
bool is_one_matrix(const Products<T>& x, int operand) {
  for (int d = 0; d < x.batch.rank; ++d) {
    if (x.batch.sizes[d] > 1 && x.batch.strides[d][operand] != 0) return false;
  }
  return true;
}

// Small products and the memory that they are packed in.
template <class T>
class SmallProducts {
 public:
  SmallProducts(const Products<T>& x, const Tiling<T>& tiling)
      : x_(x), tiling_(tiling), products_(count(x.batch)) {}

  void compute() const {
    const int64_t threads = omp_in_parallel() ? 1 : num_threads();
    const int64_t work = x_.m * x_.n * x_.k;
    const int64_t pieces = std::clamp<int64_t>(work / multiply_grain, 1, threads);
    if (products_ < threads && pieces > 1) {
      cut_each(pieces);
    } else {
      const int64_t grain = multiply_grain / work + 1;
      cut_batch(std::clamp<int64_t>(products_ / grain, 1, threads));
    }
  }

 private:
  const Products<T>& x_;
  const Tiling<T>& tiling_;
  int64_t products_;

  // Pieces begin to end, of `pieces`, of the panels of an operand of product i.
  void pack_a(int64_t i, int64_t begin, int64_t end, int64_t pieces, T* to) const {
    const auto& panels = tiling_.rows;
    panels.pack(x_.a.first + offsets(x_.batch, i)[0], x_.a.row_stride, x_.a.column_stride,
                panels.count * begin / pieces, panels.count * end / pieces, to);
  }
  void pack_b(int64_t i, int64_t begin, int64_t end, int64_t pieces, T* to) const {
    const auto& panels = tiling_.columns;
    panels.pack(x_.b.first + offsets(x_.batch, i)[1], x_.b.column_stride, x_.b.row_stride,
                panels.count * begin / pieces, panels.count * end / pieces, to);
  }
  T* result(int64_t i) const { return x_.c + i * x_.m * x_.n; }

  // One product after the other, the panels and the tiles of each cut among threads.
  void cut_each(int64_t pieces) const {
    const int64_t size_a = tiling_.rows.total(), size_b = tiling_.columns.total();
    Buffer<T> buffer(size_a + size_b + pieces * tiling_.edge_size());
    T* const packed_a = buffer.first();
    T* const packed_b = packed_a + size_a;
    T* const edges = packed_b + size_b;
    for (int64_t i = 0; i < products_; ++i) {
      parallel_for(pieces, 1, [&](int64_t begin, int64_t end) {
        pack_a(i, begin, end, pieces, packed_a);
        pack_b(i, begin, end, pieces, packed_b);
      });
      parallel_for(pieces, 1, [&](int64_t begin, int64_t end) {
        tiling_.compute(packed_a, packed_b, result(i), tiling_.tiles() * begin / pieces,
                        tiling_.tiles() * end / pieces,
                        edges + begin * tiling_.edge_size());
      });
    }
  }

  // Each product on one thread, the batch cut among threads. An operand that all products
  // share is packed once.
  void cut_batch(int64_t pieces) const {
    const bool same_a = is_one_matrix(x_, 0), same_b = is_one_matrix(x_, 1);
    const int64_t size_a = tiling_.rows.total(), size_b = tiling_.columns.total();
    const int64_t size = size_a + size_b + tiling_.edge_size();
    Buffer<T> buffer(size * pieces);
    T* const first = buffer.first();
    if (same_a) pack_a(0, 0, 1, 1, first);
    if (same_b) pack_b(0, 0, 1, 1, first + size_a);
    parallel_for(pieces, 1, [&](int64_t begin, int64_t end) {
      T* const own = first + begin * size;
      T* const packed_a = same_a ? first : own;
      T* const packed_b = (same_b ? first : own) + size_a;
      for (int64_t i = products_ * begin / pieces; i < products_ * end / pieces; ++i) {
        if (!same_a) pack_a(i, 0, 1, 1, packed_a);
        if (!same_b) pack_b(i, 0, 1, 1, packed_b);
        tiling_.compute(packed_a, packed_b, result(i), 0, tiling_.tiles(),
                        own + size_a + size_b);
      }
    });
  }
};

// --- BLIS

template <class T>
void large_products(const Products<T>& x) {
  const int64_t products = count(x.batch);
  const auto product = [&](int64_t i, int threads) {
    const auto [at_a, at_b] = offsets(x.batch, i);
    blis::gemm<T>(x.m, x.n, x.k, {x.a.first + at_a, x.a.row_stride, x.a.column_stride},
                  {x.b.first + at_b, x.b.row_stride, x.b.column_stride},
                  {x.c + i * x.m * x.n, x.n, 1}, threads);
  };
  const int threads = omp_in_parallel() ? 1 : num_threads();
  if (products < threads) {
    for (int64_t i = 0; i < products; ++i) product(i, threads);
  } else {
    parallel_for(products, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) product(i, 1);
    });
  }
}

// Operands that take more bytes than this when packed do not stay in a core's own cache,
// and are BLIS's, which cuts along k too. Measured: at 384^3 BLIS is 5 % faster, at
// 512 x 64 x 512, nearly the same bytes, it is 20 % slower.
constexpr int64_t packed_limit = 3 << 19;

}  // namespace

template <class T>
void multiply(const Products<T>& x) {
  if (x.k == 0) {
    std::fill_n(x.c, count(x.batch) * x.m * x.n, T{0});
  } else if (x.n == 1) {
    matrix_vector<T>(x, x.m, x.a, x.b.first, x.b.row_stride, 0);
  } else if (x.k == 1) {
    outer_products(x);
  } else if (x.m == 1) {
    matrix_vector<T>(x, x.n, {x.b.first, x.b.column_stride, x.b.row_stride}, x.a.first,
                     x.a.column_stride, 1);
  } else {
    const Tiling<T> tiling(x.m, x.n, x.k);
    const int64_t bytes =
        (tiling.rows.total() + tiling.columns.total()) * static_cast<int64_t>(sizeof(T));
    if (bytes <= packed_limit) {
      SmallProducts<T>(x, tiling).compute();
    } else {
      large_products(x);
    }
  }
}

template void multiply(const Products<float>&);
template void multiply(const Products<double>&);

}  // namespace heed

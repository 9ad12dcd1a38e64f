// From the tile up: multiply_tile(), which BLIS calls the micro-kernel, then the loops
// over the tiles of a call, multiply_tiles() and multiply_panels(). multiply_column()
// computes a last column that is alone in its panel.
#include "tensor/product/tile_kernels.h"

#include <cstring>
#include <utility>

#include "tensor/kernels/level.h"
#include "tensor/kernels/transpose.h"
#include "tensor/kernels/vector.h"

namespace heed::kernels::HEED_KERNELS {
namespace {

using std::int64_t;

// The rows of a tile of two vectors of columns. With AVX-512 it loads 12 numbers of a and
// two vectors of b for each value of k, for 24 multiply-adds; without tiles each of these
// would need two loads. Its sums, the vectors of b and the number of a take 27 of the 32
// registers; with 6 rows 15 of the 16 that other levels have.
#if defined(__AVX512F__)
constexpr int tile_rows = 12;
#else
constexpr int tile_rows = 6;
#endif
// And its columns, which are also those of a panel.
template <class T>
constexpr int64_t tile_columns = 2 * lanes<T>;

// Not inlined: else each instance of multiply_tile() would have a copy of this loop.
template <class T>
[[gnu::noinline]] void copy_rows(int64_t rows, int64_t n, const T* from,
                                 int64_t from_stride, T* to, int64_t to_stride) {
  for (int64_t i = 0; i < rows; ++i, from += from_stride, to += to_stride) {
    for (int64_t j = 0; j < n; ++j) to[j] = from[j];
  }
}

// A tile of c: `rows` rows and as many columns as `vectors` vectors, each of `bytes`
// bytes, have lanes, or n if that is less. a, b, bias and c point to the first elements
// of the tile; of x it takes k, the strides, add and scale.
template <int rows, int vectors, int bytes, class T>
void multiply_tile(const PanelProduct<T>& x, const T* a, const T* b, const T* bias, T* c,
                   int64_t n) {
  using V = Vector<T, bytes>;
  constexpr int w = lanes<T, bytes>;
  const int64_t c_stride = x.c_stride;
  // c is fetched while the sums are formed: else the stores to a large c would wait.
  // Where sums are short, as in attention, that takes more time than it saves. (And
  // without a condition g++ keeps all these addresses for the end, on the stack, which
  // takes 2 to 5 % of the time.)
  if (x.k >= 96) {
    repeat<rows>([&](auto i) {
      repeat<vectors>([&](auto v) { __builtin_prefetch(c + i * c_stride + v * w, 1); });
    });
  }
  V sums[rows][vectors] = {};
  // One pointer for each three rows: an address of x86 is a pointer plus 1, 2, 4 or 8
  // times a stride, and not 3 times.
  const T* starts[(rows + 2) / 3];
  repeat<(rows + 2) / 3>([&](auto i) { starts[i] = a + 3 * i * x.a.row_stride; });
  // The end of b, and no counter: one instruction fewer takes 1 to 2 % less time where
  // another program's thread shares the core.
  for (const T* const end = b + x.k * x.b_stride; b != end; b += x.b_stride) {
    V b_row[vectors];
    repeat<vectors>([&](auto v) { b_row[v] = load<bytes>(b + v * w); });
    repeat<rows>([&](auto i) {
      const V factor = broadcast<bytes>(starts[i / 3][i % 3 * x.a.row_stride]);
      repeat<vectors>(
          [&](auto v) { sums[i][v] = multiply_add(factor, b_row[v], sums[i][v]); });
    });
    for (const T*& start : starts) start += x.a.column_stride;
  }
  const bool add = x.add;
  if (x.scale != 1) {
    const V scale = broadcast<bytes>(x.scale);
    repeat<rows>([&](auto i) { repeat<vectors>([&](auto v) { sums[i][v] *= scale; }); });
  }
  // Adds c's elements and the bias, and stores. Inlined, for as a function it would get
  // the sums through memory.
  const auto finish = [&](T * to, int64_t stride, const T* to_add)
      __attribute__((always_inline)) {
    if (add) {
      repeat<rows>([&](auto i) {
        repeat<vectors>(
            [&](auto v) { sums[i][v] += load<bytes>(to + i * stride + v * w); });
      });
    }
    if (to_add) {
      repeat<vectors>([&](auto v) {
        const V added = load<bytes>(to_add + v * w);
        repeat<rows>([&](auto i) { sums[i][v] += added; });
      });
    }
    repeat<rows>([&](auto i) {
      repeat<vectors>(
          [&](auto v) { std::memcpy(to + i * stride + v * w, &sums[i][v], bytes); });
    });
  };
  constexpr int width = vectors * w;
  if (n >= width) return finish(c, c_stride, bias);
  // The tile reaches over the end of c: it is finished in a place of its own, with zeros
  // beside what c and the bias have.
  T edge[rows * width], edge_bias[width];
  if (add) {
    std::memset(edge, 0, sizeof edge);
    copy_rows(rows, n, c, c_stride, edge, width);
  }
  if (bias) {
    std::memset(edge_bias, 0, sizeof edge_bias);
    copy_rows(1, n, bias, n, edge_bias, width);
  }
  finish(edge, width, bias ? edge_bias : nullptr);
  copy_rows(rows, n, edge, width, c, c_stride);
}

// The rows of the next tile, if `left` rows of a call are left and a tile has `most` at
// most: rows are cut into as few tiles as possible, the last two of nearly equally many
// rows. 40 rows are cut into 12, 12, 8 and 8.
constexpr int64_t next_rows(int64_t left, int64_t most) {
  return left <= most ? left : left < 2 * most ? left / 2 : most;
}

// The tiles of rows first_row to end_row and columns j to end_column, the ends not
// included. i... are 0, 1, ... up to the most rows of a tile, less 1.
template <int vectors, int bytes, class T, int... i>
void multiply_tiles(std::integer_sequence<int, i...>, const PanelProduct<T>& x,
                    int64_t first_row, int64_t end_row, int64_t j, int64_t end_column) {
  using Tile = void (*)(const PanelProduct<T>&, const T* a, const T* b, const T* bias,
                        T* c, int64_t n);
  // The tiles of 1, 2, ... rows. Not a std::array, whose functions the linker could take
  // from another level (see level.h).
  static constexpr Tile of_rows[] = {multiply_tile<i + 1, vectors, bytes, T>...};
  constexpr int64_t most = sizeof...(i);
  for (; j < end_column; j += tile_columns<T>) {
    for (int64_t row = first_row, rows; row < end_row; row += rows) {
      rows = next_rows(end_row - row, most);
      of_rows[rows - 1](
          x, x.a.first + row * x.a.row_stride, x.b + j / tile_columns<T> * x.panel_stride,
          x.bias ? x.bias + j : nullptr, x.c + row * x.c_stride + j, x.n - j);
    }
  }
}

// The rows of a call of multiply_column().
template <class T>
constexpr int column_rows = 6 * Square<T>::side;

// The last column of c, if it is the only one of its panel: a tile would multiply a whole
// vector for it. Here the lanes of a vector are rows. Squares of a, whose rows must be
// contiguous, are transposed in registers; with that a column takes half the time. Six
// vectors of sums are formed side by side, for a multiply-add waits for the one before.
template <class T>
void multiply_column(const PanelProduct<T>& x, const T* a, const T* b, const T* bias,
                     T* c) {
  using V = typename Square<T>::Vector;
  constexpr int side = Square<T>::side, squares = column_rows<T> / side;
  const int64_t stride = x.a.row_stride;
  V sums[squares] = {};
  int64_t p = 0;
  for (; p + side <= x.k; p += side, b += side * x.b_stride) {
    repeat<squares>([&](auto square) {
      V columns[side];
      load_columns(a + square * side * stride + p, stride, columns);
      repeat<side>([&](auto i) {
        sums[square] =
            multiply_add(columns[i], broadcast<16>(b[i * x.b_stride]), sums[square]);
      });
    });
  }
  for (; p < x.k; ++p, b += x.b_stride) {
    repeat<squares>([&](auto square) {
      V column;
      repeat<side>([&](auto i) { column[int{i}] = a[(square * side + i) * stride + p]; });
      sums[square] = multiply_add(column, broadcast<16>(*b), sums[square]);
    });
  }
  for (int i = 0; i < column_rows<T>; ++i, c += x.c_stride) {
    T sum = sums[i / side][i % side] * x.scale;
    if (x.add) sum += *c;
    if (bias) sum += *bias;
    *c = sum;
  }
}

// The most rows of a tile of one vector. A processor begins up to two multiply-adds a
// cycle and needs four cycles for each, so that eight sums or more keep it busy: with one
// vector a row 6 rows are too few.
constexpr int narrow_rows = 12;

template <class T>
void multiply_panels(const PanelProduct<T>& x) {
  // Columns 0 to `wide` are in tiles of two vectors. The rest, a vector or less, is in
  // tiles of one vector, or with AVX-512 of half a vector if that is enough: of 60
  // columns of floats all are in tiles of two vectors, of 40 the last 8 in tiles of half
  // a vector. Processors that compute 64 bytes as two times 32, such as a Zen 4, need
  // half the time for those. At other levels `narrow` is a whole vector.
  const int64_t rest = x.n % tile_columns<T>, wide = rest > lanes<T> ? x.n : x.n - rest;
  constexpr int narrow = vector_bytes == 64 ? 32 : vector_bytes;
  // Two orders. Panels that follow one another in memory: for each tile's rows all
  // panels. The processor fetches these ahead as one long stream, and lines of c that
  // are neighbours are stored one after the other: where memory is slow, a large c of
  // few values of k takes a tenth less time than in the other order. Panels that lie
  // side by side as columns of one matrix: for each panel all rows. The panel, which the
  // processor does not fetch ahead, then stays in the L1 cache.
  const bool row_by_row = x.b_stride == tile_columns<T>;
  constexpr std::make_integer_sequence<int, tile_rows> up_to_tile;
  constexpr std::make_integer_sequence<int, narrow_rows> up_to_narrow;
  for (int64_t row = 0, rows; row < x.m; row += rows) {
    rows = row_by_row ? next_rows(x.m - row, tile_rows) : x.m;
    multiply_tiles<2, vector_bytes>(up_to_tile, x, row, row + rows, 0, wide);
  }
  int64_t row = 0;
  if (rest == 1 && x.a.column_stride == 1) {
    for (; row + column_rows<T> <= x.m; row += column_rows<T>) {
      multiply_column(x, x.a.first + row * x.a.row_stride,
                      x.b + wide / tile_columns<T> * x.panel_stride,
                      x.bias ? x.bias + wide : nullptr, x.c + row * x.c_stride + wide);
    }
  }
  if (x.n - wide > lanes<T, narrow>) {
    multiply_tiles<1, vector_bytes>(up_to_narrow, x, row, x.m, wide, x.n);
  } else {
    multiply_tiles<1, narrow>(up_to_narrow, x, row, x.m, wide, x.n);
  }
}

template <class T>
constexpr TileKernels<T> kernels = {
    .tile_rows = tile_rows,
    .tile_columns = tile_columns<T>,
    .needs_panels_of_a = false,
    .multiply_panels = multiply_panels<T>,
};

}  // namespace

template <>
const TileKernels<float>& get() {
  return kernels<float>;
}
template <>
const TileKernels<double>& get() {
  return kernels<double>;
}

}  // namespace heed::kernels::HEED_KERNELS

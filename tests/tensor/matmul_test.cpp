#include "tensor/product/matmul.h"

#include <cmath>
#include <string>

#include <boost/test/unit_test.hpp>

#include "tensor/core/threads.h"
#include "tensor/core/views.h"
#include "tensor/elementwise/elementwise.h"
#include "tensor/product/blis.h"
#include "tensor/random/random.h"
#include "tests/compare.h"
#include "tests/errors.h"
#include "tests/infinity.h"
#include "tests/layouts.h"

using namespace heed;

namespace {

using Int = std::int64_t;

// Whole numbers from -8 to 8: every product here is then exact, in whatever order it is
// added up.
Tensor whole_numbers(const Shape& shape, DType dtype = float32) {
  static Generator generator(20230417);
  return randint(-8, 9, shape, generator).to(dtype);
}

// Random numbers, whose sums depend on the order of the additions.
Tensor fractions(const Shape& shape, DType dtype = float32) {
  static Generator generator(1706);
  return (2 * rand(shape, float64, generator) - 1).to(dtype);
}

// The definition, for operands of two dimensions or more.
Tensor naive(const Tensor& a, const Tensor& b) {
  const Int m = a.size(-2), k = a.size(-1), n = b.size(-1);
  const auto lead = [](const Tensor& x) { return without_last(x.shape(), 2); };
  const Shape batch = broadcast("naive", lead(a), lead(b));
  const auto dense = [&](const Tensor& x) {
    return expand(x, append(batch, {x.size(-2), x.size(-1)}))
        .to(float64)
        .to_vector<double>();
  };
  const auto dense_a = dense(a), dense_b = dense(b);
  const double *const x = dense_a.data(), *const y = dense_b.data();
  Tensor c = empty(append(batch, {m, n}), float64);
  double* const out = c.mutable_data<double>();
  for (Int q = 0; q < count(batch); ++q) {
    for (Int i = 0; i < m; ++i) {
      for (Int j = 0; j < n; ++j) {
        double sum = 0;
        for (Int p = 0; p < k; ++p) {
          sum += x[(q * m + i) * k + p] * y[(q * k + p) * n + j];
        }
        out[(q * m + i) * n + j] = sum;
      }
    }
  }
  return c;
}

void check_product(const Tensor& a, const Tensor& b) {
  const Tensor c = matmul(a, b);
  BOOST_TEST_INFO(fmt::format("{} {} x {} {}, {}", a.shape(), a.strides(), b.shape(),
                              b.strides(), name(a.dtype())));
  BOOST_TEST(c.is_contiguous());
  BOOST_TEST(distance(c, naive(a, b)) == 0);
}

// The operands of a shape in every order of memory.
void check_layouts(Int m, Int n, Int k, DType dtype) {
  const auto layouts = [&](Int rows, Int columns) {
    return std::vector{
        whole_numbers({rows, columns}, dtype),
        transpose(whole_numbers({columns, rows}, dtype), 0, 1),
        slice(slice(whole_numbers({2 * rows, 3 * columns}, dtype), 0, 1, to_end, 2), 1, 2,
              to_end, 3),
        transpose(slice(whole_numbers({columns, 2 * rows}, dtype), 1, 0, rows), 0, 1),
        expand(whole_numbers({1, columns}, dtype), {rows, columns}),
        expand(whole_numbers({rows, 1}, dtype), {rows, columns}),
        expand(whole_numbers({}, dtype), {rows, columns}),
    };
  };
  for (const Tensor& a : layouts(m, k)) {
    for (const Tensor& b : layouts(k, n)) check_product(a, b);
  }
}

std::string matmul_message(const Shape& a, const Shape& b, DType da = float32,
                           DType db = float32) {
  return error_of([&] { matmul(empty(a, da), empty(b, db)); });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(matmul_)

BOOST_AUTO_TEST_CASE(shapes_and_layouts_give_the_definition) {
  for (DType dtype : {float32, float64}) {
    for (Int m : {1, 2, 5, 33}) {
      for (Int n : {1, 3, 32, 37}) {
        for (Int k : {1, 2, 7, 40}) check_layouts(m, n, k, dtype);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(tile_sizes_and_their_neighbours) {
  for (DType dtype : {float32, float64}) {
    for (Int m : {11, 12, 13, 14, 15, 24, 28}) {
      for (Int n : {15, 16, 17, 31, 33, 64}) {
        check_product(whole_numbers({m, 9}, dtype), whole_numbers({9, n}, dtype));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(large_products_in_every_layout, *boost::unit_test::label("slow")) {
  const int before = num_threads();
  set_num_threads(1);
  check_layouts(35, 41, 5000, float32);
  check_layouts(29, 33, 3000, float64);
  set_num_threads(before);
}

// heed's driver cuts a product into blocks; BLIS's, which it replaces, into others.
BOOST_AUTO_TEST_CASE(blocks_give_what_the_driver_of_blis_gives) {
  const int before = num_threads();
  const auto check_driver = [](Int m, Int n, Int k, DType dtype) {
    const Tensor a = whole_numbers({m, k}, dtype);
    const Tensor b = transpose(whole_numbers({n, k}, dtype), 0, 1);
    // Columns of `packed` lie together, so that its rows are packed.
    const Tensor packed = transpose(transpose(a, 0, 1).contiguous(), 0, 1);
    // Rows a multiple of 4 KiB apart are copied.
    Tensor apart = slice(zeros({m, (k + 1023) / 1024 * 1024}, dtype), 1, 0, k);
    apart.copy_(a);
    Tensor c = empty({m, n}, dtype);
    dispatch_floating("test", dtype, [&]<class T>() {
      blis::gemm<T>(m, n, k, {a.data<T>(), k, 1}, {b.data<T>(), 1, k},
                    {c.mutable_data<T>(), n, 1}, 2);
    });
    for (int threads : {1, 2, 3}) {
      set_num_threads(threads);
      BOOST_TEST_INFO(fmt::format("{} x {} x {}, {} threads", m, n, k, threads));
      BOOST_TEST(same(matmul(a, b), c));
      BOOST_TEST(same(matmul(packed, b), c));
      BOOST_TEST(same(matmul(apart, b), c));
    }
  };
  for (DType dtype : {float32, float64}) {
    check_driver(2100, 65, 790, dtype);   // several slices of k, blocks of packed rows
    check_driver(61, 3200, 420, dtype);   // of columns
    check_driver(1000, 70, 1024, dtype);  // of copied rows
    check_driver(1201, 1103, 403, dtype);
    check_driver(2110, 1540, 520, dtype);  // parts of rows, in stages
    check_driver(1160, 2110, 520, dtype);  // the same, each thread its columns
    check_driver(130, 97, 77, dtype);      // a last column alone in its panel
    check_driver(75, 129, 102, dtype);
  }
  set_num_threads(before);
}

// The second block of the first product begins where the first block of the second
// product does, and is shorter. Tiles have 4, 6, 8 or 12 rows.
BOOST_AUTO_TEST_CASE(products_whose_operands_overlap) {
  const int before = num_threads();
  set_num_threads(1);  // one after the other
  for (Int tile : {4, 6, 8, 12}) {
    const Int step = 20 * tile, rows = 39 * tile;
    const Tensor x = whole_numbers({step + rows, 18});
    for (Int apart : {1, 2}) {  // rows are packed only if their elements lie apart
      const Tensor windows(x.storage(), 0, {2, rows, 9}, {step * 18, 18, apart}, float32);
      check_product(windows, whole_numbers({2, 9, 64}));
    }
  }
  set_num_threads(before);
}

BOOST_AUTO_TEST_CASE(batches_broadcast) {
  for (DType dtype : {float32, float64}) {
    const auto x = [&](const Shape& shape) { return whole_numbers(shape, dtype); };
    check_product(x({6, 5, 4}), x({6, 4, 3}));
    check_product(x({6, 5, 4}), x({4, 3}));
    check_product(x({5, 4}), x({6, 4, 3}));
    check_product(x({6, 5, 4}), x({1, 4, 3}));
    check_product(x({1, 5, 4}), x({6, 4, 3}));
    check_product(x({2, 1, 5, 4}), x({3, 4, 7}));
    check_product(x({2, 1, 3, 17, 9}), x({5, 1, 9, 18}));
    check_product(x({7, 1, 9}), x({9, 40}));
    check_product(x({2, 3, 1, 9}), x({9, 1}));
    check_product(x({2, 3, 4, 9}), x({9, 1}));
    check_product(x({50, 1, 49}), x({50, 49, 1}));
    check_product(x({50, 1, 1}), x({50, 1, 49}));
    check_product(x({50, 8, 1}), x({50, 1, 1}));
    check_product(x({1, 1, 1, 1}), x({1, 1}));
    check_product(transpose(x({6, 4, 5}), 1, 2), x({4, 3}));
    check_product(transpose(x({5, 6, 4}), 0, 1), x({4, 3}));
    check_product(transpose(x({2, 17, 3, 8}), 1, 2),
                  permute(x({2, 18, 3, 8}), {0, 2, 3, 1}));
    check_product(expand(x({1, 5, 4}), {6, 5, 4}), x({4, 3}));
    check_product(expand(x({1, 1, 4}), {6, 1, 4}), x({4, 3}));
    check_product(expand(x({5, 4}), {2, 5, 4}), expand(x({4, 6}), {2, 4, 6}));
    check_product(slice(x({12, 5, 4}), 0, 0, to_end, 2), x({4, 3}));
    check_product(x({3, 1, 80, 70}), x({4, 70, 90}));
  }
}

BOOST_AUTO_TEST_CASE(vectors) {
  for (DType dtype : {float32, float64}) {
    const Tensor v = whole_numbers({70}, dtype), w = whole_numbers({70}, dtype);
    const Tensor m = whole_numbers({30, 70}, dtype);
    const Tensor batch = whole_numbers({2, 3, 30, 70}, dtype);
    const auto row = [](const Tensor& x) { return unsqueeze(x, 0); };
    const auto column = [](const Tensor& x) { return unsqueeze(x, 1); };
    BOOST_TEST(distance(matmul(v, w), reshape(naive(row(v), column(w)), {})) == 0);
    BOOST_TEST(distance(matmul(m, v), reshape(naive(m, column(v)), {30})) == 0);
    const Tensor t = transpose(m, 0, 1);
    BOOST_TEST(distance(matmul(v, t), reshape(naive(row(v), t), {30})) == 0);
    BOOST_TEST(distance(matmul(batch, v), reshape(naive(batch, column(v)), {2, 3, 30})) ==
               0);
    const Tensor turned = transpose(batch, 2, 3);
    BOOST_TEST(distance(matmul(v, turned), reshape(naive(row(v), turned), {2, 3, 30})) ==
               0);
    const Tensor gaps = slice(whole_numbers({280}, dtype), 0, 1, to_end, 4);
    BOOST_TEST(distance(matmul(m, gaps), reshape(naive(m, column(gaps)), {30})) == 0);
    BOOST_TEST(distance(outer(v, gaps), naive(column(v), row(gaps))) == 0);
  }
}

BOOST_AUTO_TEST_CASE(fractions_within_rounding) {
  for (Int size : {3, 40, 200, 400}) {
    const Tensor a = fractions({size, size}), b = fractions({size, size});
    const double worst = distance(matmul(a, b), naive(a, b));
    // Half an ulp for each addition, if all are rounded to the same side.
    BOOST_TEST(worst < static_cast<double>(size) * std::sqrt(size) * 0x1p-24);
  }
}

BOOST_AUTO_TEST_CASE(empty_operands) {
  const auto check_zeros = [](const Shape& a, const Shape& b) {
    empty({12}).fill_(7);  // what a result must not be left with
    check_product(empty(a), empty(b));
  };
  check_zeros({3, 0}, {0, 4});
  check_zeros({3, 0}, {0, 1});
  check_zeros({1, 0}, {0, 12});
  check_zeros({2, 3, 0}, {0, 2});
  check_zeros({2, 3, 0}, {2, 0, 2});
  BOOST_TEST((matmul(empty({0, 3}), empty({3, 4})).shape() == Shape{0, 4}));
  BOOST_TEST((matmul(empty({3, 4}), empty({4, 0})).shape() == Shape{3, 0}));
  BOOST_TEST((matmul(empty({0, 3, 4}), empty({4, 5})).shape() == Shape{0, 3, 5}));
  BOOST_TEST(matmul(empty({0}), empty({0})).item() == 0);
  BOOST_TEST((outer(empty({0}), empty({3})).shape() == Shape{0, 3}));
}

BOOST_AUTO_TEST_CASE(nan_and_infinity_stay_in_their_row_and_column) {
  for (Int size : {3, 13, 33, 70, 420}) {
    Tensor a = fractions({size, size}), b = fractions({size, size});
    a.set({size - 1, 1}, not_a_number);
    b.set({1, size - 1}, infinity);
    const auto c = matmul(a, b).to_vector<float>();
    Int wrong = 0;
    for (Int i = 0; i < size; ++i) {
      for (Int j = 0; j < size; ++j) {
        const float x = c[i * size + j];
        const bool right = i == size - 1   ? std::isnan(x)
                           : j == size - 1 ? std::isinf(x)
                                           : std::isfinite(x);
        wrong += !right;
      }
    }
    BOOST_TEST(wrong == 0);
  }
  // What the memory of a result held before does not matter.
  for (Int size : {16, 64, 420}) {
    empty({size, size}).fill_(not_a_number);
    const Tensor ones = empty({size, size}).fill_(1);
    const Tensor sizes = empty({size, size}).fill_(static_cast<double>(size));
    BOOST_TEST(same(matmul(ones, ones), sizes));
  }
}

// The bias is added to tiles, to small products and to vectors.
BOOST_AUTO_TEST_CASE(linear_has_the_bits_of_a_product_and_a_sum) {
  Generator generator(6);
  const auto x = [&](const Shape& shape, DType dtype) {
    return randn(shape, dtype, generator);
  };
  const Int sizes[][3] = {
      {1, 7, 5},       {5, 1, 7},      {4, 3, 1},       {3, 4, 0},     {7, 9, 11},
      {130, 140, 150}, {37, 401, 900}, {50, 5, 7},      {70000, 1, 3}, {70000, 3, 1},
      {300, 3100, 20}, {70, 65, 900},  {800, 2110, 520}};
  const int threads = num_threads();
  for (const DType dtype : {float32, float64}) {
    for (const auto& [m, n, k] : sizes) {
      const Tensor a = x({m, k}, dtype), w = x({n, k}, dtype), b = x({n}, dtype);
      const Tensor expected = matmul(a, transpose(w, 0, 1)) + b;
      BOOST_TEST(same_bits(linear(a, w, b), expected));
      set_num_threads(1);  // a part of c then has more columns
      BOOST_TEST(same_bits(linear(a, w, b), expected));
      set_num_threads(threads);
      BOOST_TEST(same_bits(linear(a, w, strided(b)), expected));
      BOOST_TEST(same_bits(linear(a, w), matmul(a, transpose(w, 0, 1))));
      const Tensor row = select(a, 0, 0);
      BOOST_TEST(same_bits(linear(row, w, b), matmul(row, transpose(w, 0, 1)) + b));
    }
  }
  const Tensor a = x({3, 4, 5}, float32), w = x({6, 5}, float32), b = x({6}, float32);
  for (const Tensor& y : {a, transpose(x({4, 3, 5}, float32), 0, 1)}) {
    BOOST_TEST(same_bits(linear(y, w, b), matmul(y, transpose(w, 0, 1)) + b));
    const Tensor row = slice(w, 0, 0, 1), one = slice(b, 0, 0, 1);
    BOOST_TEST(same_bits(linear(y, row, one), matmul(y, transpose(row, 0, 1)) + one));
  }
  BOOST_TEST(error_of([] {
               linear(ones({2, 3}), ones({4, 2}));
             }) ==
             "linear: the input's last size must be the weight's, got (2, 3) and (4, 2)");
  BOOST_TEST(error_of([] {
               linear(ones({2, 3}), ones({4, 3}), ones({3}));
             }) == "linear: the bias must have the shape (4), got (3)");
  BOOST_TEST(error_of([] {
               linear(ones({2, 3}), ones({4, 3}), ones({4}, float64));
             }) ==
             "linear: the dtypes must be equal, got float32 and float64; to(dtype) "
             "converts a tensor");
}

BOOST_AUTO_TEST_CASE(errors) {
  BOOST_TEST(matmul_message({2, 3}, {4, 5}) ==
             "matmul: the inner sizes must be equal, got (2, 3) and (4, 5)");
  BOOST_TEST(matmul_message({2, 3}, {5, 3}) ==
             "matmul: the inner sizes must be equal, got (2, 3) and (5, 3); "
             "transpose(-2, -1) of the second would fit");
  BOOST_TEST(matmul_message({3}, {4}) ==
             "matmul: the inner sizes must be equal, got (3) and (4)");
  BOOST_TEST(matmul_message({}, {3}) ==
             "matmul: both must have at least one dimension, got () and (3)");
  BOOST_TEST(matmul_message({2, 3, 4}, {5, 4, 6}) ==
             "matmul: the dimensions before the last two must broadcast (equal sizes, or "
             "1), got (2, 3, 4) and (5, 4, 6)");
  BOOST_TEST(matmul_message({2, 3}, {3, 4}, int64, int64) ==
             "matmul: the dtype must be float32 or float64, got int64; to(float32) "
             "converts a tensor");
  BOOST_TEST(matmul_message({2, 3}, {3, 4}, float32, float64) ==
             "matmul: the dtypes must be equal, got float32 and float64; to(dtype) "
             "converts a tensor");
  BOOST_TEST(error_of([] {
               bmm(empty({2, 3, 4}), empty({4, 5}));
             }) ==
             "bmm: both must be 3-D with equal batches and inner sizes, got (2, 3, 4) "
             "and (4, 5)");
  BOOST_TEST(error_of([] {
               bmm(empty({2, 3, 4}), empty({1, 4, 5}));
             }) ==
             "bmm: both must be 3-D with equal batches and inner sizes, got (2, 3, 4) "
             "and (1, 4, 5)");
  BOOST_TEST(error_of([] {
               bmm(empty({1, 2, 2}, boolean), empty({1, 2, 2}, boolean));
             }) ==
             "bmm: the dtype must be float32 or float64, got bool; to(float32) converts "
             "a tensor");
  BOOST_TEST(error_of([] {
               outer(empty({2}), empty({2, 3}));
             }) == "outer: both must be 1-D, got (2) and (2, 3)");
  BOOST_TEST(error_of([] { outer(empty({2}), empty({2}, float64)); }) ==
             "outer: the dtypes must be equal, got float32 and float64; to(dtype) "
             "converts a tensor");
}

BOOST_AUTO_TEST_SUITE_END()

// Bits of products: the signs of zeros, equal columns, layouts, threads.

#include <algorithm>
#include <cmath>
#include <vector>

#include <boost/test/unit_test.hpp>
#include <fmt/format.h>

#include "tensor/core/threads.h"
#include "tensor/core/views.h"
#include "tensor/product/matmul.h"
#include "tensor/random/random.h"
#include "tests/compare.h"
#include "tests/infinity.h"
#include "tests/layouts.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(matmul_bits)

// A sum begins at 0: products that are all -0 add up to 0, for every number of rows.
BOOST_AUTO_TEST_CASE(sums_of_negative_zeros_are_zero) {
  for (const DType dtype : {float32, float64}) {
    for (const std::int64_t m : {1, 2, 3, 33}) {
      for (const std::int64_t k : {1, 5, 20}) {
        for (const std::int64_t n : {1, 4, 33}) {
          const Tensor a = full({m, k}, -0.2, dtype), b = zeros({k, n}, dtype);
          for (const Tensor& x : {a, strided(a), stored_transposed(a, 0, 1)}) {
            for (const Tensor& y : {b, strided(b), stored_transposed(b, 0, 1)}) {
              const auto c = matmul(x, y).to(float64).to_vector<double>();
              BOOST_TEST(std::none_of(c.begin(), c.end(),
                                      [](double d) { return std::signbit(d); }),
                         m << " " << k << " " << n << " " << name(dtype));
            }
          }
        }
      }
    }
  }
}

// Equal keys must have equal scores, and a matrix x those of x.contiguous(). (Batches
// need not: contiguous ones may be computed as one tall matrix. Nor need vectors.)
BOOST_AUTO_TEST_CASE(neither_columns_nor_layouts_make_a_difference) {
  for (const DType dtype : {float32, float64}) {
    for (const std::int64_t n : {9, 17, 33, 65, 129}) {
      const Tensor a = randn({70, 130}, dtype),
                   b = expand(randn({130, 1}, dtype), {130, n});
      const Tensor c = matmul(a, b.contiguous());
      const Tensor first = slice(c, 1, 0, 1);
      BOOST_TEST(same_bits(c, expand(first, {70, n}).contiguous()));
      for (const Tensor& x : {a, strided(a), stored_transposed(a, 0, 1)}) {
        for (const Tensor& y : {strided(b), stored_transposed(b, 0, 1)}) {
          BOOST_TEST(same_bits(matmul(x, y), c));
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(bits_do_not_depend_on_the_threads) {
  const int before = num_threads();
  const auto check_bits = [](const Tensor& a, const Tensor& b,
                             const std::vector<int>& counts = {2, 3, 4}) {
    set_num_threads(1);
    const Tensor one = matmul(a, b);
    for (int threads : counts) {
      set_num_threads(threads);
      // The memory of the result, which would hold the right numbers already.
      one.clone().fill_(not_a_number);
      BOOST_TEST_INFO(fmt::format("{} x {}, {} threads", a.shape(), b.shape(), threads));
      BOOST_TEST(same_bits(matmul(a, b), one));
    }
  };
  for (DType dtype : {float32, float64}) {
    const auto x = [&](const Shape& shape) { return randn(shape, dtype); };
    check_bits(x({130, 150}), x({150, 170}));  // tiles, cut
    check_bits(x({40, 50, 60}), x({60, 70}));  // one tall matrix
    check_bits(x({41, 50, 60}), x({41, 60, 70}));
    check_bits(x({500, 16, 16}), x({500, 16, 16}));  // small
    check_bits(x({40000, 24}), x({24, 10}));
    check_bits(x({2, 130, 150}), x({2, 150, 170}));
    check_bits(x({513, 401}), x({401, 611}));                  // strips
    check_bits(x({700, 900}), transpose(x({65, 900}), 0, 1));  // a last column
    check_bits(x({3, 70, 90}), transpose(x({3, 609, 90}), 1, 2));
    check_bits(x({41, 23, 70}), transpose(x({41, 65, 70}), 1, 2));  // a row too few
    check_bits(x({104, 600}), x({600, 96}));          // a piece for each of 3 threads
    check_bits(x({2110, 520}), x({520, 1540}));       // parts of rows, in stages
    check_bits(x({1540, 520}), x({520, 2150}));       // and each thread its columns
    check_bits(x({14000, 550}), x({550, 16}), {70});  // more threads than shares
    check_bits(x({7, 3001}), x({3001, 211}));
    check_bits(x({2011, 1501}), x({1501, 5}));
    check_bits(transpose(x({403, 501}), 0, 1), transpose(x({477, 403}), 0, 1));
    check_bits(x({3, 300, 700}), x({3, 700, 310}));
    check_bits(x({5, 96, 90}), x({5, 90, 100}));
    check_bits(transpose(x({770, 65}), 0, 1), x({770, 129}));   // k is cut, in 2 or 4
    check_bits(transpose(x({2110, 60}), 0, 1), x({2110, 70}));  // in 5 or 9
    check_bits(x({5, 90001}), x({90001, 7}));                   // in many, of one tile
    check_bits(x({601, 1003}), x({1003}));                      // vectors
    check_bits(x({1003}), x({1003, 601}));
    check_bits(x({300, 1, 299}), x({300, 299, 1}));
    check_bits(x({3001, 1}), x({1, 301}));
    check_bits(x({4, 101, 513}), x({4, 513, 1}));  // shares begin within a product
  }
  set_num_threads(before);
}

BOOST_AUTO_TEST_SUITE_END()

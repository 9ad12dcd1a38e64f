// Bits of products: the signs of zeros, equal columns, layouts.

#include <algorithm>
#include <cmath>

#include <boost/test/unit_test.hpp>

#include "tensor/core/views.h"
#include "tensor/product/matmul.h"
#include "tensor/random/random.h"
#include "tests/compare.h"
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

// Equal keys must have equal scores, and x those of x.contiguous().
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

BOOST_AUTO_TEST_SUITE_END()

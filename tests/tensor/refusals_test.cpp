// Checks with several conditions: each call here breaks one and meets all others. The
// tests of an op break only some.

#include <cmath>
#include <cstdint>

#include <boost/test/unit_test.hpp>
#include <fmt/core.h>

#include "tensor/attention/attention.h"
#include "tensor/core/factories.h"
#include "tensor/core/views.h"
#include "tensor/elementwise/elementwise.h"
#include "tensor/indexing/indexing.h"
#include "tensor/product/matmul.h"
#include "tensor/random/random.h"
#include "tests/compare.h"
#include "tests/errors.h"
#include "tests/infinity.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(refusals)

BOOST_AUTO_TEST_CASE(shapes) {
  const Tensor x = ones({2, 2, 2}), ids = tensor({0, 1});
  check_refused("bmm: both must be 3-D with equal batches and inner sizes, got ",
                {
                    [&] { bmm(x[0], x); },
                    [&] { bmm(x, x[0]); },
                    [&] {
                      bmm(x, ones({1, 2, 2}));
                    },
                    [&] {
                      bmm(x, ones({2, 3, 2}));
                    },
                });
  const auto attend = [](const Tensor& q, const Tensor& k, const Tensor& v) {
    scaled_dot_product_attention(q, k, v, {}, 1);
  };
  check_refused("scaled_dot_product_attention: query, key and value must be matrices ",
                {
                    [&] { attend(ids.to(float32), x, x); },
                    [&] { attend(x, x[0], x); },
                    [&] { attend(x, x, x[0]); },
                    [&] {
                      attend(x, ones({3, 2, 2}), x);
                    },
                    [&] {
                      attend(x, x, ones({3, 2, 2}));
                    },
                });
  check_refused("index_add: x must have the sizes ",
                {
                    [&] {
                      index_add({2, 2}, 0, ids, ones({2, 3}));
                    },
                    [&] { index_add({}, 0, ids, ones({})); },
                    [&] {
                      index_add({2, 2}, 0, reshape(ids, {1, 2}), ones({2, 2}));
                    },
                });
  check_refused("scatter_add: x and the index must have one shape, ",
                {
                    [&] { scatter_add({2}, 0, ids, ones({3})); },
                    [&] {
                      scatter_add({2, 2}, 0, ids, ones({2}));
                    },
                });
  check_refused("split_with_sizes: the sizes must add up to 2, none negative, got ",
                {
                    [&] { split_with_sizes(x, {3}, 0); },
                    [&] {
                      split_with_sizes(x, {-1, 3}, 0);
                    },
                    [&] { split_with_sizes(x, {1}, 0); },
                });
  check_refused("eye: the sizes must not be negative, got ",
                {[] { eye(-1, 2); }, [] { eye(2, -1); }});
}

BOOST_AUTO_TEST_CASE(more_draws_than_numbers) {
  for (const std::int64_t samples : {std::int64_t{2}, INT64_MAX}) {
    BOOST_TEST(error_of([&] { multinomial(tensor({1.0}), samples); }) ==
               fmt::format("multinomial: each row of p must have {} elements above 0, to "
                           "be drawn without replacement, got tensor([1.])",
                           samples));
  }
}

BOOST_AUTO_TEST_CASE(numbers) {
  check_refused("arange: start, end and step must be finite, got ",
                {
                    [] { arange(-infinity, 1.0, 1.0); },
                    [] { arange(0.0, infinity, 1.0); },
                    [] { arange(0.0, 1.0, infinity); },
                });
  Tensor x = ones({2}), whole = ones({2}, int64);
  check_refused("uniform_: low, high and their distance must fit float32, got ",
                {
                    [&] { uniform_(x, -infinity, 0); },
                    [&] { uniform_(x, 0, infinity); },
                    [&] { uniform_(x, -3e38, 3e38); },
                });
  check_refused("random_: a float32 tensor holds the whole numbers from ",
                {
                    [&] { random_(x, -(1 << 24) - 1, 0); },
                    [&] { random_(x, 0, (1 << 24) + 2); },
                });
  check_refused("fill_: an int64 tensor takes whole numbers, got ",
                {
                    [&] { whole.fill_(0.5); },
                    [&] { whole.fill_(std::nan("")); },
                });
  check_refused("fill_: an int64 tensor takes numbers from -2^63 to 2^63 - 1, got ",
                {
                    [&] { whole.fill_(-0x1p64); },
                    [&] { whole.fill_(0x1p63); },
                });
}

// A quotient by a power of two is a product, as far as its inverse is a normal number.
BOOST_AUTO_TEST_CASE(quotients_by_powers_of_two) {
  for (const DType dtype : {float32, float64}) {
    const Tensor x = tensor({3.0, -0x1p-120, 0x1p120, infinity, 0.0}, dtype);
    for (const double by : {0.5, -4.0, 0x1p98, 0x1p-98, 0x1p127, 0x1p-130, 0.0}) {
      Bits found, expected;
      append_bits(found, x / by);
      append_bits(expected, x / full({}, by, dtype));
      BOOST_TEST((found == expected), by);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

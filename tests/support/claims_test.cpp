// Claims, and the comparisons that they are made of.
#include "examples/support/claims.h"

#include <cmath>

#include <boost/test/unit_test.hpp>

#include "tensor/core/factories.h"
#include "tests/errors.h"

namespace {

using namespace heed;
using namespace heed::support;

BOOST_AUTO_TEST_SUITE(claims)

BOOST_AUTO_TEST_CASE(one_that_fails_is_not_forgotten) {
  Claims claims;
  BOOST_TEST(claims.exit_code() == 0);
  claims.expect(true, "a claim that holds, for a test");
  BOOST_TEST(claims.exit_code() == 0);
  claims.expect(false, "a claim that does not hold, for a test");
  claims.expect(true, "another that holds, for a test");
  BOOST_TEST(claims.exit_code() == 1);
}

BOOST_AUTO_TEST_CASE(close_is_up_to_the_tolerance) {
  const Tensor a = tensor({1.0, -2.0}, float64), b = tensor({1.25, -2.0}, float64);
  BOOST_TEST(is_close(a, b, 0.25));
  BOOST_TEST(is_close(b, a, 0.25));
  BOOST_TEST(!is_close(a, b, 0.24));
  BOOST_TEST(!is_close(tensor({NAN}), tensor({NAN}), 1));
  BOOST_TEST(error_of([&] { is_close(a, tensor({1.0}, float64), 1); }) ==
             "is_close: the shapes must be equal, got (2) and (1)");
}

BOOST_AUTO_TEST_CASE(equal_means_shape_and_every_element) {
  const Tensor a = tensor({{1.0, 2.0}});
  BOOST_TEST(is_equal(a, tensor({{1.0, 2.0}})));
  BOOST_TEST(!is_equal(a, tensor({{1.0, 2.0000002}})));
  BOOST_TEST(!is_equal(a, tensor({1.0, 2.0})));
  BOOST_TEST(!is_equal(tensor({NAN}), tensor({NAN})));
}

BOOST_AUTO_TEST_CASE(shares_sum_to_one_and_are_not_negative) {
  BOOST_TEST(are_shares(tensor({{0.25, 0.75}, {0.0, 1.0}})));
  BOOST_TEST(!are_shares(tensor({{0.25, 0.75}, {0.0, 0.99}})));
  BOOST_TEST(!are_shares(tensor({{1.25, -0.25}})));
  BOOST_TEST(!are_shares(tensor({{NAN, 1.0}})));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace

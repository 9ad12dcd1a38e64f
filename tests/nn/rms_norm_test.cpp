// Root mean square normalisation, against its formula and PyTorch 2.15.

#include <boost/test/unit_test.hpp>

#include <heed.h>

#include "tests/errors.h"
#include "tests/nn/module_checks.h"

using namespace heed;
using nn::RMSNorm;

BOOST_AUTO_TEST_SUITE(rms_norm_module)

BOOST_AUTO_TEST_CASE(it_starts_with_ones) {
  const RMSNorm net(Shape{2, 3}, {.dtype = float64});
  BOOST_TEST(same(net.weight.value(), ones({2, 3}, float64)));
  BOOST_TEST(parameter_names(net) == "weight ");
  BOOST_TEST(parameter_names(RMSNorm(3, {.elementwise_affine = false})) == "");
  BOOST_TEST(nn::to_string(net) == "RMSNorm((2, 3), eps=None, elementwise_affine=True)");
  BOOST_TEST(RMSNorm(4, {.eps = 1e-6}).summary() ==
             "(4), eps=1e-06, elementwise_affine=True");
}

BOOST_AUTO_TEST_CASE(it_equals_the_formula) {
  manual_seed(1);
  const Tensor x = randn({2, 3, 6}, float64) * 3;
  for (const Shape& normalized : {Shape{6}, Shape{3, 6}}) {
    const auto net = randomised(RMSNorm(normalized, {.eps = 0.5, .dtype = float64}));
    const Dims last = normalized.rank() == 1 ? Dims{-1} : Dims{-2, -1};
    const Tensor root = sqrt(mean(x * x, last, true) + 0.5);
    BOOST_TEST(distance(net(x).value(), x / root * net.weight.value()) < 1e-14);
  }
}

// The epsilon of the dtype is what keeps zeros, and tiny numbers, finite.
BOOST_AUTO_TEST_CASE(without_eps_it_is_the_dtype_s) {
  const Tensor x = tensor({{0.0, 0.0}, {1e-4, 3e-4}});
  BOOST_TEST(allclose(rms_norm(x, {2}), tensor({{0.0, 0.0}, {0.2431, 0.7293}}), 0, 1e-4));
}

BOOST_AUTO_TEST_CASE(every_leaf_is_listed_and_has_its_derivatives) {
  manual_seed(2);
  const Tensor x = randn({3, 2, 4}, float64);
  auto net = randomised(RMSNorm(Shape{2, 4}, {.eps = 0.1, .dtype = float64}));
  BOOST_TEST(unlisted(net, x) == "");
  check_all_derivatives(net, {x},
                        [](RMSNorm& own, const auto& in) { return own(in[0]); });
}

BOOST_AUTO_TEST_CASE(what_is_refused) {
  BOOST_TEST(error_of([] { RMSNorm(0); }) ==
             "RMSNorm: normalized_shape must have a size, all at least 1, got (0)");
  BOOST_TEST(error_of([] { RMSNorm(2, {.eps = 0}); }) ==
             "RMSNorm: eps must be positive, got 0");
  BOOST_TEST(error_of([] { RMSNorm(2)(zeros({3})); }) ==
             "rms_norm: the last sizes of the input must be (2), got (3)");
  BOOST_TEST(error_of([] { rms_norm(zeros({2}), {2}, ones({3})); }) ==
             "rms_norm: weight must have the shape (2), got (3)");
}

BOOST_AUTO_TEST_SUITE_END()

// Layer normalisation as a module. Its kernels are tested in tests/tensor.

#include <boost/test/unit_test.hpp>

#include <heed.h>

#include "tests/errors.h"
#include "tests/infinity.h"
#include "tests/nn/module_checks.h"

using namespace heed;
using nn::LayerNorm;

namespace {

// The definition with plain ops, over the last `dims` dimensions.
Variable formula(const Variable& x, const Variable& weight, const Variable& bias,
                 double eps) {
  Dims last;
  for (int d = 1; d <= weight.dim(); ++d) last.push_back(-d);
  const Variable centered = x - mean(x, last, true);
  const Variable variance = mean(square(centered), last, true);
  const Variable y = centered / sqrt(variance + eps) * weight;
  return bias.defined() ? y + bias : y;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(layer_norm_module)

BOOST_AUTO_TEST_CASE(it_starts_with_ones_and_zeros) {
  const LayerNorm net(Shape{2, 3}, {.dtype = float64});
  BOOST_TEST(same(net.weight.value(), ones({2, 3}, float64)));
  BOOST_TEST(same(net.bias.value(), zeros({2, 3}, float64)));
  BOOST_TEST(net.eps == 1e-5);
  BOOST_TEST(parameter_names(net) == "weight bias ");
  BOOST_TEST(parameter_names(LayerNorm(3, {.bias = false})) == "weight ");
}

BOOST_AUTO_TEST_CASE(it_equals_the_formula_in_ops) {
  manual_seed(1);
  for (const Shape& normalized : {Shape{6}, Shape{1}, Shape{3, 6}, Shape{2, 3, 6}}) {
    for (const bool bias : {true, false}) {
      for (const double eps : {1e-5, 0.5}) {
        const auto net = randomised(
            LayerNorm(normalized, {.eps = eps, .bias = bias, .dtype = float64}));
        const Tensor x = randn({2, 3, 6}, float64) * 3 + 1;
        const Tensor in = normalized == Shape{1} ? unsqueeze(x, 3) : x;
        const Tensor expected = formula(in, net.weight, net.bias, eps).value();
        BOOST_TEST_INFO(net.summary());
        BOOST_TEST(distance(net(in).value(), expected) < 1e-13);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(rows_of_equal_or_far_off_numbers_are_normalised) {
  LayerNorm net(4);
  Tensor(net.bias.value()).fill_(0.25);
  BOOST_TEST(same(net(full({2, 4}, 7.0)).value(), full({2, 4}, 0.25)));
  // The mean is subtracted before squaring, so 1e4 costs no digits of the variance.
  const Tensor x = tensor({{-1.0, 1.0, -1.0, 1.0}}, float32);
  BOOST_TEST(distance(net(x + 1e4).value(), x + 0.25) < 1e-5);
}

BOOST_AUTO_TEST_CASE(every_leaf_is_listed_and_has_its_derivatives) {
  manual_seed(2);
  const Tensor x = randn({3, 2, 4}, float64);
  for (const Shape& normalized : {Shape{4}, Shape{2, 4}}) {
    for (const bool bias : {true, false}) {
      auto net =
          randomised(LayerNorm(normalized, {.eps = 0.1, .bias = bias, .dtype = float64}));
      BOOST_TEST(unlisted(net, x) == "");
      check_all_derivatives(net, {x},
                            [](LayerNorm& own, const auto& in) { return own(in[0]); });
    }
  }
}

BOOST_AUTO_TEST_CASE(without_weight_and_bias_it_only_normalises) {
  manual_seed(3);
  const Variable x(randn({3, 2, 4}, float64), true);
  const Shape normalized{2, 4};
  auto net = LayerNorm(normalized, {.elementwise_affine = false, .dtype = float64});
  BOOST_TEST(parameter_names(net) == "");
  const LayerNorm affine(normalized, {.dtype = float64});
  BOOST_TEST(same(net(x).value(), affine(x).value()));
  check_all_derivatives(net, {x.value()},
                        [](LayerNorm& own, const auto& in) { return own(in[0]); });
  BOOST_CHECK_THROW(net(randn({4, 2}, float64)), Error);
}

// Not one without weight and bias.
BOOST_AUTO_TEST_CASE(a_layer_that_was_moved_from_is_refused) {
  LayerNorm net(3);
  const LayerNorm other = std::move(net);
  BOOST_TEST(error_of([&] {
               net(ones({2, 3}));
             }) ==
             "Tensor: used while undefined, that is default-constructed or moved from");
  BOOST_TEST(error_of([&] { (void)nn::parameters(net); }) ==
             "visit: the part \"weight\" is undefined; the module was moved from, or the "
             "part never given a value");
}

BOOST_AUTO_TEST_CASE(without_rows_the_gradients_are_zero) {
  const LayerNorm net(3);
  const Variable x(zeros({0, 3}), true);
  const Variable y = net(x);
  BOOST_TEST((y.shape() == Shape{0, 3}));
  sum(y).backward();
  BOOST_TEST(same(net.weight.grad().value(), zeros({3})));
  BOOST_TEST(same(net.bias.grad().value(), zeros({3})));
}

BOOST_AUTO_TEST_CASE(it_prints_its_options) {
  BOOST_TEST(LayerNorm({4}).summary() ==
             "(4), eps=1e-05, elementwise_affine=True, bias=True");
  BOOST_TEST(LayerNorm({2, 4}, {.eps = 0.5, .bias = false}).summary() ==
             "(2, 4), eps=0.5, elementwise_affine=True, bias=False");
  BOOST_TEST(LayerNorm(4, {.elementwise_affine = false}).summary() ==
             "(4), eps=1e-05, elementwise_affine=False, bias=False");
}

BOOST_AUTO_TEST_CASE(what_does_not_fit_is_refused) {
  const std::string shape =
      "LayerNorm: normalized_shape must have a size, all at least 1, got ";
  BOOST_TEST(error_of([] { LayerNorm{Shape{}}; }) == shape + "()");
  BOOST_TEST(error_of([] { LayerNorm(Shape{3, 0}); }) == shape + "(3, 0)");
  BOOST_TEST(error_of([] { LayerNorm(Shape{2}, {.eps = 0}); }) ==
             "LayerNorm: eps must be positive, got 0");
  BOOST_TEST(error_of([&] { LayerNorm(Shape{2}, {.eps = infinity}); }) ==
             "LayerNorm: eps must be positive, got inf");
  BOOST_TEST(error_of([] {
               LayerNorm(4)(ones({4, 3}));
             }) == "layer_norm: the last sizes of the input must be (4), got (4, 3)");
  BOOST_TEST(error_of([] {
               LayerNorm(Shape{2, 3})(ones({3}));
             }) == "layer_norm: the last sizes of the input must be (2, 3), got (3)");
  BOOST_TEST(error_of([] {
               LayerNorm(3)(ones({2, 3}, float64));
             }) ==
             "layer_norm: the dtypes must be equal, got float64 and float32; to(dtype) "
             "converts a tensor");
}

BOOST_AUTO_TEST_SUITE_END()

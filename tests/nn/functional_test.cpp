// Activation functions that are others put together, distances, losses of rows, draws,
// and what they refuse. Their values are compared with PyTorch's by the golden tests.

#include <cmath>

#include <boost/test/unit_test.hpp>

#include <heed.h>

#include "tests/errors.h"
#include "tests/nn/checks.h"

using namespace heed;
using nn::Reduction;

namespace {

// f'(x) for a function of each element.
template <class F>
Tensor slopes(F&& f, const Tensor& at) {
  const Variable x(at, true);
  sum(f(x)).backward();
  return x.grad().value();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(functional)

BOOST_AUTO_TEST_CASE(activations_and_their_layers) {
  const Variable x = tensor({{-4.0, -0.5}, {0.5, 7.0}});
  const std::vector<std::pair<Variable, Variable>> pairs = {
      {nn::ReLU6()(x), relu6(x)},
      {nn::Hardtanh()(x), hardtanh(x)},
      {nn::Hardtanh{-2, 3}(x), hardtanh(x, -2, 3)},
      {nn::Hardsigmoid()(x), hardsigmoid(x)},
      {nn::Hardswish()(x), hardswish(x)},
      {nn::Mish()(x), mish(x)},
      {nn::SELU()(x), selu(x)},
      {nn::CELU{2}(x), celu(x, 2)},
      {nn::GLU()(x), glu(x)},
      {nn::GLU{0}(x), glu(x, 0)},
      {nn::Softsign()(x), softsign(x)},
  };
  for (const auto& [layer, function] : pairs) {
    BOOST_TEST(same(layer.value(), function.value()));
  }
  BOOST_TEST(
      nn::to_string(nn::Sequential{nn::Hardtanh(), nn::CELU(), nn::GLU(), nn::ReLU6()}) ==
      "Sequential(\n"
      "  (0): Hardtanh(min_val=-1.0, max_val=1.0)\n"
      "  (1): CELU(alpha=1.0)\n"
      "  (2): GLU(dim=-1)\n"
      "  (3): ReLU6()\n"
      ")");
}

// PyTorch 2.15's; 1.13 has -0.5 and 1.5 for hardswish at -3 and 3.
BOOST_AUTO_TEST_CASE(derivatives_at_the_kinks) {
  const Tensor x = tensor({-3.0, 0.0, 3.0, 6.0});
  BOOST_TEST(same(slopes(relu6<Variable>, x), tensor({0.0, 0.0, 1.0, 0.0})));
  BOOST_TEST(same(slopes(hardswish<Variable>, x), tensor({0.0, 0.5, 1.0, 1.0})));
  const Tensor sixth = slopes(hardsigmoid<Variable>, x);
  BOOST_TEST(same(sixth, tensor({0.0, 1.0 / 6, 0.0, 0.0})));
  const Tensor far = tensor({-1e4, 1e4});
  BOOST_TEST(same(slopes([](auto& v) { return celu(v); }, far), tensor({0.0, 1.0})));
  BOOST_TEST(same(slopes(mish<Variable>, far), tensor({0.0, 1.0})));
  const Tensor no_number = tensor({NAN});
  BOOST_TEST(same(relu6(no_number), no_number));
  BOOST_TEST(same(relu6(tensor({-1, 3, 9})), tensor({0, 3, 6})));
}

BOOST_AUTO_TEST_CASE(they_have_their_derivatives) {
  manual_seed(4);
  const Tensor x = randn({3, 4}, float64) * 2, y = randn({3, 4}, float64);
  const Tensor signs = tensor({1, -1, -1});
  const auto all_of = [&](const std::vector<Variable>& in) {
    const Variable &a = in[0], &b = in[1];
    const Variable apart = pairwise_distance(a, b, 3);
    return cat(
        {flatten(relu6(a) + hardtanh(a, -2, 2) + hardsigmoid(a) + hardswish(a) + mish(a) +
                 selu(a) + celu(a, 2) + softsign(a) + tanhshrink(a) + softmin(a, 1)),
         flatten(glu(a)), apart,
         nn::triplet_margin_loss(a, b, y, {.margin = 9, .reduction = Reduction::none}),
         nn::cosine_embedding_loss(a, b, signs, {.reduction = Reduction::none}),
         flatten(nn::margin_ranking_loss(
             a, b, ones({3, 4}, int64), {.margin = 0.1, .reduction = Reduction::none}))});
  };
  check_derivatives(all_of, {x, y});
}

// As in PyTorch.
BOOST_AUTO_TEST_CASE(the_derivatives_at_a_hinge_are_0) {
  const Variable row(zeros({1, 2}), true);
  (nn::cosine_embedding_loss(row, tensor({{1, 2}}, float32), tensor({-1})) +
   nn::margin_ranking_loss(row, row, ones({1, 2})))
      .backward();
  BOOST_TEST(equal(row.grad().value(), zeros({1, 2})));
}

BOOST_AUTO_TEST_CASE(what_is_refused) {
  const Tensor x = zeros({2, 3});
  BOOST_TEST(error_of([&] { glu(x); }) ==
             "glu: the size of dimension -1 must be even, got (2, 3)");
  BOOST_TEST(error_of([&] { celu(x, 0); }) == "celu: alpha must be positive, got 0");
  BOOST_TEST(error_of([&] { hardtanh(x, 1, 0); }) ==
             "hardtanh: min_val must not be above max_val, got 1 and 0");
  BOOST_TEST(
      error_of([&] { nn::triplet_margin_loss(x, x, zeros({3})); }) ==
      "triplet_margin_loss: anchor and negative must have equal shapes, got (2, 3) "
      "and (3)");
  BOOST_TEST(error_of([&] { nn::triplet_margin_loss(x, x, x, {.margin = 0}); }) ==
             "triplet_margin_loss: margin must be positive, got 0");
  BOOST_TEST(error_of([&] { nn::margin_ranking_loss(x, x, zeros({3})); }) ==
             "margin_ranking_loss: the targets must have the shape (2, 3), got (3)");
  BOOST_TEST(error_of([&] {
               nn::margin_ranking_loss(x, x, ones({2, 3}, float64));
             }) ==
             "margin_ranking_loss: the dtypes must be equal, got float32 and float64; "
             "to(dtype) converts a tensor");
  BOOST_TEST(error_of([&] { nn::cosine_embedding_loss(x, x, x); }) ==
             "cosine_embedding_loss: the targets must have the shape (2), got (2, 3)");
  BOOST_TEST(error_of([&] {
               nn::cosine_embedding_loss(x, x, tensor({1, 0}));
             }) == "cosine_embedding_loss: the targets must be 1 or -1, got 0");
}

BOOST_AUTO_TEST_CASE(losses_as_layers) {
  const Variable a = tensor({{1.0, 0.0}, {0.0, 2.0}}),
                 b = tensor({{0.0, 1.0}, {0.0, 1.0}});
  const Tensor signs = tensor({1, -1});
  BOOST_TEST(nn::TripletMarginLoss{{.margin = 2}}(a, b, b).item() == 2);
  BOOST_TEST(
      nn::MarginRankingLoss{{.reduction = Reduction::sum}}(a, b, ones({2, 2})).item() ==
      1);
  BOOST_TEST(nn::CosineEmbeddingLoss{{.margin = 0.5}}(a, b, signs).item() == 0.75);
}

// torch.manual_seed(3), F.gumbel_softmax(torch.tensor([0.5, 1, 2]), 0.5)
BOOST_AUTO_TEST_CASE(gumbel_softmax_draws_as_pytorch) {
  const Variable logits(tensor({0.5, 1.0, 2.0}), true);
  manual_seed(3);
  const Variable soft = gumbel_softmax(logits, 0.5);
  BOOST_TEST(allclose(soft, tensor({0.9618, 0.0276, 0.0106}), 0, 1e-4));
  manual_seed(3);
  const Variable hard = gumbel_softmax(logits, 0.5, true);
  BOOST_TEST(allclose(hard, tensor({1.0, 0.0, 0.0})));
  const Tensor g = tensor({1.0, 2.0, 3.0});
  BOOST_TEST(
      allclose(grad(sum(g * hard), {logits})[0], grad(sum(g * soft), {logits})[0]));
  BOOST_TEST(error_of([&] { gumbel_softmax(logits, 0); }) ==
             "gumbel_softmax: tau must be positive, got 0");
}

BOOST_AUTO_TEST_CASE(dropout_is_in_training_by_default) {
  manual_seed(1);
  const Tensor y = dropout(ones({1000})).value();
  BOOST_TEST(all((y == 0) | (y == 2)).item() == 1);
  BOOST_TEST(same(dropout(ones({4}), 0.5, false).value(), ones({4})));
}

BOOST_AUTO_TEST_SUITE_END()

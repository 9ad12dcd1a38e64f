// Losses and the functional layers: shapes, reductions, errors, derivatives. Their values
// are compared with PyTorch's by the golden tests.

#include <cmath>

#include <boost/test/unit_test.hpp>

#include <heed.h>

#include "tests/errors.h"
#include "tests/nn/checks.h"

using namespace heed;
using nn::Reduction;

BOOST_AUTO_TEST_SUITE(losses)

BOOST_AUTO_TEST_CASE(mse_and_l1_reduce_as_told) {
  const Tensor a = tensor({{1.0, 2.0}, {3.0, 4.0}}), b = tensor({{1.0, 4.0}, {0.0, 4.0}});
  BOOST_TEST((nn::mse_loss(a, b, Reduction::none).shape() == Shape{2, 2}));
  BOOST_TEST(nn::mse_loss(a, b, Reduction::none).value().at({1, 0}) == 9);
  BOOST_TEST(nn::mse_loss(a, b, Reduction::sum).item() == 13);
  BOOST_TEST(nn::mse_loss(a, b).item() == 3.25);
  BOOST_TEST(nn::l1_loss(a, b, Reduction::none).value().at({1, 0}) == 3);
  BOOST_TEST(nn::l1_loss(a, b, Reduction::sum).item() == 5);
  BOOST_TEST(nn::l1_loss(a, b).item() == 1.25);
}

BOOST_AUTO_TEST_CASE(huber_and_binary_cross_entropy) {
  const Tensor a = tensor({0.5, 3.0}), b = tensor({0.0, 0.0});
  BOOST_TEST(nn::huber_loss(a, b, {.reduction = Reduction::sum}).item() == 0.125 + 2.5);
  BOOST_TEST(nn::huber_loss(a, b, {.reduction = Reduction::sum, .delta = 3}).item() ==
             0.125 + 4.5);
  BOOST_TEST(error_of([&] { nn::huber_loss(a, b, {.delta = 0}); }) ==
             "huber_loss: delta must be positive and finite, got 0");
  BOOST_TEST(error_of([&] { nn::huber_loss(tensor({1}), tensor({2})); }) ==
             "huber_loss: the dtype must be float32 or float64, got int64; to(float32) "
             "converts a tensor");
  // Nor does a difference whose square is infinite, or that is so itself.
  const Variable far(tensor({2e38, -INFINITY, 0.5}), true);
  sum(nn::huber_loss(far, zeros({3}), {.reduction = Reduction::none})).backward();
  BOOST_TEST(same(far.grad().value(), tensor({1.0, -1.0, 0.5})));
  // Far from 0 nothing overflows, and both gradients are exact.
  const Variable x(tensor({-1000.0, 0.0, 1000.0}), true);
  const Variable t(tensor({1.0, 0.5, 1.0}), true);
  const Variable loss =
      nn::binary_cross_entropy_with_logits(x, t, {.reduction = Reduction::none});
  BOOST_TEST(loss.value().at({0}) == 1000);
  BOOST_TEST(loss.value().at({1}) == std::log(2.0), boost::test_tools::tolerance(1e-6));
  BOOST_TEST(loss.value().at({2}) == 0);
  sum(loss).backward();
  BOOST_TEST(same(x.grad().value(), tensor({-1.0, 0.0, 0.0})));
  BOOST_TEST(same(t.grad().value(), tensor({1000.0, 0.0, -1000.0})));
  // Nor does the target's gradient cancel near 0, or a small loss far from it.
  const Variable near(tensor({1e-10, -50.0}), true), off(zeros({2}), true);
  const Variable small =
      nn::binary_cross_entropy_with_logits(near, off, {.reduction = Reduction::none});
  BOOST_TEST(small.value().at({1}) == std::exp(-50.0),
             boost::test_tools::tolerance(1e-4));
  sum(small).backward();
  BOOST_TEST(same(off.grad().value(), tensor({-1e-10, 50.0})));
  BOOST_TEST(error_of([&] {
               nn::binary_cross_entropy_with_logits(x, t, {.pos_weight = ones({2})});
             }) ==
             "binary_cross_entropy_with_logits: pos_weight must broadcast to the logits "
             "(3), got (2)");
  BOOST_TEST(error_of([&] { nn::binary_cross_entropy_with_logits(x, ones({2})); }) ==
             "binary_cross_entropy_with_logits: prediction and target must have equal "
             "shapes, got (3) and (2)");
  Generator generator(4);
  const Tensor logits = randn({2, 3}, float64, generator) * 3;
  const Tensor chances = rand({2, 3}, float64, generator);
  const Tensor weight = tensor({0.5, 1.0, 3.0}, float64);
  for (const Tensor& w : {Tensor(), weight}) {
    check_derivatives(
        [&](const std::vector<Variable>& in) {
          return nn::binary_cross_entropy_with_logits(in[0], in[1], {.pos_weight = w});
        },
        {logits, chances});
  }
  check_derivatives(
      [](const std::vector<Variable>& in) { return nn::huber_loss(in[0], in[1]); },
      {logits, chances});
}

BOOST_AUTO_TEST_CASE(smooth_l1_and_binary_cross_entropy_of_probabilities) {
  const Tensor a = tensor({0.5, 3.0}, float64), b = tensor({0.0, 0.0}, float64);
  BOOST_TEST(nn::smooth_l1_loss(a, b, {.reduction = Reduction::sum, .beta = 2}).item() ==
             0.25 / 4 + 2);
  BOOST_TEST(nn::smooth_l1_loss(a, b, {.reduction = Reduction::sum, .beta = 0}).item() ==
             3.5);
  BOOST_TEST(error_of([&] { nn::smooth_l1_loss(a, b, {.beta = -1}); }) ==
             "smooth_l1_loss: beta must be finite and not negative, got -1");
  BOOST_TEST(error_of([&] { nn::binary_cross_entropy(a, b); }) ==
             "binary_cross_entropy: the probabilities must be from 0 to 1 (for logits "
             "take binary_cross_entropy_with_logits), got 3");
  for (const double t : {-0.1, 1.1, std::nan("")}) {
    BOOST_TEST(
        error_of([&] { nn::binary_cross_entropy(tensor({0.5}), tensor({t})); }) ==
        fmt::format("binary_cross_entropy: the targets must be from 0 to 1, got {}",
                    double{static_cast<float>(t)}));
  }
  // At 0 and 1 the loss and its slope are finite.
  const Variable p(tensor({0.0, 1.0, 0.0}), true);
  const Variable loss =
      nn::binary_cross_entropy(p, tensor({1.0, 1.0, 0.5}), {.reduction = Reduction::sum});
  BOOST_TEST(loss.item() == 150);
  loss.backward();
  BOOST_TEST(p.grad().value().to_vector<float>() ==
             (std::vector<float>{-1e12f, 0.0f, -0.5e12f}));
  Generator generator(5);
  const Tensor x = rand({2, 3}, float64, generator), y = rand({2, 3}, float64, generator);
  check_derivatives(
      [](const std::vector<Variable>& in) {
        return nn::binary_cross_entropy(in[0], in[1], {.reduction = Reduction::none});
      },
      {x, y});
  check_derivatives(
      [](const std::vector<Variable>& in) {
        return nn::smooth_l1_loss(in[0], in[1], {.beta = 0.3});
      },
      {x, y});
}

// As far as float32 holds beta at all; where it rounds to 0, the loss is l1_loss.
BOOST_AUTO_TEST_CASE(smooth_l1_of_any_beta) {
  struct Case {
    double beta, d, loss, gradient;
  };
  const Case cases[] = {
      {1e-40, 0, 0, 0},        {1e-40, 5e-41, 1.25e-41, 0.5}, {1e-40, -1, 1, -1},
      {1e-60, 0, 0, 0},        {1e-60, 3e38, 3e38, 1},        {1e30, 3e38, 3e38, 1},
      {1e30, 1, 5e-31, 1e-30}, {3e38, 3e38, 1.5e38, 1},       {3e38, 0, 0, 0},
  };
  for (const auto& [beta, d, loss, gradient] : cases) {
    const Variable x(tensor({d}), true);
    const Variable y = nn::smooth_l1_loss(x, zeros({1}), {.beta = beta});
    y.backward();
    BOOST_TEST_INFO("beta " << beta << ", d " << d);
    BOOST_TEST(y.item() == loss, boost::test_tools::tolerance(1e-4));
    BOOST_TEST(x.grad().value().item() == gradient, boost::test_tools::tolerance(1e-4));
  }
  BOOST_TEST(error_of([] {
               nn::smooth_l1_loss(ones({1}), zeros({1}), {.beta = 1e39});
             }) == "smooth_l1_loss: beta: 1e+39 is too large for float32");
}

BOOST_AUTO_TEST_CASE(loss_layers_are_the_functions_of_their_names) {
  const Variable x = tensor({{0.5, -1.0, 2.0}, {0.0, 1.0, -3.0}});
  const Tensor y = tensor({{0.0, 1.0, 1.0}, {1.0, 0.0, 0.0}}), ids = tensor({2, 0});
  const nn::Reduction reduction = nn::Reduction::sum;
  const std::pair<Variable, Variable> pairs[] = {
      {nn::MSELoss()(x, y), nn::mse_loss(x, y)},
      {nn::MSELoss{{reduction}}(x, y), nn::mse_loss(x, y, reduction)},
      {nn::L1Loss{{reduction}}(x, y), nn::l1_loss(x, y, {.reduction = reduction})},
      {nn::HuberLoss{{.delta = 0.5}}(x, y), nn::huber_loss(x, y, {.delta = 0.5})},
      {nn::SmoothL1Loss{{.beta = 0.5}}(x, y), nn::smooth_l1_loss(x, y, {.beta = 0.5})},
      {nn::BCELoss()(y, y), nn::binary_cross_entropy(y, y)},
      {nn::BCEWithLogitsLoss{{.pos_weight = tensor(2.0)}}(x, y),
       nn::binary_cross_entropy_with_logits(x, y, {.pos_weight = tensor(2.0)})},
      {nn::NLLLoss{{.ignore_index = 2}}(x, ids),
       nn::nll_loss(x, ids, {.ignore_index = 2})},
      {nn::CrossEntropyLoss{{.label_smoothing = 0.1}}(x, ids),
       nn::cross_entropy(x, ids, {.label_smoothing = 0.1})},
  };
  for (const auto& [layer, function] : pairs) {
    BOOST_TEST(layer.item() == function.item());
  }
}

BOOST_AUTO_TEST_CASE(losses_do_not_broadcast) {
  BOOST_CHECK_EXCEPTION(
      nn::mse_loss(full({3, 1}, 0.0), full({3}, 0.0)), Error,
      says("mse_loss: prediction and target must have equal shapes, got "
           "(3, 1) and (3)"));
  BOOST_CHECK_EXCEPTION(nn::l1_loss(full({3, 1}, 0.0), full({3}, 0.0)), Error,
                        says("l1_loss: prediction and target must have equal shapes, got "
                             "(3, 1) and (3)"));
}

BOOST_AUTO_TEST_CASE(cross_entropy_counts_what_is_not_ignored) {
  const Tensor logits = tensor({{2.0, 1.0, 0.0}, {0.0, 3.0, 0.0}, {1.0, 1.0, 1.0}});
  const Tensor target = tensor({0, -100, 2});
  const Variable each = nn::cross_entropy(logits, target, {.reduction = Reduction::none});
  BOOST_TEST(each.value().at({1}) == 0);
  BOOST_TEST(each.value().at({2}) == std::log(3.0), boost::test_tools::tolerance(1e-6));
  const double total =
      nn::cross_entropy(logits, target, {.reduction = Reduction::sum}).item();
  BOOST_TEST(nn::cross_entropy(logits, target).item() == total / 2,
             boost::test_tools::tolerance(1e-6));
  const Variable nll = nn::nll_loss(log_softmax(logits, 1), target);
  BOOST_TEST(nll.item() == total / 2, boost::test_tools::tolerance(1e-6));
}

BOOST_AUTO_TEST_CASE(cross_entropy_of_one_sample_and_of_many_places) {
  const Tensor one = tensor({0.0, 0.0, 0.0, 0.0});
  BOOST_TEST(nn::cross_entropy(one, tensor(2)).item() == std::log(4.0),
             boost::test_tools::tolerance(1e-6));
  const Tensor places = zeros({2, 4, 3, 5});
  BOOST_TEST(
      (nn::cross_entropy(places, zeros({2, 3, 5}, int64), {.reduction = Reduction::none})
           .shape() == Shape{2, 3, 5}));
}

BOOST_AUTO_TEST_CASE(cross_entropy_refuses_what_does_not_fit) {
  const Tensor logits = zeros({2, 3});
  BOOST_CHECK_EXCEPTION(nn::cross_entropy(logits, tensor({0, 3})), Error,
                        says("cross_entropy: the targets must be from 0 to 2, got 3"));
  BOOST_CHECK_EXCEPTION(nn::cross_entropy(logits, tensor({-1, 0})), Error,
                        says("cross_entropy: the targets must be from 0 to 2, got -1"));
  BOOST_CHECK_EXCEPTION(
      nn::cross_entropy(logits, tensor({0})), Error,
      says("cross_entropy: the targets must have the shape (2), got (1)"));
  BOOST_CHECK_EXCEPTION(
      nn::cross_entropy(logits, tensor({0.0, 1.0})), Error,
      says("cross_entropy: the targets must be classes, int64, got float32"));
  BOOST_CHECK_EXCEPTION(
      nn::cross_entropy(logits, tensor({0, 1}), {.label_smoothing = 1.5}), Error,
      says("cross_entropy: label_smoothing must be from 0 to 1, got 1.5"));
  BOOST_CHECK_EXCEPTION(nn::nll_loss(tensor(0.0), tensor(0)), Error,
                        says("nll_loss: the scores need a dimension of classes, got ()"));
}

BOOST_AUTO_TEST_CASE(losses_have_their_derivatives) {
  const Tensor a = randn({3, 4}, float64), b = randn({3, 4}, float64);
  const Tensor target = tensor({2, -100, 0});
  for (const Reduction reduction : {Reduction::none, Reduction::mean, Reduction::sum}) {
    check_derivatives([=](auto& in) { return nn::mse_loss(in[0], in[1], reduction); },
                      {a, b});
    check_derivatives([=](auto& in) { return nn::l1_loss(in[0], in[1], reduction); },
                      {a, b});
    check_derivatives(
        [=](auto& in) {
          return nn::cross_entropy(in[0], target,
                                   {.reduction = reduction, .label_smoothing = 0.2});
        },
        {a});
    check_derivatives(
        [=](auto& in) { return nn::nll_loss(in[0], target, {.reduction = reduction}); },
        {a});
  }
}

BOOST_AUTO_TEST_CASE(functional_layers_have_their_derivatives) {
  const Tensor x = randn({2, 3, 4}, float64);
  const Tensor w = randn({4}, float64), b = randn({4}, float64);
  const Tensor table = randn({5, 4}, float64);
  const Tensor ids = tensor({{0, 2}, {4, 2}});
  check_derivatives([](auto& in) { return nn::layer_norm(in[0], {4}, in[1], in[2]); },
                    {x, w, b});
  check_derivatives([](auto& in) { return nn::layer_norm(in[0], {3, 4}, 1e-3); }, {x});
  check_derivatives([=](auto& in) { return nn::embedding(ids, in[0]); }, {table});
  check_derivatives([](auto& in) { return nn::linear(in[0], in[1], in[2]); },
                    {x, table, randn({5}, float64)});
}

BOOST_AUTO_TEST_CASE(layer_norm_of_two_rows) {
  const Tensor x = tensor({{1.0, 2.0}, {2.0, 3.0}});
  const Tensor y = nn::layer_norm(x, {2}).value();
  BOOST_TEST(y.at({0, 0}) == -0.99998, boost::test_tools::tolerance(1e-5));
  BOOST_TEST(y.at({1, 1}) == 0.99998, boost::test_tools::tolerance(1e-5));
  BOOST_CHECK_EXCEPTION(nn::layer_norm(x, {3}), Error,
                        says("layer_norm: the last sizes of the input must be (3), got "
                             "(2, 2)"));
}

BOOST_AUTO_TEST_CASE(a_padding_row_gets_no_gradient) {
  const Variable table(randn({4, 2}), true);
  sum(nn::embedding(tensor({1, 3, 1, 0}), table, 1)).backward();
  BOOST_TEST(table.grad().value().at({1, 0}) == 0);
  BOOST_TEST(table.grad().value().at({3, 0}) == 1);
  BOOST_CHECK_EXCEPTION(nn::embedding(tensor({0}), table, 4), Error,
                        says("embedding: padding_idx must be from 0 to 3, got 4"));
}

BOOST_AUTO_TEST_CASE(scores_of_no_class) {
  BOOST_CHECK_EXCEPTION(nn::nll_loss(zeros({2, 0}), tensor({-100, -100})), Error,
                        says("nll_loss: the scores must have a class, got (2, 0)"));
}

// The numbers are PyTorch's.
BOOST_AUTO_TEST_CASE(weights_of_classes) {
  const Tensor logits = tensor({{1.0, 2.0, 3.0}, {0.0, 0.0, 1.0}}, float64);
  const Tensor targets = tensor({2, 0}), weight = tensor({1.0, 2.0, 4.0}, float64);
  const auto close = boost::test_tools::tolerance(1e-14);
  BOOST_TEST(
      nn::cross_entropy(logits, targets, {.weight = weight}).item() == 0.6363737143419146,
      close);
  BOOST_TEST(
      nn::cross_entropy(logits, targets, {.weight = weight, .label_smoothing = 0.1})
              .item() == 0.6641587078986233,
      close);
  BOOST_TEST(error_of([&] {
               (void)nn::cross_entropy(logits, targets, {.weight = ones({2}, float64)});
             }) ==
             "cross_entropy: weight must have the shape (3), a number for each class, "
             "got (2)");
  BOOST_TEST(
      error_of([&] { (void)nn::nll_loss(logits, targets, {.weight = ones({3})}); }) ==
      "nll_loss: the dtypes must be equal, got float64 and float32; to(dtype) "
      "converts a tensor");
}

BOOST_AUTO_TEST_CASE(scores_of_texts_are_told_where_classes_are) {
  BOOST_TEST(error_of([] {
               (void)nn::cross_entropy(zeros({2, 3, 5}), zeros({2, 3}, int64));
             }) ==
             "cross_entropy: the targets must have the shape (2, 5), got (2, 3); the "
             "classes are dimension 1 of the scores (2, 3, 5); reshape({-1, 5}) of them "
             "and flatten() of the targets would fit");
}

// The numbers are those of F.kl_div.
BOOST_AUTO_TEST_CASE(the_divergence_of_kullback_and_leibler) {
  const Variable x(log_softmax(tensor({{1.0, 2.0, 3.0}, {0.0, 0.0, 1.0}}, float64), 1),
                   true);
  const Tensor target = tensor({{0.2, 0.3, 0.5}, {0.0, 1.0, 0.0}}, float64);
  const auto close = boost::test_tools::tolerance(1e-14);
  BOOST_TEST(nn::kl_div(x, target).item() == 0.2715662773853097, close);
  BOOST_TEST(nn::kl_div(x, target, {.reduction = nn::Reduction::sum}).item() ==
                 1.6293976643118582,
             close);
  const nn::KLDivLoss loss{{.reduction = nn::Reduction::batchmean}};
  BOOST_TEST(loss(x, target).item() == 0.8146988321559291, close);
  const nn::KLDivLoss of_logs{{.reduction = nn::Reduction::sum, .log_target = true}};
  BOOST_TEST(of_logs(x, log_softmax(x.value() * 2, 1)).item() == 0.21449741803711408,
             boost::test_tools::tolerance(1e-12));
  loss(x, target).backward();
  BOOST_TEST(equal(x.grad().value(), -target / 2));
  BOOST_TEST(error_of([&] { (void)nn::mse_loss(x, target, nn::Reduction::batchmean); }) ==
             "a loss: the reduction batchmean is for kl_div alone");
}

BOOST_AUTO_TEST_SUITE_END()

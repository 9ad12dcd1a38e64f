// Scores of one's own, scores that are refused, and the layer of a bilinear score.
#include <string>

#include <boost/test/unit_test.hpp>

#include <heed.h>

#include "tests/errors.h"
#include "tests/infinity.h"
#include "tests/nn/checks.h"

using namespace heed;
using nn::Mask;

BOOST_AUTO_TEST_SUITE(scores)

BOOST_AUTO_TEST_CASE(a_score_that_does_not_fit_is_refused) {
  const Variable x(randn({2, 3}));
  const auto message = [&](const nn::Score& score) {
    return error_of([&] { nn::attend(score, x, x, x); });
  };
  BOOST_TEST(message(nn::AdditiveScore{zeros({2})}) ==
             "additive_scores: queries (..., n, h), keys (..., m, h) and w (h), got (2, "
             "3), (2, 3) and (2)");
  const Variable one(randn({3, 1, 1})), keys(randn({3, 4, 1}));
  BOOST_TEST(error_of([&] {
               nn::attend(nn::GaussianScore{zeros({2})}, one, keys, keys);
             }) == "GaussianScore: w must have one element, got (2)");
  BOOST_TEST(message(nn::GaussianScore{zeros({2})}) ==
             "GaussianScore: w must have one element, got (2)");
  BOOST_TEST(message(nn::DotScore{.scale = -1}) ==
             "attention: the scale must be a positive float32, got -1");
  BOOST_TEST(message(nn::DistanceScore{.scale = 0}) ==
             "attention: the scale must be a positive float32, got 0");
  BOOST_TEST(message(nn::ScoreFormula()) == "attention: the score is an empty function");
}

// w may have any rank, as long as it has one element.
BOOST_AUTO_TEST_CASE(the_width_of_a_gaussian_is_one_number) {
  const Tensor q = randn({2, 3}), k = randn({4, 3}), v = randn({4, 2});
  const auto output = [&](const Tensor& w) {
    return nn::attend(nn::GaussianScore{w}, q, k, v).value();
  };
  BOOST_TEST(same(output(full({1, 1, 1, 1, 1}, 0.5)), output(full({}, 0.5))));
}

// A score may lack a dimension; masks and values, which broadcast, would hide that.
BOOST_AUTO_TEST_CASE(scores_that_do_not_fit_are_refused) {
  const Variable q(randn({2, 5, 8})), k(randn({2, 7, 8})), v(randn({2, 7, 6}));
  const auto message = [&](const Tensor& scores) {
    return error_of(
        [&] { nn::attend([&](auto&...) { return Variable(scores); }, q, k, v); });
  };
  const std::string start =
      "attention: the score must give (..., n, m) = (2, 5, 7) of float32, got ";
  BOOST_TEST(message(zeros({2, 1, 7})) == start + "(2, 1, 7) of float32");
  BOOST_TEST(message(zeros({5, 7})) == start + "(5, 7) of float32");
  BOOST_TEST(message(zeros({2, 7, 5})) == start + "(2, 7, 5) of float32");
  BOOST_TEST(message(zeros({2, 5, 7}, float64)) == start + "(2, 5, 7) of float64");
  BOOST_TEST(message(zeros({2, 5, 7})) == "no error");
}

// A formula may compare queries and keys of different widths.
BOOST_AUTO_TEST_CASE(a_formula_of_features_that_differ_in_number) {
  const Variable W(randn({3, 2}, float64), true);
  const Tensor q = randn({4, 3}, float64), k = randn({5, 2}, float64),
               v = randn({5, 2}, float64);
  const auto bilinear = [&](const Variable& q, const Variable& k, const Tensor& pairs) {
    return nn::DotScore{.scale = 1}(matmul(q, W), k, pairs);
  };
  const Variable y = nn::attend(bilinear, q, k, v);
  BOOST_TEST(distance(y.value(),
                      nn::attend(nn::DotScore{.scale = 1}, matmul(q, W), k, v).value()) <
             1e-12);
  const auto message = [&](const nn::Score& score) {
    return error_of([&] { nn::attend(score, q, k, v); });
  };
  BOOST_TEST(message(nn::DotScore{}).starts_with("attention: query (..., n, d), key"));
  BOOST_TEST(
      message(nn::DistanceScore{}) ==
      "DistanceScore: query (..., n, d) and key (..., m, d), got (4, 3) and (5, 2)");
}

// The cosine of README.md over keys that are padded by zeros.
BOOST_AUTO_TEST_CASE(a_cosine_of_padding) {
  const auto cosine = [](const Variable& q, const Variable& k, const Tensor& pairs) {
    const auto unit = [](const Variable& x) { return x / (norm(x, {-1}, true) + 1e-8); };
    return nn::DotScore{.scale = 1}(unit(q), unit(k), pairs);
  };
  Tensor x = randn({2, 7, 4});
  slice(x, 1, 4).fill_(0);
  const Variable W(randn({4, 4}), true);
  const Variable keys = matmul(x, W);
  const Variable y =
      nn::attend(cosine, slice(x, 1, 0, 3), keys, x, Mask::valid_lens(tensor({4, 3})));
  sum(square(y)).backward();
  BOOST_TEST(finite(y.value()) == y.numel());
  BOOST_TEST(finite(W.grad().value()) == 16);
  BOOST_TEST(max(abs(W.grad().value())).item() > 0);
}

BOOST_AUTO_TEST_CASE(bilinear_attention) {
  manual_seed(3);
  nn::BilinearAttention net(3, 5, 0, float64);
  const Tensor q = randn({2, 4, 3}, float64), k = randn({2, 6, 5}, float64),
               v = randn({2, 6, 2}, float64);
  const Tensor lens = tensor({2, 6});
  net.keep_weights = true;
  const Variable y = net(q, k, v, Mask::valid_lens(lens));
  const Tensor s = matmul(matmul(q, transpose(net.W.weight.value(), 0, 1)),
                          transpose(k, 1, 2));  // q Wᵀ k, as Linear has W
  const Tensor hidden = arange(6, int64) >= unsqueeze(unsqueeze(lens, -1), -1);
  const Tensor weights = softmax(masked_fill(s, hidden, -infinity), -1);
  BOOST_TEST(distance(net.attention_weights, weights) < 1e-12);
  BOOST_TEST(distance(y.value(), matmul(weights, v)) < 1e-12);
  BOOST_TEST(error_of([&] { net(k, k, v); }) ==
             "BilinearAttention: queries, keys and values must be (batch, n, 3), (batch, "
             "m, 5) and (batch, m, dv), got (2, 6, 5), (2, 6, 5) and (2, 6, 2)");
  BOOST_TEST(error_of([&] { net(zeros({}, float64), k, v); }) ==
             "BilinearAttention: queries, keys and values must be (batch, n, 3), (batch, "
             "m, 5) and (batch, m, dv), got (), (2, 6, 5) and (2, 6, 2)");
}

BOOST_AUTO_TEST_SUITE_END()

// Attention as functions: the policies for queries without a key, values of every shape,
// dropout, weights. Values are compared to a tolerance; what must be exact is what the
// mask hides.

#include <cmath>

#include <boost/test/unit_test.hpp>

#include <heed.h>

#include "tests/errors.h"
#include "tests/infinity.h"
#include "tests/nn/checks.h"

using namespace heed;
using nn::CausalAlign;
using nn::Dropout;
using nn::EmptyRows;
using nn::Mask;

namespace {

// softmax(scale Q Kᵀ) V written out; `allowed` broadcasts to the scores and leaves every
// query a key.
Tensor by_hand(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& allowed,
               double scale) {
  const Tensor e = exp(matmul(q, transpose(k, -2, -1)) * scale);
  const Tensor kept = where(allowed, e, 0.0);
  return matmul(kept / sum(kept, -1, true), v);
}
Tensor by_hand(const Tensor& q, const Tensor& k, const Tensor& v) {
  return by_hand(q, k, v, tensor(true), 1 / std::sqrt(static_cast<double>(q.size(-1))));
}

// A mask that leaves query 1 of three without a key.
Mask second_is_empty(EmptyRows policy) {
  return Mask::valid_lens(tensor({4, 0, 2})).empty_rows(policy);
}

}  // namespace

// --- rows without a key: the weights, the output, and all gradients

BOOST_AUTO_TEST_SUITE(rows_without_a_key)

// What masked_softmax makes of scores (3, 4), and their gradient for uneven weights.
struct Softmaxed {
  Tensor weights, gradient;
};
Softmaxed softmaxed(const Tensor& scores, EmptyRows policy) {
  const Variable x(scores, true);
  const Variable y = nn::masked_softmax(x, second_is_empty(policy));
  sum(y * square(reshape(arange(12.0), {3, 4}))).backward();
  return {y.value(), x.grad().value()};
}

// The same of attention() for queries (3, 2), keys (4, 2) and values (4, 5).
struct Attended {
  Tensor output, dq, dk, dv;
};
Attended attended(EmptyRows policy) {
  manual_seed(4);
  const Variable q(randn({3, 2}), true), k(randn({4, 2}), true), v(randn({4, 5}), true);
  const Variable y = nn::attention(q, k, v, second_is_empty(policy)).output;
  sum(y * square(reshape(arange(15.0), {3, 5}))).backward();
  return {y.value(), q.grad().value(), k.grad().value(), v.grad().value()};
}

BOOST_AUTO_TEST_CASE(are_zero_unless_told_otherwise) {
  const Tensor scores = randn({3, 4});
  const Tensor plain = nn::masked_softmax(scores, tensor({4, 0, 2})).value();
  const auto [weights, gradient] = softmaxed(scores, EmptyRows::zero);
  BOOST_TEST(same(weights, plain));
  BOOST_TEST(same(weights[1], zeros({4})));
  BOOST_TEST(same(gradient[1], zeros({4})));
  BOOST_TEST(finite(gradient) == 12);
  BOOST_TEST(max(abs(gradient[0])).item() > 0);

  const Attended all = attended(EmptyRows::zero);
  BOOST_TEST(same(all.output[1], zeros({5})));
  BOOST_TEST(same(all.dq[1], zeros({2})));
  BOOST_TEST(finite(all.output) + finite(all.dq) + finite(all.dk) + finite(all.dv) ==
             15 + 6 + 8 + 20);
}

BOOST_AUTO_TEST_CASE(may_share_evenly_among_all_keys) {
  const Tensor scores = randn({3, 4});
  const auto [weights, gradient] = softmaxed(scores, EmptyRows::uniform);
  BOOST_TEST(same(weights[1], full({4}, 0.25)));
  BOOST_TEST(same(gradient[1], zeros({4})));

  // The values get their share of the gradient, queries and keys none.
  const Attended all = attended(EmptyRows::uniform), zero = attended(EmptyRows::zero);
  manual_seed(4);
  randn({3, 2}), randn({4, 2});
  BOOST_TEST(distance(all.output[1], mean(randn({4, 5}), 0)) < 1e-6);
  BOOST_TEST(same(all.dq[1], zeros({2})));
  BOOST_TEST(distance(all.dq, zero.dq) < 1e-4);
  BOOST_TEST(distance(all.dk, zero.dk) < 1e-4);
  const Tensor share = square(arange(5.0, 10.0)) / 4;
  BOOST_TEST(distance(all.dv - zero.dv, expand(share, {4, 5})) < 1e-4);
}

BOOST_AUTO_TEST_CASE(may_be_nan_by_themselves_alone) {
  const Tensor scores = randn({3, 4});
  const auto [weights, gradient] = softmaxed(scores, EmptyRows::nan);
  for (const Tensor& x : {weights, gradient}) {
    BOOST_TEST(sum(isnan(x[1])).item() == 4);
    BOOST_TEST(finite(x) == 8);
  }
  const Attended all = attended(EmptyRows::nan);
  BOOST_TEST(sum(isnan(all.output[1])).item() == 5);
  BOOST_TEST(finite(all.output) == 10);
  BOOST_TEST(sum(isnan(all.dq[1])).item() == 2);
  BOOST_TEST(finite(all.dq) == 4);
}

BOOST_AUTO_TEST_CASE(may_be_refused) {
  BOOST_CHECK_EXCEPTION(
      softmaxed(randn({3, 4}), EmptyRows::error), Error,
      says("mask: every query must have a key to attend to, got none for query (1) of "
           "scores (3, 4):\n x x x x\n . . . .\n x x . ."));
  BOOST_CHECK_THROW(attended(EmptyRows::error), Error);
}

BOOST_AUTO_TEST_CASE(leave_the_other_rows_as_they_are) {
  const Tensor scores = randn({3, 4});
  const Softmaxed zero = softmaxed(scores, EmptyRows::zero);
  for (const EmptyRows policy : {EmptyRows::uniform, EmptyRows::nan}) {
    const auto [weights, gradient] = softmaxed(scores, policy);
    for (const int row : {0, 2}) {
      BOOST_TEST(distance(weights[row], zero.weights[row]) < 1e-6);
      BOOST_TEST(distance(gradient[row], zero.gradient[row]) < 1e-4);
    }
  }
}

BOOST_AUTO_TEST_CASE(do_not_show_what_they_hide) {
  // Scores that are no numbers, in the row without a key and at hidden keys.
  const Tensor not_finite = tensor({{1.0, 2.0, 3.0, 4.0},
                                    {not_a_number, infinity, -infinity, 0.0},
                                    {1.0, 2.0, not_a_number, infinity}});
  const Tensor finite = tensor({{1.0, 2.0, 3.0, 4.0}, {0, 0, 0, 0}, {1.0, 2.0, 0, 0}});
  for (const EmptyRows policy : {EmptyRows::zero, EmptyRows::uniform, EmptyRows::nan}) {
    const Softmaxed one = softmaxed(not_finite, policy),
                    other = softmaxed(finite, policy);
    BOOST_TEST(same(one.weights, other.weights));
    BOOST_TEST(same(one.gradient, other.gradient));
  }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(attention_as_functions)

BOOST_AUTO_TEST_CASE(is_the_formula_in_two_to_four_dimensions) {
  const auto check = [](const Shape& q_shape, const Shape& k_shape, const Shape& v_shape,
                        const Shape& scores) {
    const Tensor q = randn(q_shape, float64), k = randn(k_shape, float64),
                 v = randn(v_shape, float64);
    const nn::Attention found = nn::attention(q, k, v);
    BOOST_TEST(distance(found.output.value(), by_hand(q, k, v)) < 1e-14);
    BOOST_TEST((found.weights.shape() == scores));
    BOOST_TEST(distance(matmul(found.weights.value(), v), by_hand(q, k, v)) < 1e-14);
    const Tensor single =
        nn::attention(q.to(float32), k.to(float32), v.to(float32)).output.value();
    BOOST_TEST((single.dtype() == float32));
    BOOST_TEST(distance(single, by_hand(q, k, v)) < 1e-5);
  };
  check({5, 4}, {7, 4}, {7, 3}, {5, 7});
  check({2, 5, 4}, {2, 7, 4}, {2, 7, 3}, {2, 5, 7});
  check({2, 6, 5, 4}, {2, 6, 7, 4}, {2, 6, 7, 3}, {2, 6, 5, 7});
  // Leading dimensions broadcast.
  check({5, 4}, {2, 7, 4}, {7, 3}, {2, 5, 7});
  check({2, 1, 5, 4}, {6, 7, 4}, {1, 6, 7, 3}, {2, 6, 5, 7});
  // One query and one key; and no features, so that all keys are alike.
  check({1, 4}, {1, 4}, {1, 3}, {1, 1});
  const Tensor v = randn({7, 3});
  BOOST_TEST(distance(nn::attention(zeros({5, 0}), zeros({7, 0}), v).output.value(),
                      expand(mean(v, 0), {5, 3})) < 1e-6);
}

BOOST_AUTO_TEST_CASE(is_the_formula_over_what_is_seen) {
  const Tensor q = randn({2, 3, 5, 4}, float64), k = randn({2, 3, 7, 4}, float64),
               v = randn({2, 3, 7, 2}, float64);
  const auto check = [&](const Mask& mask, const Tensor& allowed) {
    const Tensor output = nn::attention(q, k, v, mask).output.value();
    BOOST_TEST(distance(output, by_hand(q, k, v, allowed, 0.5)) < 1e-14);
  };
  const Tensor below = tril(ones({5, 7})) != 0;
  check(Mask::causal(CausalAlign::top_left), below);
  check(Mask::causal(CausalAlign::bottom_right), tril(ones({5, 7}), 2) != 0);
  check(Mask::valid_lens(tensor({3, 6})),
        arange(7) < reshape(tensor({3, 6}), {2, 1, 1, 1}));
  const Tensor some = logical_or(rand({2, 1, 5, 7}) < 0.5, arange(7) == 0);
  check(Mask::keep(some), some);
  check(Mask::drop(logical_not(some)) & Mask::causal(CausalAlign::top_left),
        logical_and(some, below));
  // A bias is added to the scores after they are scaled.
  const Tensor bias = randn({5, 7}, float64);
  BOOST_TEST(distance(nn::attention(q, k, v, Mask::additive(bias)).weights.value(),
                      softmax(matmul(q, transpose(k, 2, 3)) * 0.5 + bias, -1)) < 1e-14);
}

BOOST_AUTO_TEST_CASE(the_tutorial_s_dictionary) {
  // apple, banana, chair with the weights 0.6, 0.4, 0: as scores their logarithms.
  const Tensor bias = log(tensor({0.6, 0.4, 0.0}, float64));
  const Tensor fruit = zeros({1, 2}, float64), keys = zeros({3, 2}, float64);
  const Tensor values = tensor({{10.0}, {5.0}, {2.0}}, float64);
  BOOST_TEST(nn::attention(fruit, keys, values, Mask::additive(bias)).output.item() == 8,
             boost::test_tools::tolerance(1e-14));
}

BOOST_AUTO_TEST_CASE(the_scale_may_be_given_or_a_temperature) {
  const Tensor q = randn({3, 4}, float64), k = randn({5, 4}, float64),
               v = randn({5, 2}, float64);
  const auto output = [&](const nn::DotScore& score) {
    return nn::attention(score, q, k, v).output.value();
  };
  BOOST_TEST(distance(output({}), output({.scale = 0.5})) < 1e-14);
  BOOST_TEST(distance(output({.temperature = 2}), output({.scale = 0.5})) < 1e-14);
  const Tensor all = tensor(true);
  BOOST_TEST(distance(output({.scale = 3}), by_hand(q, k, v, all, 3)) < 1e-14);
  BOOST_TEST(distance(output({.temperature = 8}), by_hand(q, k, v, all, 0.125)) < 1e-14);
  BOOST_CHECK_EXCEPTION(output({.scale = 1, .temperature = 1}), Error,
                        says("attention: a scale or a temperature, got both"));
  BOOST_CHECK_EXCEPTION(output({.scale = 0}), Error,
                        says("attention: the scale must be a positive float64, got 0"));
  BOOST_CHECK_EXCEPTION(
      output({.temperature = -2}), Error,
      says("attention: the temperature must be a positive float64, got -2"));
  BOOST_CHECK_EXCEPTION(output({.scale = std::nan("")}), Error,
                        says("attention: the scale must be a positive float64, got nan"));
  // A factor that the dtype cannot hold would become 0 or infinite.
  const Tensor x = randn({3, 4});
  const auto message = [&](const nn::DotScore& score) {
    return error_of([&] { nn::attend(score, x, x, x); });
  };
  BOOST_TEST(message({.scale = 1e-60}) ==
             "attention: the scale must be a positive float32, got 1e-60");
  BOOST_TEST(message({.scale = 1e60}) ==
             "attention: the scale must be a positive float32, got 1e+60");
  BOOST_TEST(message({.temperature = 1e60}) ==
             "attention: the temperature must be a positive float32, got 1e+60");
}

BOOST_AUTO_TEST_CASE(equal_scores_share_evenly_however_large) {
  const Tensor k = ones({1, 4, 1}), v = randn({1, 4, 1});
  for (const double score : {1e8, -1e8, 1e30}) {
    const Tensor q = full({1, 1, 1}, score);
    for (const bool fused : {true, false}) {
      const Variable value(v, true);
      const Variable y = fused ? nn::attend(nn::DotScore{}, q, k, value)
                               : nn::attention(q, k, value).output;
      BOOST_TEST(distance(y.value(), mean(v, 1, true)) < 1e-6);
      sum(y).backward();
      BOOST_TEST(same(value.grad().value(), full({1, 4, 1}, 0.25)));
    }
  }
}

// The way back computes the scores again. At this scale a score that differs in its last
// bit from that of the way there has another weight.
BOOST_AUTO_TEST_CASE(large_scores_of_equal_keys_have_equal_gradients) {
  for (const DType dtype : {float32, float64}) {
    for (const std::int64_t keys : {1, 9, 17, 33}) {
      const Tensor q = randn({1, 16, 64}, dtype);
      const Tensor k = expand(randn({1, 1, 64}, dtype), {1, keys, 64}).contiguous();
      const Variable v(randn({1, keys, 64}, dtype), true);
      sum(nn::attend(nn::DotScore{.scale = 1e6}, q, k, v)).backward();
      const double share = 16.0 / static_cast<double>(keys);
      BOOST_TEST(distance(v.grad().value(), full_like(v.value(), share)) < 1e-5);
    }
  }
}

BOOST_AUTO_TEST_CASE(dropout_takes_weights_away_while_training) {
  const Tensor q = randn({2, 8, 4}), k = randn({2, 9, 4}), v = randn({2, 9, 3});
  Dropout dropout(0.5);
  manual_seed(6);
  const nn::Attention training = nn::attention(q, k, v, Mask(), dropout);
  dropout.training = false;
  const nn::Attention evaluation = nn::attention(q, k, v, Mask(), dropout);
  BOOST_TEST(distance(evaluation.output.value(), by_hand(q, k, v)) < 1e-5);
  BOOST_TEST(distance(training.output.value(), evaluation.output.value()) > 0.1);
  // The weights are those before dropout; the draws are those of dropout on them.
  BOOST_TEST(distance(training.weights.value(), evaluation.weights.value()) < 1e-6);
  BOOST_TEST(distance(sum(training.weights.value(), -1), ones({2, 8})) < 1e-6);
  manual_seed(6);
  const Variable dropped = nn::dropout(training.weights, 0.5, true);
  BOOST_TEST(distance(training.output.value(), matmul(dropped, v).value()) < 1e-5);
}

BOOST_AUTO_TEST_CASE(asking_for_weights_changes_no_bit_of_the_output) {
  const nn::DotScore score;
  Dropout dropout(0.25);
  for (const DType dtype : {float32, float64}) {
    for (const std::int64_t n : {3, 70}) {
      const Tensor q = randn({2, 2, n, 8}, dtype), k = randn({2, 2, n, 8}, dtype),
                   v = randn({2, 2, n, 5}, dtype);
      for (const Mask& mask :
           {Mask(), Mask::causal(), Mask::valid_lens(tensor({2, 0})),
            Mask::keep(rand({n, n}) < 0.5), Mask::additive(randn({n, n}, dtype))}) {
        for (const bool training : {true, false}) {
          dropout.training = training;
          Tensor weights;
          manual_seed(2);
          const Variable asked = nn::attend(score, q, k, v, mask, dropout, &weights);
          manual_seed(2);
          BOOST_TEST(
              same(asked.value(), nn::attend(score, q, k, v, mask, dropout).value()));
          BOOST_TEST((weights.shape() == Shape{2, 2, n, n}));
          const Variable all = nn::attention(q, k, v, mask).weights;
          BOOST_TEST(distance(weights, all.value()) < 1e-6);
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(weights_can_be_differentiated) {
  const Variable q(randn({2, 3}), true);
  const Tensor k = randn({4, 3}), v = randn({4, 2});
  const nn::Attention result = nn::attention(q, k, v, Mask::valid_lens(tensor({3, 4})));
  sum(square(result.weights)).backward();
  BOOST_TEST(max(abs(q.grad().value())).item() > 0);
}

BOOST_AUTO_TEST_CASE(operands_that_do_not_fit_are_refused) {
  const auto message = [](const Shape& q, const Shape& k, const Shape& v) {
    return error_of([&] { nn::attention(zeros(q), zeros(k), zeros(v)); });
  };
  const std::string start =
      "attention: query (..., n, d), key (..., m, d) and value (..., m, dv) of two "
      "dimensions or more, got ";
  BOOST_TEST(message({2, 3}, {4, 5}, {4, 5}) == start + "(2, 3), (4, 5) and (4, 5)");
  BOOST_TEST(message({2, 3}, {4, 3}, {5, 3}) == start + "(2, 3), (4, 3) and (5, 3)");
  BOOST_TEST(message({3}, {4, 3}, {4, 3}) == start + "(3), (4, 3) and (4, 3)");
  BOOST_TEST(message({}, {4, 3}, {4, 3}) == start + "(), (4, 3) and (4, 3)");
  BOOST_TEST(
      message({2, 2, 3}, {3, 4, 3}, {3, 4, 3}) ==
      "attention, all but the last two dimensions: the shapes must broadcast (equal "
      "sizes, or 1), got (2) and (3)");
  BOOST_TEST(
      message({2, 2, 3}, {2, 4, 3}, {3, 4, 3}) ==
      "attention, all but the last two dimensions: the shapes must broadcast (equal "
      "sizes, or 1), got (2) and (3)");
  BOOST_TEST(error_of([] {
               nn::attention(zeros({2, 3}), zeros({4, 3}, float64), zeros({4, 3}));
             }) ==
             "attention: query, key and value must have one floating dtype, got float32, "
             "float64 and float32");
  BOOST_CHECK_EXCEPTION(
      nn::attention(zeros({2, 3}), zeros({4, 3}), zeros({4, 3}),
                    Mask::valid_lens(tensor({1, 2, 3}))),
      Error,
      says("Mask::valid_lens: for scores (queries, keys) = (2, 4) the lengths must be "
           "(2), got (3)"));
}

BOOST_AUTO_TEST_CASE(heads_are_split_and_joined) {
  const Variable x(randn({2, 3, 8}), true);
  const Variable heads = nn::split_heads(x, 4);
  BOOST_TEST((heads.shape() == Shape{2, 4, 3, 2}));
  BOOST_TEST((heads.value().storage() == x.value().storage()));
  // Head 2 has the features 4 and 5.
  BOOST_TEST(heads.value().at({1, 2, 0, 1}) == x.value().at({1, 0, 5}));
  BOOST_TEST(same(nn::join_heads(heads).value(), x.value()));
  BOOST_CHECK_EXCEPTION(
      nn::split_heads(x, 3), Error,
      says("split_heads: x (batch, n, heads * d), got (2, 3, 8) and 3 heads"));
  BOOST_CHECK_EXCEPTION(
      nn::split_heads(x, 0), Error,
      says("split_heads: x (batch, n, heads * d), got (2, 3, 8) and 0 heads"));
  BOOST_CHECK_EXCEPTION(nn::join_heads(x), Error,
                        says("join_heads: x (batch, heads, n, d), got (2, 3, 8)"));
}

BOOST_AUTO_TEST_SUITE_END()

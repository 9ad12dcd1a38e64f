// The layers of attention with one head, and positions: parameters, values, weights,
// dropout, errors. Derivatives, masks and causality have tests of their own.

#include <cmath>

#include <boost/test/unit_test.hpp>

#include <heed.h>

#include "tests/errors.h"
#include "tests/nn/layer_checks.h"

using namespace heed;
using nn::Mask;

namespace {

// The book's toy: equal keys, so that each of the valid values has the same weight. The
// values are 0 1 2 3, 4 5 6 7, ... in both sequences, of which 2 and 6 are valid.
struct Toy {
  Tensor keys = ones({2, 10, 2});
  Tensor values = expand(reshape(arange(40.0), {1, 10, 4}), {2, 10, 4});
  Mask mask = Mask::valid_lens(tensor({2, 6}));
  Tensor output = tensor({{{2.0, 3.0, 4.0, 5.0}}, {{10.0, 11.0, 12.0, 13.0}}});
  Tensor weights = where(arange(10) < reshape(tensor({2, 6}), {2, 1, 1}),
                         1.0 / reshape(tensor({2.0, 6.0}), {2, 1, 1}), 0.0);
};

template <class Layer>
void check_toy(Layer net, std::int64_t query_size) {
  const Toy toy;
  nn::eval(net);
  net.keep_weights = true;
  const Variable y = net(randn({2, 1, query_size}), toy.keys, toy.values, toy.mask);
  BOOST_TEST(distance(y.value(), toy.output) < 1e-5);
  BOOST_TEST(distance(net.attention_weights, toy.weights) < 1e-6);
  BOOST_TEST(sum(net.attention_weights != 0).item() == 2 + 6);
}

// softmax(Q Kᵀ scale) V, (b, n, d) (b, m, d) (b, m, dv) -> (b, n, dv)
Tensor by_hand(const Tensor& q, const Tensor& k, const Tensor& v, double scale) {
  return bmm(softmax(bmm(q, transpose(k, 1, 2)) * scale, -1), v);
}

Tensor apply(const nn::Linear& layer, const Tensor& x) { return layer(x).value(); }

}  // namespace

BOOST_AUTO_TEST_SUITE(layers)

// --- AdditiveAttention

BOOST_AUTO_TEST_CASE(additive_attention_is_a_layer) {
  const Tensor q = randn({2, 3, 20}), k = randn({2, 5, 2}), v = randn({2, 5, 4});
  check_layer(nn::AdditiveAttention(2, 20, 8, 0.25),
              {{"W_k.weight", "W_q.weight", "w_v.weight"},
               "AdditiveAttention(\n"
               "  (W_k): Linear(in_features=2, out_features=8, bias=False)\n"
               "  (W_q): Linear(in_features=20, out_features=8, bias=False)\n"
               "  (w_v): Linear(in_features=8, out_features=1, bias=False)\n"
               "  (dropout): Dropout(p=0.25, inplace=False)\n"
               ")",
               {2, 3, 4},
               {2, 3, 5}},
              q, k, v);
}

BOOST_AUTO_TEST_CASE(additive_attention_draws_as_pytorch_does) {
  manual_seed(0);  // torch.manual_seed(0), and the tutorial's AdditiveAttention(2, 3, 4)
  const nn::AdditiveAttention net(2, 3, 4, 0);
  BOOST_TEST(net.W_k.weight.value().at({0, 0}) == -0.005293981172144413);
  BOOST_TEST(net.W_q.weight.value().at({0, 0}) == -0.05123639851808548);
  BOOST_TEST(net.w_v.weight.value().at({0, 0}) == 0.18160855770111084);
}

BOOST_AUTO_TEST_CASE(additive_attention_compares_by_a_small_network) {
  nn::AdditiveAttention net(2, 3, 4, 0, float64);
  const Tensor q = randn({1, 2, 3}, float64), k = randn({1, 5, 2}, float64),
               v = randn({1, 5, 3}, float64);
  const Tensor hq = apply(net.W_q, q), hk = apply(net.W_k, k);
  Tensor scores = empty({1, 2, 5}, float64);
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 5; ++j) {
      double score = 0;
      for (int h = 0; h < 4; ++h) {
        score += net.w_v.weight.value().at({0, h}) *
                 std::tanh(hq.at({0, i, h}) + hk.at({0, j, h}));
      }
      scores.set({0, i, j}, score);
    }
  }
  BOOST_TEST(distance(net(q, k, v).value(), bmm(softmax(scores, -1), v)) < 1e-13);
}

BOOST_AUTO_TEST_CASE(additive_attention_has_its_derivatives_for_keys_of_another_size) {
  const nn::AdditiveAttention net(2, 3, 2, 0, float64);
  const Function f = [&](const std::vector<Variable>& in) {
    nn::AdditiveAttention layer = net;
    layer.W_k.weight = in[3], layer.W_q.weight = in[4], layer.w_v.weight = in[5];
    return layer(in[0], in[1], in[2], Mask::valid_lens(tensor({2})));
  };
  check_derivatives(
      f, {randn({1, 2, 3}, float64), randn({1, 3, 2}, float64), randn({1, 3, 1}, float64),
          net.W_k.weight.value(), net.W_q.weight.value(), net.w_v.weight.value()});
}

BOOST_AUTO_TEST_CASE(additive_attention_of_the_book_s_toy) {
  check_toy(nn::AdditiveAttention(2, 20, 8, 0.1), 20);
}

BOOST_AUTO_TEST_CASE(additive_attention_refuses_what_does_not_fit) {
  nn::AdditiveAttention net(2, 3, 4, 0);
  const auto message = [&](const Shape& q, const Shape& k, const Shape& v) {
    return error_of([&] { net(zeros(q), zeros(k), zeros(v)); });
  };
  const std::string start =
      "AdditiveAttention: queries, keys and values must be (batch, n, 3), (batch, m, 2) "
      "and (batch, m, dv), got ";
  BOOST_TEST(message({2, 3}, {5, 2}, {5, 1}) == start + "(2, 3), (5, 2) and (5, 1)");
  BOOST_TEST(message({2, 1, 3}, {3, 5, 2}, {3, 5, 1}) ==
             start + "(2, 1, 3), (3, 5, 2) and (3, 5, 1)");
  BOOST_TEST(message({2, 1, 3}, {2, 5, 2}, {2, 4, 1}) ==
             start + "(2, 1, 3), (2, 5, 2) and (2, 4, 1)");
  BOOST_TEST(message({2, 1, 2}, {2, 5, 2}, {2, 5, 1}) ==
             start + "(2, 1, 2), (2, 5, 2) and (2, 5, 1)");
  BOOST_TEST(error_of([&] {
               net(zeros({2, 1, 3}), zeros({2, 5, 2}), zeros({2, 5, 1}, float64));
             }) ==
             "AdditiveAttention: queries, keys and values must be float32, got float32, "
             "float32 and float64");
  BOOST_CHECK_EXCEPTION(
      net(zeros({2, 1, 3}), zeros({2, 5, 2}), zeros({2, 5, 1}),
          Mask::valid_lens(tensor({1, 2, 3}))),
      Error,
      says("Mask::valid_lens: for scores of shape (2, 1, 5) the lengths must be (2) or "
           "(2, 1), got (3)"));
  BOOST_CHECK_EXCEPTION(nn::AdditiveAttention(2, 3, 0, 0), Error,
                        says("Linear: both sizes must be at least 1, got 2 and 0"));
  BOOST_CHECK_EXCEPTION(nn::AdditiveAttention(2, 3, 4, 1.5), Error,
                        says("dropout: p must be from 0 to 1, got 1.5"));
}

// --- DotProductAttention and ScaledDotProductAttention

BOOST_AUTO_TEST_CASE(dot_product_attention_is_a_layer) {
  const Tensor q = randn({2, 3, 4}), k = randn({2, 5, 4}), v = randn({2, 5, 6});
  check_layer(nn::DotProductAttention(0.5),
              {{},
               "DotProductAttention(\n"
               "  (dropout): Dropout(p=0.5, inplace=False)\n"
               ")",
               {2, 3, 6},
               {2, 3, 5}},
              q, k, v);
  BOOST_TEST(nn::ScaledDotProductAttention(2).dropout.p == 0.1);
  check_layer(nn::ScaledDotProductAttention(2, 0.4),
              {{},
               "ScaledDotProductAttention(\n"
               "  (dropout): Dropout(p=0.4, inplace=False)\n"
               ")",
               {2, 3, 6},
               {2, 3, 5}},
              q, k, v);
}

BOOST_AUTO_TEST_CASE(dot_products_are_divided_by_the_temperature) {
  const Tensor q = randn({2, 3, 9}, float64), k = randn({2, 5, 9}, float64),
               v = randn({2, 5, 6}, float64);
  BOOST_TEST(distance(nn::DotProductAttention(0)(q, k, v).value(),
                      by_hand(q, k, v, 1.0 / 3)) < 1e-14);
  BOOST_TEST(distance(nn::ScaledDotProductAttention(3, 0)(q, k, v).value(),
                      by_hand(q, k, v, 1.0 / 3)) < 1e-14);
  BOOST_TEST(distance(nn::ScaledDotProductAttention(0.5, 0)(q, k, v).value(),
                      by_hand(q, k, v, 2)) < 1e-14);
  // A higher temperature makes the weights more even.
  const auto largest = [&](double temperature) {
    nn::ScaledDotProductAttention net(temperature, 0);
    net.keep_weights = true;
    net(q, k, v);
    return max(net.attention_weights).item();
  };
  BOOST_TEST(largest(0.1) > largest(1));
  BOOST_TEST(largest(1) > largest(10));
  BOOST_TEST(largest(1e6) == 0.2, boost::test_tools::tolerance(1e-4));
}

BOOST_AUTO_TEST_CASE(dot_product_attention_of_the_book_s_toy) {
  check_toy(nn::DotProductAttention(0.5), 2);
  check_toy(nn::ScaledDotProductAttention(1, 0.5), 2);
}

BOOST_AUTO_TEST_CASE(dot_product_attention_refuses_what_does_not_fit) {
  nn::DotProductAttention net(0);
  BOOST_CHECK_EXCEPTION(
      net(zeros({2, 1, 3}), zeros({2, 5, 2}), zeros({2, 5, 1})), Error,
      says("attention: query (..., n, d), key (..., m, d) and value (..., m, dv) of two "
           "dimensions or more, got (2, 1, 3), (2, 5, 2) and (2, 5, 1)"));
  BOOST_CHECK_EXCEPTION(nn::DotProductAttention(-0.5), Error,
                        says("dropout: p must be from 0 to 1, got -0.5"));
  for (const double temperature : {0.0, -1.0}) {
    BOOST_CHECK_EXCEPTION(
        nn::ScaledDotProductAttention{temperature}, Error,
        says(fmt::format("ScaledDotProductAttention: the temperature must be positive, "
                         "got {}",
                         temperature)));
  }
}

// --- GeneralAttention and SelfAttention

BOOST_AUTO_TEST_CASE(general_attention_is_a_layer) {
  check_layer(
      nn::GeneralAttention(4, 3, 2),
      {{"W_q.weight", "W_q.bias", "W_k.weight", "W_k.bias", "W_v.weight", "W_v.bias"},
       "GeneralAttention(\n"
       "  (W_q): Linear(in_features=4, out_features=3, bias=True)\n"
       "  (W_k): Linear(in_features=4, out_features=3, bias=True)\n"
       "  (W_v): Linear(in_features=4, out_features=2, bias=True)\n"
       ")",
       {2, 3, 2},
       {2, 3, 5}},
      randn({2, 3, 4}), randn({2, 5, 4}));
  check_layer(
      nn::SelfAttention(4, 5, 6),
      {{"W_q.weight", "W_q.bias", "W_k.weight", "W_k.bias", "W_v.weight", "W_v.bias"},
       "SelfAttention(\n"
       "  (W_q): Linear(in_features=4, out_features=5, bias=True)\n"
       "  (W_k): Linear(in_features=4, out_features=5, bias=True)\n"
       "  (W_v): Linear(in_features=4, out_features=6, bias=True)\n"
       ")",
       {2, 3, 6},
       {2, 3, 3}},
      randn({2, 3, 4}));
}

BOOST_AUTO_TEST_CASE(general_attention_projects_and_attends) {
  nn::GeneralAttention net(4, 3, 2, float64);
  const Tensor x = randn({2, 3, 4}, float64), y = randn({2, 5, 4}, float64);
  const auto expected = [&](const Tensor& from) {
    return by_hand(apply(net.W_q, x), apply(net.W_k, from), apply(net.W_v, from),
                   1 / std::sqrt(3.0));
  };
  BOOST_TEST(distance(net(x, y).value(), expected(y)) < 1e-14);
  BOOST_TEST(distance(net(x, x).value(), expected(x)) < 1e-14);
  nn::SelfAttention self(4, 3, 2, float64);
  nn::load_state_dict(self, nn::state_dict(net));
  BOOST_TEST(distance(self(x).value(), expected(x)) < 1e-14);
}

BOOST_AUTO_TEST_CASE(general_attention_has_the_sizes_of_the_tutorial) {
  nn::GeneralAttention net(512, 64, 64);
  BOOST_TEST(
      (net(randn({32, 10, 512}), randn({32, 20, 512})).shape() == Shape{32, 10, 64}));
  BOOST_TEST((nn::GeneralAttention(6).W_q.weight.shape() == Shape{6, 6}));
  BOOST_TEST((nn::GeneralAttention(6, 2).W_v.weight.shape() == Shape{6, 6}));
  BOOST_TEST((nn::SelfAttention(4, 5, 6)(randn({2, 3, 4})).shape() == Shape{2, 3, 6}));
}

BOOST_AUTO_TEST_CASE(general_attention_refuses_what_does_not_fit) {
  nn::GeneralAttention net(4);
  const std::string start =
      "GeneralAttention: queries, keys and values must be (batch, n, 4), (batch, m, 4) "
      "and (batch, m, 4), got ";
  BOOST_CHECK_EXCEPTION(net(zeros({3, 4}), zeros({2, 5, 4})), Error,
                        says(start + "(3, 4), (2, 5, 4) and (2, 5, 4)"));
  BOOST_CHECK_EXCEPTION(net(zeros({1, 3, 4}), zeros({2, 5, 4})), Error,
                        says(start + "(1, 3, 4), (2, 5, 4) and (2, 5, 4)"));
  BOOST_CHECK_EXCEPTION(net(zeros({2, 3, 4}), zeros({2, 5, 3})), Error,
                        says(start + "(2, 3, 4), (2, 5, 3) and (2, 5, 3)"));
  BOOST_CHECK_EXCEPTION(nn::GeneralAttention(4, 0), Error,
                        says("Linear: both sizes must be at least 1, got 4 and 0"));
}

// --- PositionalEncoding

BOOST_AUTO_TEST_CASE(positions_are_sines_and_cosines) {
  const nn::PositionalEncoding net(32, 0, 60);
  const Tensor P = net.P[0];
  BOOST_TEST((net.P.shape() == Shape{1, 60, 32}));
  const Tensor wanted = tensor({0.841471, 0.540302, 0.176892, 0.984230});
  BOOST_TEST(distance(index_select(P[1], 0, tensor({0, 1, 6, 7})), wanted) < 1e-5);
  for (const int i : {0, 1, 17, 59}) {
    for (const int j : {0, 5, 15}) {
      const double angle = i / std::pow(10000, 2.0 * j / 32);
      BOOST_TEST(std::abs(P.at({i, 2 * j}) - std::sin(angle)) < 1e-5);
      BOOST_TEST(std::abs(P.at({i, 2 * j + 1}) - std::cos(angle)) < 1e-5);
    }
  }
  // An odd width ends with a sine.
  const Tensor odd = nn::PositionalEncoding(3, 0, 5, float64).P[0];
  BOOST_TEST(odd.at({2, 1}) == std::cos(2.0), boost::test_tools::tolerance(1e-12));
  BOOST_TEST(odd.at({2, 2}) == std::sin(2 / std::pow(10000, 2.0 / 3)),
             boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(positions_are_added) {
  nn::PositionalEncoding net(6, 0.5, 8);
  nn::eval(net);
  const Tensor x = randn({2, 5, 6});
  BOOST_TEST(same(net(x).value(), x + slice(net.P, 1, 0, 5)));
  nn::train(net);
  const Tensor y = net(x).value();
  BOOST_TEST(sum(y == 0).item() > 10);
  BOOST_TEST(sum(y == 0).item() < 50);
  const Tensor kept = masked_select(y / (2 * (x + slice(net.P, 1, 0, 5))), y != 0);
  BOOST_TEST(distance(kept, ones_like(kept)) < 1e-6);
  // Constant: nothing to train or save.
  BOOST_TEST(nn::state_dict(net).empty());
  BOOST_TEST(nn::to_string(net) ==
             "PositionalEncoding(\n  (dropout): Dropout(p=0.5, inplace=False)\n)");
}

BOOST_AUTO_TEST_CASE(positions_refuse_what_does_not_fit) {
  const nn::PositionalEncoding net(6, 0, 8);
  for (const Shape& shape : {Shape{2, 9, 6}, Shape{2, 5, 4}, Shape{5, 6}}) {
    BOOST_CHECK_EXCEPTION(
        net(zeros(shape)), Error,
        says(fmt::format("PositionalEncoding: x must be (batch, at most 8, 6), got {}",
                         shape)));
  }
  BOOST_CHECK_EXCEPTION(
      nn::PositionalEncoding(0, 0), Error,
      says("PositionalEncoding: both sizes must be at least 1, got 0 and 1000"));
  BOOST_CHECK_EXCEPTION(nn::PositionalEncoding(4, 2), Error,
                        says("dropout: p must be from 0 to 1, got 2"));
}

BOOST_AUTO_TEST_SUITE_END()

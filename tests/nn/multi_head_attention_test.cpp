// The layers of attention with several heads: parameters, values, weights, dropout,
// errors. Derivatives, masks and causality have tests of their own.

#include <cmath>

#include <boost/test/unit_test.hpp>

#include <heed.h>

#include "tests/errors.h"
#include "tests/nn/layer_checks.h"

using namespace heed;
using nn::CausalAlign;
using nn::Mask;

namespace {

// Concat(head_1, ..., head_h), head_i = softmax(Q_i K_iᵀ / √d) V_i, head by head;
// `allowed` (n, m) leaves every query a key.
Tensor heads_by_hand(const Tensor& q, const Tensor& k, const Tensor& v, int heads,
                     const Tensor& allowed) {
  const auto part = [heads](const Tensor& x, int i) {
    const std::int64_t width = x.size(2) / heads;
    return slice(x, 2, i * width, (i + 1) * width);
  };
  std::vector<Tensor> parts;
  for (int i = 0; i < heads; ++i) {
    const Tensor qi = part(q, i), ki = part(k, i);
    const Tensor e =
        exp(matmul(qi, transpose(ki, 1, 2)) / std::sqrt(static_cast<double>(qi.size(2))));
    const Tensor kept = where(allowed, e, 0.0);
    parts.push_back(matmul(kept / sum(kept, -1, true), part(v, i)));
  }
  return cat(parts, 2);
}

Tensor apply(const nn::Linear& layer, const Tensor& x) { return layer(x).value(); }

const Tensor everything = tensor(true);

const nn::CausalMultiHeadAttentionOptions small = {
    .dim = 6, .n_heads = 3, .max_seq_len = 8, .dtype = float64};

}  // namespace

BOOST_AUTO_TEST_SUITE(layers_with_heads)

// --- MultiHeadAttention

BOOST_AUTO_TEST_CASE(multi_head_attention_is_a_layer) {
  const std::vector<std::string> biased = {"W_q.weight", "W_q.bias",   "W_k.weight",
                                           "W_k.bias",   "W_v.weight", "W_v.bias",
                                           "W_o.weight", "W_o.bias"};
  const std::string printed =
      "MultiHeadAttention(\n"
      "  (W_q): Linear(in_features=4, out_features=6, bias=True)\n"
      "  (W_k): Linear(in_features=4, out_features=6, bias=True)\n"
      "  (W_v): Linear(in_features=4, out_features=9, bias=True)\n"
      "  (W_o): Linear(in_features=9, out_features=4, bias=True)\n"
      "  (dropout): Dropout(p=0.0, inplace=False)\n"
      ")";
  const nn::MultiHeadAttention net(4, 6, 9, 3);
  check_layer(net, {biased, printed, {2, 5, 4}, {2, 3, 5, 5}}, randn({2, 5, 4}));
  check_layer(net, {biased, printed, {2, 5, 4}, {2, 3, 5, 7}}, randn({2, 5, 4}),
              randn({2, 7, 4}), randn({2, 7, 4}));
}

BOOST_AUTO_TEST_CASE(multi_head_attention_of_the_book_is_a_layer) {
  check_layer(nn::MultiHeadAttention(2, 3, 4, 6, 2, 0.5),
              {{"W_q.weight", "W_k.weight", "W_v.weight", "W_o.weight"},
               "MultiHeadAttention(\n"
               "  (W_q): Linear(in_features=3, out_features=6, bias=False)\n"
               "  (W_k): Linear(in_features=2, out_features=6, bias=False)\n"
               "  (W_v): Linear(in_features=4, out_features=6, bias=False)\n"
               "  (W_o): Linear(in_features=6, out_features=6, bias=False)\n"
               "  (dropout): Dropout(p=0.5, inplace=False)\n"
               ")",
               {2, 5, 6},
               {2, 2, 5, 7}},
              randn({2, 5, 3}), randn({2, 7, 2}), randn({2, 7, 4}));
  nn::MultiHeadAttention biased(2, 3, 4, 6, 2, 0.5, {.bias = true});
  BOOST_TEST(nn::parameters(biased).size() == 8u);
}

BOOST_AUTO_TEST_CASE(multi_head_attention_draws_as_pytorch_does) {
  manual_seed(
      0);  // torch.manual_seed(0), and the tutorial's MultiHeadAttention(4, 8, 4, 2)
  const nn::MultiHeadAttention net(4, 8, 4, 2);
  BOOST_TEST(net.W_q.weight.value().at({0, 0}) == -0.003743410110473633);
  BOOST_TEST(net.W_k.bias.value().at({0}) == 0.19650495052337646);
  BOOST_TEST(net.W_o.weight.value().at({0, 0}) == 0.4703746438026428);
}

BOOST_AUTO_TEST_CASE(multi_head_attention_is_attention_in_parts_of_the_features) {
  nn::MultiHeadAttention net(4, 6, 9, 3, float64);
  const Tensor x = randn({2, 5, 4}, float64), y = randn({2, 7, 4}, float64),
               z = randn({2, 7, 4}, float64);
  const auto expected = [&](const Tensor& q, const Tensor& k, const Tensor& v) {
    return apply(net.W_o, heads_by_hand(apply(net.W_q, q), apply(net.W_k, k),
                                        apply(net.W_v, v), 3, everything));
  };
  BOOST_TEST(distance(net(x).value(), expected(x, x, x)) < 1e-14);
  BOOST_TEST(distance(net(x, y, z).value(), expected(x, y, z)) < 1e-14);
  // One head is GeneralAttention, and a projection.
  nn::MultiHeadAttention one(4, 3, 2, 1, float64);
  nn::GeneralAttention general(4, 3, 2, float64);
  general.W_q = one.W_q, general.W_k = one.W_k, general.W_v = one.W_v;
  BOOST_TEST(distance(one(x, y, y).value(), one.W_o(general(x, y)).value()) < 1e-14);
}

BOOST_AUTO_TEST_CASE(multi_head_attention_has_the_sizes_of_the_book) {
  nn::MultiHeadAttention net(100, 100, 100, 100, 5, 0.5);
  nn::eval(net);
  net.keep_weights = true;
  const Tensor x = ones({2, 4, 100}), y = ones({2, 6, 100});
  BOOST_TEST(
      (net(x, y, y, Mask::valid_lens(tensor({3, 2}))).shape() == Shape{2, 4, 100}));
  BOOST_TEST((net.attention_weights.shape() == Shape{2, 5, 4, 6}));
  // Equal keys: every head shares evenly among 3, and among 2.
  BOOST_TEST(distance(net.attention_weights[0][4][3],
                      tensor({1.0, 1.0, 1.0, 0.0, 0.0, 0.0}) / 3) < 1e-6);
  BOOST_TEST(distance(net.attention_weights[1][0][0],
                      tensor({1.0, 1.0, 0.0, 0.0, 0.0, 0.0}) / 2) < 1e-6);
  nn::MultiHeadAttention tutorial(4, 8, 8, 4);
  BOOST_TEST((tutorial(randn({2, 3, 4})).shape() == Shape{2, 3, 4}));
}

BOOST_AUTO_TEST_CASE(each_head_may_have_a_mask_of_its_own) {
  nn::MultiHeadAttention net(4, 6, 6, 3, float64);
  net.keep_weights = true;
  Tensor keep = ones({1, 3, 5, 5}, boolean);  // (1, heads, n, m)
  select(select(keep, 1, 1), 2, 4).fill_(0);  // head 1 does not see key 4
  net(randn({2, 5, 4}, float64), Mask::keep(keep));
  BOOST_TEST(
      same(net.attention_weights == 0, expand(logical_not(keep), {2, 3, 5, 5}).clone()));
}

BOOST_AUTO_TEST_CASE(multi_head_attention_refuses_what_does_not_fit) {
  BOOST_CHECK_EXCEPTION(nn::MultiHeadAttention(4, 6, 8, 4), Error,
                        says("MultiHeadAttention: d_k must be a multiple of num_heads, "
                             "got 6 and 4"));
  BOOST_CHECK_EXCEPTION(nn::MultiHeadAttention(4, 8, 6, 4), Error,
                        says("MultiHeadAttention: d_v must be a multiple of num_heads, "
                             "got 6 and 4"));
  BOOST_CHECK_EXCEPTION(nn::MultiHeadAttention(4, 4, 4, 7, 2, 0.0), Error,
                        says("MultiHeadAttention: num_hiddens must be a multiple of "
                             "num_heads, got 7 and 2"));
  BOOST_CHECK_EXCEPTION(nn::MultiHeadAttention(4, 4, 4, 0), Error,
                        says("MultiHeadAttention: num_heads must be at least 1, got 0"));
  BOOST_CHECK_EXCEPTION(nn::MultiHeadAttention(4, 4, 4, -2), Error,
                        says("MultiHeadAttention: num_heads must be at least 1, got -2"));
  BOOST_CHECK_EXCEPTION(nn::MultiHeadAttention(4, 4, 4, 8, 2, 2.0), Error,
                        says("dropout: p must be from 0 to 1, got 2"));
  BOOST_CHECK_EXCEPTION(nn::MultiHeadAttention(4, 0, 4, 2), Error,
                        says("Linear: both sizes must be at least 1, got 4 and 0"));

  nn::MultiHeadAttention net(2, 3, 4, 6, 2, 0);
  const auto message = [&](const Shape& q, const Shape& k, const Shape& v) {
    return error_of([&] { net(zeros(q), zeros(k), zeros(v)); });
  };
  const std::string start =
      "MultiHeadAttention: queries, keys and values must be (batch, n, 3), (batch, m, 2) "
      "and (batch, m, 4), got ";
  BOOST_TEST(message({5, 3}, {7, 2}, {7, 4}) == start + "(5, 3), (7, 2) and (7, 4)");
  BOOST_TEST(message({2, 5, 3}, {1, 7, 2}, {1, 7, 4}) ==
             start + "(2, 5, 3), (1, 7, 2) and (1, 7, 4)");
  BOOST_TEST(message({2, 5, 3}, {2, 7, 2}, {2, 6, 4}) ==
             start + "(2, 5, 3), (2, 7, 2) and (2, 6, 4)");
  BOOST_TEST(message({2, 5, 2}, {2, 7, 2}, {2, 7, 4}) ==
             start + "(2, 5, 2), (2, 7, 2) and (2, 7, 4)");
  BOOST_TEST(message({2, 5, 3}, {2, 7, 2}, {2, 7, 3}) ==
             start + "(2, 5, 3), (2, 7, 2) and (2, 7, 3)");
  BOOST_TEST(error_of([&] {
               net(zeros({2, 5, 3}), zeros({2, 7, 2}, float64), zeros({2, 7, 4}));
             }) ==
             "MultiHeadAttention: queries, keys and values must be float32, got float32, "
             "float64 and float32");
  BOOST_CHECK_EXCEPTION(
      net(zeros({2, 5, 3}), zeros({2, 7, 2}), zeros({2, 7, 4}),
          Mask::keep(ones({2, 5, 7}, boolean))),
      Error,
      says("mask: for scores (2, 2, 5, 7) a mask of 3 dimensions is ambiguous, got "
           "(2, 5, 7); give it all dimensions, such as (batch, 1, queries, keys), or the "
           "size 1 first"));
}

// --- CausalMultiHeadAttention

BOOST_AUTO_TEST_CASE(causal_multi_head_attention_is_a_layer) {
  const std::vector<std::string> names = {"wq.weight", "wk.weight", "wv.weight",
                                          "wo.weight"};
  const std::string printed =
      "CausalMultiHeadAttention(\n"
      "  (wq): Linear(in_features=8, out_features=8, bias=False)\n"
      "  (wk): Linear(in_features=8, out_features=8, bias=False)\n"
      "  (wv): Linear(in_features=8, out_features=8, bias=False)\n"
      "  (wo): Linear(in_features=8, out_features=8, bias=False)\n"
      "  (attn_dropout): Dropout(p=0.25, inplace=False)\n"
      "  (resid_dropout): Dropout(p=0.25, inplace=False)\n"
      ")";
  nn::CausalMultiHeadAttentionOptions options = {
      .dim = 8, .n_heads = 2, .max_seq_len = 10, .dropout = 0.25};
  check_layer(nn::CausalMultiHeadAttention(options),
              {names, printed, {2, 5, 8}, {2, 2, 5, 5}}, randn({2, 5, 8}));
  options.align = CausalAlign::bottom_right;
  check_layer(nn::CausalMultiHeadAttention(options),
              {names, printed, {2, 5, 8}, {2, 2, 5, 7}}, randn({2, 5, 8}),
              randn({2, 7, 8}), randn({2, 7, 8}));
}

BOOST_AUTO_TEST_CASE(causal_multi_head_attention_draws_as_pytorch_does) {
  manual_seed(0);  // torch.manual_seed(0), and the tutorial's with dim 4 and 2 heads
  const nn::CausalMultiHeadAttention net({.dim = 4, .n_heads = 2, .max_seq_len = 8});
  BOOST_TEST(net.wq.weight.value().at({0, 0}) == -0.003743410110473633);
  BOOST_TEST(net.wk.weight.value().at({0, 0}) == 0.19766759872436523);
  BOOST_TEST(net.wo.weight.value().at({0, 0}) == -0.2217475175857544);
}

BOOST_AUTO_TEST_CASE(causal_multi_head_attention_sees_the_past) {
  const Tensor x = randn({2, 5, 6}, float64), y = randn({2, 7, 6}, float64),
               z = randn({2, 7, 6}, float64);
  const auto expected = [](const nn::CausalMultiHeadAttention& net, const Tensor& q,
                           const Tensor& k, const Tensor& v, const Tensor& allowed) {
    return apply(net.wo, heads_by_hand(apply(net.wq, q), apply(net.wk, k),
                                       apply(net.wv, v), 3, allowed));
  };
  nn::CausalMultiHeadAttention net(small);
  const Tensor past = tril(ones({5, 5})) != 0;
  BOOST_TEST(distance(net(x).value(), expected(net, x, x, x, past)) < 1e-14);
  BOOST_TEST(distance(net(x, x, x).value(), net(x).value()) < 1e-14);
  // A further mask hides more.
  const Tensor some = arange(5) != 1;
  BOOST_TEST(distance(net(x, Mask::keep(some)).value(),
                      expected(net, x, x, x, logical_and(past, some))) < 1e-14);

  nn::CausalMultiHeadAttentionOptions options = small;
  options.align = CausalAlign::bottom_right;
  nn::CausalMultiHeadAttention cached(options);
  BOOST_TEST(distance(cached(x, y, z).value(),
                      expected(cached, x, y, z, tril(ones({5, 7}), 2) != 0)) < 1e-14);
  options.is_causal = false;
  nn::CausalMultiHeadAttention cross(options);
  BOOST_TEST(distance(cross(x, y, z).value(), expected(cross, x, y, z, everything)) <
             1e-14);
}

BOOST_AUTO_TEST_CASE(causal_multi_head_attention_drops_weights_and_its_result) {
  const Tensor x = randn({2, 5, 6}, float64);
  nn::CausalMultiHeadAttentionOptions options = small;
  options.dropout = 0.5;
  nn::CausalMultiHeadAttention net(options);
  // resid_dropout makes half the features of the result 0, but not in evaluation.
  const auto zeros_in = [&] { return sum(net(x).value() == 0).item(); };
  manual_seed(1);
  BOOST_TEST(zeros_in() > 15);
  net.resid_dropout.training = false;
  BOOST_TEST(zeros_in() < 15);
  BOOST_TEST(!same(net(x).value(), net(x).value()));
  net.dropout.training = false;
  BOOST_TEST(zeros_in() == 0);
  BOOST_TEST(same(net(x).value(), net(x).value()));
}

BOOST_AUTO_TEST_CASE(causal_multi_head_attention_refuses_what_does_not_fit) {
  using nn::CausalMultiHeadAttention;
  BOOST_CHECK_EXCEPTION(
      CausalMultiHeadAttention({.dim = 6, .n_heads = 4, .max_seq_len = 8}), Error,
      says("CausalMultiHeadAttention: dim must be a multiple of n_heads, got 6 and 4"));
  BOOST_CHECK_EXCEPTION(
      CausalMultiHeadAttention({.dim = 6, .n_heads = 0, .max_seq_len = 8}), Error,
      says("CausalMultiHeadAttention: n_heads must be at least 1, got 0"));
  BOOST_CHECK_EXCEPTION(
      CausalMultiHeadAttention({.dim = 6, .n_heads = 2, .max_seq_len = 0}), Error,
      says("CausalMultiHeadAttention: max_seq_len must be at least 1, got 0"));
  BOOST_CHECK_EXCEPTION(
      CausalMultiHeadAttention({.dim = 0, .n_heads = 2, .max_seq_len = 8}), Error,
      says("Linear: both sizes must be at least 1, got 0 and 0"));
  BOOST_CHECK_EXCEPTION(
      CausalMultiHeadAttention({.dim = 6, .n_heads = 2, .max_seq_len = 8, .dropout = -1}),
      Error, says("dropout: p must be from 0 to 1, got -1"));

  CausalMultiHeadAttention net(small);
  const auto message = [&](const Shape& q, const Shape& k, const Shape& v) {
    return error_of(
        [&] { net(zeros(q, float64), zeros(k, float64), zeros(v, float64)); });
  };
  const std::string start =
      "CausalMultiHeadAttention: queries, keys and values must be (batch, n, 6), (batch, "
      "m, 6) and (batch, m, 6), got ";
  BOOST_TEST(message({5, 6}, {5, 6}, {5, 6}) == start + "(5, 6), (5, 6) and (5, 6)");
  BOOST_TEST(message({1, 5, 6}, {1, 5, 6}, {1, 4, 6}) ==
             start + "(1, 5, 6), (1, 5, 6) and (1, 4, 6)");
  BOOST_TEST(message({1, 5, 6}, {2, 5, 6}, {2, 5, 6}) ==
             start + "(1, 5, 6), (2, 5, 6) and (2, 5, 6)");
  BOOST_TEST(message({1, 5, 4}, {1, 5, 6}, {1, 5, 6}) ==
             start + "(1, 5, 4), (1, 5, 6) and (1, 5, 6)");
  BOOST_TEST(message({1, 9, 6}, {1, 9, 6}, {1, 9, 6}) ==
             "CausalMultiHeadAttention: a sequence must not be longer than max_seq_len = "
             "8, got 9 queries and 9 keys");
  BOOST_TEST(message({1, 5, 6}, {1, 9, 6}, {1, 9, 6}) ==
             "CausalMultiHeadAttention: a sequence must not be longer than max_seq_len = "
             "8, got 5 queries and 9 keys");
  BOOST_TEST(message({1, 1, 6}, {1, 2, 6}, {1, 2, 6}) ==
             "Mask::causal: for 1 queries and 2 keys say which corner the diagonal "
             "touches:\nCausalAlign::top_left\n x .\nCausalAlign::bottom_right\n x x");
  // Only a causal sequence is bounded.
  nn::CausalMultiHeadAttentionOptions options = small;
  options.is_causal = false;
  CausalMultiHeadAttention seeing(options);
  BOOST_TEST((seeing(randn({1, 9, 6}, float64)).shape() == Shape{1, 9, 6}));
}

BOOST_AUTO_TEST_SUITE_END()

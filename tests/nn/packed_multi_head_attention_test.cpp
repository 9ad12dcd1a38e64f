// Attention with its three projections in one parameter.

#include <limits>

#include <boost/test/unit_test.hpp>

#include <heed.h>

#include "tests/errors.h"
#include "tests/nn/module_checks.h"

using namespace heed;

namespace {

using Attention = nn::PackedMultiHeadAttention;

constexpr std::int64_t embed_dim = 4, num_heads = 2;

Attention attention(bool bias = true) {
  return randomised(Attention(embed_dim, num_heads, {.bias = bias, .dtype = float64}));
}

Tensor sequence(std::int64_t batch, std::int64_t n) {
  return randn({batch, n, embed_dim}, float64);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(packed_multi_head_attention)

BOOST_AUTO_TEST_CASE(parameters_have_pytorch_s_names_and_order) {
  BOOST_TEST(parameter_names(attention()) ==
             "in_proj_weight in_proj_bias out_proj.weight out_proj.bias ");
  BOOST_TEST(parameter_names(attention(false)) == "in_proj_weight out_proj.weight ");
}

BOOST_AUTO_TEST_CASE(it_draws_pytorch_s_initial_values) {
  manual_seed(0);  // torch.manual_seed(0); torch.nn.MultiheadAttention(2, 1)
  const Attention net(2, 1);
  BOOST_TEST((net.in_proj_weight.shape() == Shape{6, 2}));
  BOOST_TEST(net.out_proj.weight.value().at({0, 1}) == 0.3793229f);
  BOOST_TEST(net.in_proj_weight.value().at({0, 0}) == -0.017158717f);
  BOOST_TEST(net.in_proj_weight.value().at({5, 1}) == 0.51963496f);
  BOOST_TEST(!any(net.in_proj_bias.value()).item());
  BOOST_TEST(!any(net.out_proj.bias.value()).item());
}

BOOST_AUTO_TEST_CASE(it_computes_what_multi_head_attention_computes) {
  manual_seed(1);
  Attention packed = attention();
  nn::MultiHeadAttention plain(embed_dim, embed_dim, embed_dim, num_heads, float64);
  const std::vector<Tensor> weights = chunk(packed.in_proj_weight.value(), 3),
                            biases = chunk(packed.in_proj_bias.value(), 3);
  nn::load_state_dict(plain, {{"W_q.weight", weights[0]},
                              {"W_q.bias", biases[0]},
                              {"W_k.weight", weights[1]},
                              {"W_k.bias", biases[1]},
                              {"W_v.weight", weights[2]},
                              {"W_v.bias", biases[2]},
                              {"W_o.weight", packed.out_proj.weight.value()},
                              {"W_o.bias", packed.out_proj.bias.value()}});
  const Tensor q = sequence(2, 3), k = sequence(2, 5), v = sequence(2, 5);
  const nn::Mask lens = nn::Mask::valid_lens(tensor({5, 2})), causal = nn::Mask::causal();
  const Tensor cross = packed(q, k, v, lens).value(), self = packed(v, causal).value();
  BOOST_TEST(distance(cross, plain(q, k, v, lens).value()) < 1e-14);
  BOOST_TEST(distance(self, plain(v, causal).value()) < 1e-14);
}

BOOST_AUTO_TEST_CASE(keeping_the_weights_changes_nothing) {
  manual_seed(2);
  Attention net(embed_dim, num_heads, {.dropout = 0.5});
  const Tensor queries = randn({2, 3, 4}), memory = randn({2, 5, 4});
  const auto run = [&] {
    manual_seed(3);
    return net(queries, memory, memory, nn::Mask::valid_lens(tensor({5, 2}))).value();
  };
  const Tensor before = run();
  BOOST_TEST(!net.attention_weights.defined());
  net.keep_weights = true;
  BOOST_TEST(same(run(), before));
  const Tensor weights = net.attention_weights;
  BOOST_TEST((weights.shape() == Shape{2, 2, 3, 5}));
  BOOST_TEST(distance(sum(weights, -1), ones({2, 2, 3})) < 1e-6);  // before dropout
  BOOST_TEST(weights.at({0, 1, 0, 4}) > 0);
  BOOST_TEST(weights.at({1, 1, 0, 2}) == 0);
}

BOOST_AUTO_TEST_CASE(a_nan_in_the_padding_stays_there) {
  manual_seed(4);
  Attention net = attention();
  const Tensor queries = sequence(2, 3), memory = sequence(2, 5);
  slice(memory[1], 0, 2).fill_(std::numeric_limits<double>::quiet_NaN());
  const Variable y = net(queries, memory, memory, nn::Mask::valid_lens(tensor({5, 2})));
  BOOST_TEST(all(isfinite(y.value())).item());
  sum(y * y).backward();
  for (const auto& [name, parameter] : nn::named_parameters(net)) {
    BOOST_TEST(all(isfinite(parameter.grad().value())).item(), name);
  }
}

BOOST_AUTO_TEST_CASE(every_leaf_is_listed_and_has_its_derivatives) {
  for (const bool bias : {true, false}) {
    manual_seed(5);
    Attention net = attention(bias);
    const Tensor q = sequence(1, 2), k = sequence(1, 3), v = sequence(1, 3);
    BOOST_TEST(unlisted(net, q, k, v) == "");
    check_all_derivatives(net, {q, k, v}, [](auto& own, const auto& in) {
      return own(in[0], in[1], in[2]);
    });
  }
}

BOOST_AUTO_TEST_CASE(what_does_not_fit_is_refused) {
  BOOST_TEST(error_of([] { Attention(4, 0); }) ==
             "PackedMultiHeadAttention: num_heads must be at least 1, got 0");
  BOOST_TEST(error_of([] { Attention(6, 4); }) ==
             "PackedMultiHeadAttention: embed_dim must be a multiple of num_heads, got 6 "
             "and 4");
  BOOST_TEST(error_of([] { Attention(0, 2); }) ==
             "Linear: both sizes must be at least 1, got 0 and 0");
  BOOST_TEST(error_of([] { Attention(4, 2, {.dropout = -0.5}); }) ==
             "dropout: p must be from 0 to 1, got -0.5");
  Attention net = attention();
  const Tensor q = sequence(2, 3), k = sequence(2, 5);
  const std::string shapes =
      "PackedMultiHeadAttention: queries, keys and values must be (batch, n, 4), (batch, "
      "m, 4) and (batch, m, 4), ";
  BOOST_TEST(error_of([&] { net(q[0]); }) == shapes + "got (3, 4), (3, 4) and (3, 4)");
  BOOST_TEST(error_of([&] { net(q, k, q); }) ==
             shapes + "got (2, 3, 4), (2, 5, 4) and (2, 3, 4)");
  BOOST_TEST(error_of([&] { net(q, k[0], k[0]); }) ==
             shapes + "got (2, 3, 4), (5, 4) and (5, 4)");
  BOOST_TEST(error_of([&] { net(q, sequence(3, 5), k); }) ==
             shapes + "got (2, 3, 4), (3, 5, 4) and (2, 5, 4)");
  BOOST_TEST(error_of([&] {
               net(randn({2, 3, 6}, float64));
             }) == shapes + "got (2, 3, 6), (2, 3, 6) and (2, 3, 6)");
}

BOOST_AUTO_TEST_SUITE_END()

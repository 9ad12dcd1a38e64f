// The transformer's layers and stacks. Their numbers are held against PyTorch's in
// tests/golden; here is what holds for any numbers.

#include <boost/test/unit_test.hpp>
#include <fmt/core.h>

#include <heed.h>

#include "tests/errors.h"
#include "tests/nn/module_checks.h"

using namespace heed;
using nn::NormOrder, nn::TransformerDecoder, nn::TransformerDecoderLayer,
    nn::TransformerEncoder, nn::TransformerEncoderLayer;

namespace {

constexpr std::int64_t d_model = 4, heads = 2;

// Small, smooth, in float64, without dropout.
nn::TransformerLayerOptions tiny(NormOrder order) {
  return {.dim_feedforward = 3,
          .dropout = 0,
          .activation = nn::Activation::gelu,
          .norm_order = order,
          .dtype = float64};
}

TransformerEncoderLayer encoder_layer(NormOrder order) {
  return randomised(TransformerEncoderLayer(d_model, heads, tiny(order)));
}
TransformerDecoderLayer decoder_layer(NormOrder order) {
  return randomised(TransformerDecoderLayer(d_model, heads, tiny(order)));
}

Tensor sequence(std::int64_t batch, std::int64_t n) {
  return randn({batch, n, d_model}, float64);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(transformer)

// --- names, values, printing

BOOST_AUTO_TEST_CASE(parameters_have_pytorch_s_names_and_order) {
  // [name for name, _ in torch.nn.TransformerEncoderLayer(4, 2, 3).named_parameters()]
  BOOST_TEST(parameter_names(encoder_layer(NormOrder::post)) ==
             "self_attn.in_proj_weight self_attn.in_proj_bias self_attn.out_proj.weight "
             "self_attn.out_proj.bias linear1.weight linear1.bias linear2.weight "
             "linear2.bias norm1.weight norm1.bias norm2.weight norm2.bias ");
  BOOST_TEST(
      parameter_names(decoder_layer(NormOrder::pre)) ==
      "self_attn.in_proj_weight self_attn.in_proj_bias self_attn.out_proj.weight "
      "self_attn.out_proj.bias multihead_attn.in_proj_weight multihead_attn.in_proj_bias "
      "multihead_attn.out_proj.weight multihead_attn.out_proj.bias linear1.weight "
      "linear1.bias linear2.weight linear2.bias norm1.weight norm1.bias norm2.weight "
      "norm2.bias norm3.weight norm3.bias ");
  const auto layer = encoder_layer(NormOrder::pre);
  const std::string two = parameter_names(TransformerEncoder(layer, 2, nn::LayerNorm(4)));
  BOOST_TEST(two.starts_with("layers.0.self_attn.in_proj_weight "));
  BOOST_TEST(two.find(" layers.1.self_attn.in_proj_weight ") != two.npos);
  BOOST_TEST(two.ends_with(" layers.1.norm2.bias norm.weight norm.bias "));
  BOOST_TEST(parameter_names(TransformerDecoder(decoder_layer(NormOrder::pre), 1))
                 .ends_with(" layers.0.norm3.bias "));
}

BOOST_AUTO_TEST_CASE(the_defaults_are_pytorch_s) {
  const TransformerEncoderLayer layer(8, 2);
  BOOST_TEST(layer.linear1.weight.size(0) == 2048);
  BOOST_TEST(layer.self_attn.dropout.p == 0.1);
  BOOST_TEST(layer.dropout2.p == 0.1);
  BOOST_TEST(layer.norm2.eps == 1e-5);
  BOOST_TEST((layer.activation == nn::Activation::relu));
  BOOST_TEST((layer.norm_order == NormOrder::post));
}

BOOST_AUTO_TEST_CASE(a_layer_prints_its_parts) {
  TransformerEncoder net(
      TransformerEncoderLayer(4, 2, {.dim_feedforward = 3, .dropout = 0.25}), 1,
      nn::LayerNorm(4));
  const std::string expected = fmt::format(
      "TransformerEncoder(\n"
      "  (layers): ModuleList(\n"
      "    (0): TransformerEncoderLayer(\n"
      "      (self_attn): PackedMultiHeadAttention(\n"
      "        (out_proj): Linear(in_features=4, out_features=4, bias=True)\n"
      "        (dropout): {0}\n"
      "      )\n"
      "      (linear1): Linear(in_features=4, out_features=3, bias=True)\n"
      "      (dropout): {0}\n"
      "      (linear2): Linear(in_features=3, out_features=4, bias=True)\n"
      "      (norm1): {1}\n"
      "      (norm2): {1}\n"
      "      (dropout1): {0}\n"
      "      (dropout2): {0}\n"
      "    )\n"
      "  )\n"
      "  (norm): {1}\n"
      ")",
      "Dropout(p=0.25, inplace=False)", nn::to_string(*net.norm));
  BOOST_TEST(nn::to_string(net) == expected);
}

// --- who sees whom

BOOST_AUTO_TEST_CASE(each_attention_has_its_own_mask_and_weights) {
  manual_seed(2);
  TransformerDecoderLayer net(d_model, heads, {.dim_feedforward = 3, .dropout = 0.4});
  const Tensor tgt = randn({2, 3, 4}), memory = randn({2, 5, 4});
  const auto run = [&] {
    manual_seed(3);
    return net(tgt, memory, nn::Mask::causal(), nn::Mask::valid_lens(tensor({5, 2})));
  };
  const Tensor before = run().value();
  net.self_attn.keep_weights = net.multihead_attn.keep_weights = true;
  BOOST_TEST(same(run().value(), before));
  const Tensor own = net.self_attn.attention_weights,
               cross = net.multihead_attn.attention_weights;
  BOOST_TEST((own.shape() == Shape{2, 2, 3, 3}));
  BOOST_TEST((cross.shape() == Shape{2, 2, 3, 5}));
  BOOST_TEST(distance(sum(own, -1), ones({2, 2, 3})) < 1e-6);
  BOOST_TEST(own.at({1, 1, 0, 1}) == 0);
  BOOST_TEST(cross.at({0, 1, 0, 4}) > 0);
  BOOST_TEST(cross.at({1, 1, 0, 2}) == 0);
}

BOOST_AUTO_TEST_CASE(a_causal_decoder_does_not_look_ahead) {
  for (const NormOrder order : {NormOrder::post, NormOrder::pre}) {
    manual_seed(5);
    TransformerDecoder net(decoder_layer(order), 2);
    const Tensor memory = sequence(2, 5), tgt = sequence(2, 4);
    const Tensor before = net(tgt, memory, nn::Mask::causal()).value();
    const Tensor other = tgt.clone();
    select(other, 1, 2).copy_(randn({2, d_model}, float64));
    const Tensor after = net(other, memory, nn::Mask::causal()).value();
    BOOST_TEST(same(slice(after, 1, 0, 2), slice(before, 1, 0, 2)));
    BOOST_TEST(distance(select(after, 1, 2), select(before, 1, 2)) > 1e-6);
    BOOST_TEST(distance(select(after, 1, 3), select(before, 1, 3)) > 1e-6);
    // Without the mask the first position sees the third.
    const Tensor open = net(tgt, memory, {}).value();
    const Tensor open_after = net(other, memory, {}).value();
    BOOST_TEST(distance(select(open, 1, 0), select(open_after, 1, 0)) > 1e-6);
  }
}

BOOST_AUTO_TEST_CASE(queries_come_from_the_decoder_keys_and_values_from_the_encoder) {
  manual_seed(6);
  auto net = decoder_layer(NormOrder::pre);
  const Tensor tgt = sequence(2, 3), memory = sequence(2, 5);
  const Tensor y = net(tgt, memory, {}).value();
  BOOST_TEST((y.shape() == Shape{2, 3, 4}));
  // Keys and values are a set: their order does not matter. That of the queries does.
  BOOST_TEST(distance(net(tgt, flip(memory, {1}), {}).value(), y) < 1e-14);
  BOOST_TEST(distance(net(flip(tgt, {1}), memory, {}).value(), flip(y, {1})) < 1e-14);
  // What a memory mask hides does not count.
  const nn::Mask first_two = nn::Mask::valid_lens(tensor({2, 2}));
  BOOST_TEST(distance(net(tgt, memory, {}, first_two).value(),
                      net(tgt, slice(memory, 1, 0, 2), {}).value()) < 1e-14);
}

BOOST_AUTO_TEST_CASE(a_mask_hides_padding_in_every_layer) {
  manual_seed(7);
  TransformerEncoder net(encoder_layer(NormOrder::post), 2);
  const Tensor src = sequence(2, 4);
  const Tensor y = net(src, nn::Mask::valid_lens(tensor({2, 2}))).value();
  BOOST_TEST(distance(slice(y, 1, 0, 2), net(slice(src, 1, 0, 2)).value()) < 1e-14);
}

// --- norms and residuals

BOOST_AUTO_TEST_CASE(the_residual_adds_x_as_it_came_in) {
  manual_seed(8);
  const Tensor x = sequence(2, 3), memory = sequence(2, 5);
  const auto silenced = [](auto net) {  // every sublayer gives 0
    for (auto& [name, value] : nn::state_dict(net)) {
      if (name.find("out_proj") != name.npos || name.starts_with("linear2")) {
        Tensor(value).fill_(0);
      }
    }
    return net;
  };
  auto encoder = silenced(encoder_layer(NormOrder::pre));
  BOOST_TEST(same(encoder(x).value(), x));
  auto decoder = silenced(decoder_layer(NormOrder::pre));
  BOOST_TEST(same(decoder(x, memory, {}).value(), x));
  auto post = silenced(encoder_layer(NormOrder::post));
  BOOST_TEST(same(post(x).value(), post.norm2(post.norm1(x)).value()));
  auto last = silenced(decoder_layer(NormOrder::post));
  BOOST_TEST(
      same(last(x, memory, {}).value(), last.norm3(last.norm2(last.norm1(x))).value()));
}

BOOST_AUTO_TEST_CASE(a_stack_is_its_layers_and_its_norm) {
  manual_seed(9);
  const auto layer = encoder_layer(NormOrder::pre);
  const nn::LayerNorm norm(d_model, {.dtype = float64});
  TransformerEncoder plain(layer, 2), normed(layer, 2, norm);
  const Tensor x = sequence(2, 3), memory = sequence(2, 5);
  const Variable y = plain.layers[1](plain.layers[0](x));
  BOOST_TEST(same(plain(x).value(), y.value()));
  BOOST_TEST(same(normed(x).value(), norm(y).value()));
  TransformerDecoder decoder(decoder_layer(NormOrder::pre), 2, norm);
  const Variable z = decoder.layers[1](decoder.layers[0](x, memory, {}), memory, {});
  BOOST_TEST(same(decoder(x, memory, {}).value(), norm(z).value()));
}

BOOST_AUTO_TEST_CASE(layers_of_a_stack_start_equal_and_are_apart) {
  TransformerEncoderLayer layer(d_model, heads, {.dim_feedforward = 3});
  nn::eval(layer);
  TransformerEncoder net(layer, 2);
  BOOST_TEST(!net.layers[1].dropout1.training);
  const Variable first = net.layers[0].linear1.weight,
                 second = net.layers[1].linear1.weight;
  BOOST_TEST(same(first.value(), second.value()));
  BOOST_TEST(same(first.value(), layer.linear1.weight.value()));
  Tensor(first.value()).fill_(5);
  BOOST_TEST(second.value().at({0, 0}) != 5);
  BOOST_TEST(layer.linear1.weight.value().at({0, 0}) != 5);
}

// Not one that passes on its input, and whose state is an empty file.
BOOST_AUTO_TEST_CASE(a_stack_that_was_moved_from_is_not_one_without_layers) {
  const Tensor x = sequence(1, 2);
  TransformerEncoder encoder(encoder_layer(NormOrder::post), 1);
  TransformerDecoder decoder(decoder_layer(NormOrder::post), 1);
  const TransformerEncoder other = std::move(encoder);
  const TransformerDecoder another = std::move(decoder);
  const auto check_refuses = [](const std::string& stack, const auto& net, auto call) {
    const std::string message =
        stack + ": there are no layers; it was moved from, or they were removed";
    BOOST_TEST(error_of(call) == message);
    BOOST_TEST(error_of([&] { (void)nn::parameters(net); }) == message);
    BOOST_TEST(error_of([&] { nn::save_state(net, "unwritten"); }) == message);
    BOOST_TEST(error_of([&] { (void)nn::to_string(net); }) == message);
  };
  check_refuses("TransformerEncoder", encoder, [&] { (void)encoder(x); });
  check_refuses("TransformerDecoder", decoder, [&] { (void)decoder(x, x, {}); });
}

// --- as modules

BOOST_AUTO_TEST_CASE(every_leaf_of_a_transformer_is_listed) {
  const Tensor x = sequence(1, 2), memory = sequence(1, 3);
  const nn::Mask causal = nn::Mask::causal();
  for (const NormOrder order : {NormOrder::post, NormOrder::pre}) {
    const nn::LayerNorm norm(d_model, {.dtype = float64});
    TransformerEncoder encoder(encoder_layer(order), 2, norm);
    BOOST_TEST(unlisted(encoder, x) == "");
    TransformerDecoder decoder(decoder_layer(order), 2, norm);
    BOOST_TEST(unlisted(decoder, x, memory, causal) == "");
    sum(decoder(x, memory, causal) * x).backward();
    BOOST_TEST(nn::without_gradient(decoder).empty());
  }
}

BOOST_AUTO_TEST_CASE(a_clone_computes_the_same_and_is_independent) {
  manual_seed(10);
  TransformerDecoder net(decoder_layer(NormOrder::post), 2,
                         nn::LayerNorm(d_model, {.dtype = float64}));
  auto copy = nn::clone(net);
  const Tensor x = sequence(2, 3), memory = sequence(2, 5);
  const Tensor y = net(x, memory, {}).value();
  BOOST_TEST(same(copy(x, memory, {}).value(), y));
  for (const Variable& parameter : nn::parameters(copy)) {
    Tensor(parameter.value()).fill_(0.5);
  }
  BOOST_TEST(same(net(x, memory, {}).value(), y));
  BOOST_TEST(!same(copy(x, memory, {}).value(), y));
  nn::load_state_dict(copy, nn::state_dict(net));
  BOOST_TEST(same(copy(x, memory, {}).value(), y));
}

BOOST_AUTO_TEST_CASE(dropout_acts_in_training_alone) {
  manual_seed(11);
  TransformerDecoder net(
      TransformerDecoderLayer(4, 2, {.dim_feedforward = 3, .dropout = 0.5}), 2);
  const Tensor x = randn({2, 3, 4}), memory = randn({2, 5, 4});
  check_dropout(net, [&] { return net(x, memory, nn::Mask::causal()).value(); });
}

// --- derivatives

BOOST_AUTO_TEST_CASE(layers_have_their_derivatives) {
  for (const NormOrder order : {NormOrder::post, NormOrder::pre}) {
    manual_seed(13);
    check_all_derivatives(encoder_layer(order), {sequence(1, 2)},
                          [](auto& own, const std::vector<Variable>& in) {
                            return own(in[0], nn::Mask::causal());
                          });
    check_all_derivatives(decoder_layer(order), {sequence(1, 2), sequence(1, 3)},
                          [](auto& own, const std::vector<Variable>& in) {
                            return own(in[0], in[1], nn::Mask::causal());
                          });
  }
}

// --- errors

BOOST_AUTO_TEST_CASE(what_does_not_fit_is_refused) {
  BOOST_TEST(error_of([] { TransformerEncoderLayer(6, 4); }) ==
             "PackedMultiHeadAttention: embed_dim must be a multiple of num_heads, got 6 "
             "and 4");
  BOOST_TEST(error_of([] { TransformerDecoderLayer(4, 2, {.dropout = 1.5}); }) ==
             "dropout: p must be from 0 to 1, got 1.5");
  BOOST_TEST(error_of([] { TransformerDecoderLayer(4, 2, {.dim_feedforward = 0}); }) ==
             "Linear: both sizes must be at least 1, got 4 and 0");
  BOOST_TEST(error_of([] { TransformerEncoderLayer(4, 2, {.layer_norm_eps = 0}); }) ==
             "LayerNorm: eps must be positive, got 0");
  BOOST_TEST(error_of([] { TransformerEncoder(encoder_layer(NormOrder::pre), 0); }) ==
             "TransformerEncoder: num_layers must be at least 1, got 0");
  BOOST_TEST(error_of([] { TransformerDecoder(decoder_layer(NormOrder::pre), -1); }) ==
             "TransformerDecoder: num_layers must be at least 1, got -1");

  auto net = decoder_layer(NormOrder::post);
  const Tensor tgt = sequence(2, 3), memory = sequence(2, 5);
  const nn::Mask causal = nn::Mask::causal();
  const std::string shapes =
      "PackedMultiHeadAttention: queries, keys and values must be (batch, n, 4), (batch, "
      "m, 4) and (batch, m, 4), ";
  BOOST_TEST(error_of([&] { net(tgt[0], memory, causal); }) ==
             shapes + "got (3, 4), (3, 4) and (3, 4)");
  BOOST_TEST(error_of([&] { net(tgt, sequence(3, 5), causal); }) ==
             shapes + "got (2, 3, 4), (3, 5, 4) and (3, 5, 4)");
  BOOST_TEST(error_of([&] {
               net(tgt, randn({2, 5, 6}, float64), causal);
             }) == shapes + "got (2, 3, 4), (2, 5, 6) and (2, 5, 6)");
  BOOST_TEST(error_of([&] {
               net(tgt, memory, causal, causal);
             }).starts_with("Mask::causal: for 3 queries and 5 keys say which corner"));
  BOOST_TEST(error_of([&] {
               net(tgt, memory, nn::Mask::valid_lens(tensor({1, 2, 3})));
             }) ==
             "Mask::valid_lens: for scores of shape (2, 2, 3, 3) the lengths must be (2) "
             "or (2, 3), got (3)");
}

BOOST_AUTO_TEST_SUITE_END()

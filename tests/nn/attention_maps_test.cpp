// The weights of whole models, gathered by the paths of their layers.
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>
#include <fmt/format.h>

#include <heed.h>

#include "tests/compare.h"
#include "tests/errors.h"

using namespace heed;

namespace {

// "path (shape)" of each map, in order, with line ends between.
std::string listed(const std::vector<nn::AttentionMap>& maps) {
  std::string text;
  for (const nn::AttentionMap& map : maps) {
    text += fmt::format("{} {}\n", map.path, map.weights.shape());
  }
  return text;
}

struct EncoderDecoder {
  nn::TransformerEncoder encoder;
  nn::TransformerDecoder decoder;

  EncoderDecoder()
      : encoder(nn::TransformerEncoderLayer(8, 2, {.dim_feedforward = 8}), 1),
        decoder(nn::TransformerDecoderLayer(8, 2, {.dim_feedforward = 8}), 2) {}
  Variable operator()(const Variable& source, const Variable& target) {
    return decoder(target, encoder(source), nn::Mask::causal());
  }
  void visit(auto&& f) {
    f("encoder", encoder);
    f("decoder", decoder);
  }
};

// Layers in every kind of part, and one that is absent.
struct Parts {
  std::map<std::string, nn::DotProductAttention> named;
  std::optional<nn::SelfAttention> absent;
  nn::NWKernelRegression regression{float64};

  Parts() { named.emplace("dot", nn::DotProductAttention(0)); }
  void visit(auto&& f) {
    f("named", named);
    f("absent", absent);
    f("regression", regression);
  }
};

BOOST_AUTO_TEST_SUITE(attention_maps)

BOOST_AUTO_TEST_CASE(a_gpt_s_maps_have_the_paths_of_its_layers) {
  manual_seed(1);
  nn::Gpt model(
      {.vocab_size = 7, .block_size = 5, .n_layer = 2, .n_head = 4, .n_embd = 8});
  const Tensor ids = tensor({{1, 2, 6}, {0, 0, 3}});
  const Variable without = model(ids);
  nn::keep_weights(model);
  const Variable with = model(ids);
  const std::vector<nn::AttentionMap> maps = nn::attention_maps(model);
  BOOST_TEST(listed(maps) ==
             "transformer.h.0.attn (2, 4, 3, 3)\n"
             "transformer.h.1.attn (2, 4, 3, 3)\n");
  BOOST_TEST(same(maps[1].weights, model.transformer.h[1].attn.attention_weights));
  BOOST_TEST(allclose(with.value(), without.value()));
  // The next call replaces the weights of the layers, not those that were gathered.
  const Tensor first = maps[0].weights.clone();
  (void)model(tensor({{6, 5}}));
  BOOST_TEST(same(maps[0].weights, first));
  nn::keep_weights(model, false);
  (void)model(ids);
  BOOST_TEST(listed(nn::attention_maps(model)) ==
             "transformer.h.0.attn (1, 4, 2, 2)\n"
             "transformer.h.1.attn (1, 4, 2, 2)\n");
}

BOOST_AUTO_TEST_CASE(an_encoder_and_a_decoder_have_three_kinds) {
  EncoderDecoder model;
  nn::keep_weights(model);
  (void)model(randn({1, 4, 8}), randn({1, 3, 8}));
  BOOST_TEST(listed(nn::attention_maps(model)) ==
             "encoder.layers.0.self_attn (1, 2, 4, 4)\n"
             "decoder.layers.0.self_attn (1, 2, 3, 3)\n"
             "decoder.layers.0.multihead_attn (1, 2, 3, 4)\n"
             "decoder.layers.1.self_attn (1, 2, 3, 3)\n"
             "decoder.layers.1.multihead_attn (1, 2, 3, 4)\n");
}

BOOST_AUTO_TEST_CASE(a_layer_by_itself_is_a_model) {
  nn::MultiHeadAttention layer(4, 4, 4, 2);
  nn::keep_weights(layer);
  (void)layer(randn({1, 3, 4}));
  BOOST_TEST(listed(nn::attention_maps(layer)) == " (1, 2, 3, 3)\n");
  nn::AdditiveAttention additive(4, 4, 4, 0);
  nn::keep_weights(additive);
  (void)additive(randn({2, 3, 4}), randn({2, 5, 4}), randn({2, 5, 4}));
  BOOST_TEST(listed(nn::attention_maps(additive)) == " (2, 3, 5)\n");
}

BOOST_AUTO_TEST_CASE(every_kind_of_part_is_reached) {
  Parts parts;
  nn::keep_weights(parts);
  const Tensor x = randn({1, 2, 4});
  (void)parts.named.at("dot")(x, x, x);
  const Tensor keys = rand({2, 3}, float64);
  // The kernel regression always keeps its weights.
  BOOST_TEST(listed(nn::attention_maps(parts)) == "named.dot (1, 2, 2)\n");
  (void)parts.regression(tensor({0.0, 1.0}, float64), keys, keys);
  BOOST_TEST(listed(nn::attention_maps(parts)) ==
             "named.dot (1, 2, 2)\nregression (2, 3)\n");
}

BOOST_AUTO_TEST_CASE(without_weights_the_error_says_what_to_do) {
  nn::Gpt model(
      {.vocab_size = 7, .block_size = 5, .n_layer = 1, .n_head = 1, .n_embd = 4});
  (void)model(tensor({{1}}));
  const std::string none =
      "attention_maps: no weights were kept; call nn::keep_weights(model), and the model "
      "after it";
  BOOST_TEST(error_of([&] { (void)nn::attention_maps(model); }) == none);
  nn::keep_weights(model);
  BOOST_TEST(error_of([&] { (void)nn::attention_maps(model); }) == none);
  const nn::Linear linear(2, 2);
  BOOST_TEST(error_of([&] { (void)nn::attention_maps(linear); }) ==
             "attention_maps: the model lists no part with attention_weights, as the "
             "layers of attention have them; those in a Sequential are not met");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace

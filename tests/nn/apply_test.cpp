// apply(), num_parameters(), requires_grad_(), sizes as attributes, Sequential::append()
// and pad_sequence().
#include <optional>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include <heed.h>

#include "tests/errors.h"

using namespace heed;

namespace {

struct Net {
  nn::Embedding embedding{5, 3};
  std::vector<nn::Linear> layers;
  nn::Sequential trunk{nn::Linear(3, 4), nn::Sequential{nn::Linear(4, 4)}, nn::ReLU()};
  std::optional<nn::LayerNorm> norm;

  Net() { layers.emplace_back(3, 3); }
  void visit(auto&& f) {
    f("embedding", embedding);
    f("layers", layers);
    f("trunk", trunk);
    f("norm", norm);
  }
};

struct Block {
  nn::Linear layer{2, 2};
  nn::LayerNorm norm{2};
  Variable operator()(const Variable& x) { return x + norm(layer(x)); }
  void visit(auto&& f) {
    f("layer", layer);
    f("norm", norm);
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(applying)

BOOST_AUTO_TEST_CASE(a_function_of_one_type_gets_every_module_of_it) {
  Net net;
  int count = 0;
  nn::apply(net, [&](nn::Linear& layer) {
    ++count;
    nn::init::constant_(layer.weight, 0.5);
  });
  BOOST_TEST(count == 3);
  BOOST_TEST(equal(net.trunk.at<nn::Linear>(0).weight.value(), full({4, 3}, 0.5)));
  int norms = 0;
  nn::apply(net, [&](nn::LayerNorm&) { ++norms; });
  BOOST_TEST(norms == 0);
  net.norm.emplace(3);
  nn::apply(net, [&](const nn::LayerNorm&) { ++norms; });
  BOOST_TEST(norms == 1);
  nn::Sequential dropouts{nn::Dropout(0.5), nn::Sequential{nn::Dropout(0.5)}};
  nn::apply(dropouts, [&](nn::Dropout& dropout) { dropout.p = 0.25; });
  BOOST_TEST(dropouts.at<nn::Sequential>(1).at<nn::Dropout>(0).p == 0.25);
}

BOOST_AUTO_TEST_CASE(a_generic_function_gets_parts_before_the_whole) {
  Block block;
  std::string order;
  nn::apply(block,
            [&](auto& module) { order += nn::to_string(module).substr(0, 5) + " "; });
  BOOST_TEST(order == "Linea Layer Block ");
}

BOOST_AUTO_TEST_CASE(shared_parameters_count_once) {
  Block block;
  BOOST_TEST(nn::num_parameters(block) == 4 + 2 + 2 + 2);
  block.norm.bias = block.layer.bias;
  BOOST_TEST(nn::num_parameters(block) == 4 + 2 + 2);
}

BOOST_AUTO_TEST_CASE(a_module_is_frozen) {
  Block block;
  nn::requires_grad_(block, false);
  for (const Variable& x : nn::parameters(block)) BOOST_TEST(!x.requires_grad());
  nn::requires_grad_(block);
  for (const Variable& x : nn::parameters(block)) BOOST_TEST(x.requires_grad());
}

BOOST_AUTO_TEST_CASE(layers_know_their_sizes) {
  const nn::Linear layer(2, 8);
  BOOST_TEST(layer.in_features == 2);
  BOOST_TEST(layer.out_features == 8);
  const nn::Embedding embedding(5, 3);
  BOOST_TEST(embedding.num_embeddings == 5);
  BOOST_TEST(embedding.embedding_dim == 3);
}

BOOST_AUTO_TEST_CASE(layers_are_appended) {
  nn::Sequential net;
  for (int i = 0; i < 3; ++i) net.append(Block());
  net.append(nn::Linear(2, 1)).append(nn::Tanh());
  BOOST_TEST(net.size() == 5);
  BOOST_TEST(nn::named_parameters(net)[4].first == "1.layer.weight");
  BOOST_TEST((net(zeros({4, 2})).shape() == Shape{4, 1}));
}

BOOST_AUTO_TEST_CASE(sequences_are_padded) {
  const Tensor a = tensor({1, 2, 3}), b = tensor({4});
  BOOST_TEST(equal(nn::pad_sequence({a, b}), tensor({{1, 4}, {2, 0}, {3, 0}})));
  BOOST_TEST(equal(nn::pad_sequence({a, b}, {.batch_first = true, .padding_value = -1}),
                   tensor({{1, 2, 3}, {4, -1, -1}})));
  const std::vector<Variable> rows = {Variable(ones({1, 2}), true), ones({2, 2})};
  const Variable y = nn::pad_sequence(rows, {.batch_first = true});
  BOOST_TEST((y.shape() == Shape{2, 2, 2}));
  sum(y * 3).backward();
  BOOST_TEST(equal(rows[0].grad().value(), full({1, 2}, 3.0)));
  BOOST_TEST(error_of([&] {
               (void)nn::pad_sequence({zeros({2, 3}), zeros({2, 4})});
             }) ==
             "pad_sequence: the sequences must have equal sizes except the first, got "
             "(2, 3) and (2, 4)");
  BOOST_TEST(error_of([&] { (void)nn::pad_sequence(std::vector<Tensor>()); }) ==
             "pad_sequence: there are no sequences");
}

BOOST_AUTO_TEST_CASE(identity_and_softplus) {
  const Tensor x = tensor({-1.0, 2.0});
  BOOST_TEST(equal(nn::Identity()(x).value(), x));
  BOOST_TEST(allclose(nn::Softplus{2}(x).value(), log(1 + exp(2 * x)) / 2));
  BOOST_TEST(nn::to_string(nn::Softplus{2}) == "Softplus(beta=2)");
}

struct WithBuffers {
  nn::Linear layer{2, 2};
  Tensor mean = zeros({2}), count = tensor(3);
  void visit(auto&& f) {
    f("mean", mean);
    f("layer", layer);
    f("count", count);
  }
};

BOOST_AUTO_TEST_CASE(buffers_by_name) {
  const std::vector<WithBuffers> nets(2);
  const auto named = nn::named_buffers(nets);
  BOOST_TEST(named.size() == 4u);
  BOOST_TEST(named[1].first == "0.count");
  BOOST_TEST(named[2].second.is_same(nets[1].mean));
  BOOST_TEST(nn::buffers(nets[0])[1].item() == 3);
}

BOOST_AUTO_TEST_SUITE_END()

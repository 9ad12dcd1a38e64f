// The language model. Its numbers are held against PyTorch's in tests/golden; here is
// what holds for any numbers.

#include <cmath>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>
#include <fmt/core.h>

#include <heed.h>

#include "tests/errors.h"
#include "tests/nn/module_checks.h"

using namespace heed;
using nn::Gpt, nn::GptOptions;

namespace {

// Small, in float64, with biases.
constexpr GptOptions tiny = {.vocab_size = 7,
                             .block_size = 6,
                             .n_layer = 2,
                             .n_head = 2,
                             .n_embd = 8,
                             .bias = true,
                             .dtype = float64};
GptOptions with(auto change) {
  GptOptions options = tiny;
  change(options);
  return options;
}
// Its parameters are far from their initial values, which are so small that all logits
// are nearly equal.
Gpt model(const GptOptions& options = tiny) { return randomised(Gpt(options)); }

// Tokens (batch, n).
Tensor tokens(std::int64_t batch, std::int64_t n) { return randint(0, 7, {batch, n}); }

}  // namespace

BOOST_AUTO_TEST_SUITE(gpt)

// --- parameters

BOOST_AUTO_TEST_CASE(parameters_have_nanogpt_s_names_and_shapes) {
  const auto listed = [](Gpt net) {
    std::string text;
    for (const auto& [name, parameter] : nn::named_parameters(net)) {
      text += fmt::format("{} {}\n", name, parameter.shape());
    }
    return text;
  };
  const std::string tables =
      "transformer.wte.weight (7, 8)\n"
      "transformer.wpe.weight (6, 8)\n";
  const auto block = [](int i) {
    return fmt::format(
        "transformer.h.{0}.ln_1.weight (8)\n"
        "transformer.h.{0}.ln_1.bias (8)\n"
        "transformer.h.{0}.attn.c_attn.weight (24, 8)\n"
        "transformer.h.{0}.attn.c_attn.bias (24)\n"
        "transformer.h.{0}.attn.c_proj.weight (8, 8)\n"
        "transformer.h.{0}.attn.c_proj.bias (8)\n"
        "transformer.h.{0}.ln_2.weight (8)\n"
        "transformer.h.{0}.ln_2.bias (8)\n"
        "transformer.h.{0}.mlp.c_fc.weight (32, 8)\n"
        "transformer.h.{0}.mlp.c_fc.bias (32)\n"
        "transformer.h.{0}.mlp.c_proj.weight (8, 32)\n"
        "transformer.h.{0}.mlp.c_proj.bias (8)\n",
        i);
  };
  const std::string norm =
      "transformer.ln_f.weight (8)\n"
      "transformer.ln_f.bias (8)\n";
  BOOST_TEST(listed(Gpt(tiny)) == tables + block(0) + block(1) + norm);
  const Gpt plain(with([](GptOptions& o) {
    o.n_layer = 1;
    o.bias = o.tied = false;
  }));
  BOOST_TEST(listed(plain) == tables +
                                  "transformer.h.0.ln_1.weight (8)\n"
                                  "transformer.h.0.attn.c_attn.weight (24, 8)\n"
                                  "transformer.h.0.attn.c_proj.weight (8, 8)\n"
                                  "transformer.h.0.ln_2.weight (8)\n"
                                  "transformer.h.0.mlp.c_fc.weight (32, 8)\n"
                                  "transformer.h.0.mlp.c_proj.weight (8, 32)\n"
                                  "transformer.ln_f.weight (8)\n"
                                  "lm_head.weight (7, 8)\n");
}

BOOST_AUTO_TEST_CASE(tied_weights_are_one_parameter_with_the_sum_of_both_gradients) {
  manual_seed(1);
  Gpt tied = model();
  Gpt apart(with([](GptOptions& o) { o.tied = false; }));
  const nn::StateDict state = nn::state_dict(tied);
  BOOST_TEST((state.at("lm_head.weight").storage() ==
              state.at("transformer.wte.weight").storage()));
  nn::load_state_dict(apart, state);
  const Tensor ids = tokens(2, 5), upstream = randn({2, 5, 7}, float64);
  sum(tied(ids) * upstream).backward();
  sum(apart(ids) * upstream).backward();
  BOOST_TEST(same(tied(ids).value(), apart(ids).value()));
  const Tensor both =
      apart.transformer.wte.weight.grad().value() + apart.lm_head.weight.grad().value();
  BOOST_TEST(distance(tied.lm_head.weight.grad().value(), both) < 1e-12);
  BOOST_TEST(distance(tied.transformer.wte.weight.grad().value(), both) < 1e-12);
  // A clone ties its own.
  Gpt copy = nn::clone(tied);
  Tensor(copy.lm_head.weight.value()).fill_(3);
  BOOST_TEST(copy.transformer.wte.weight.value().at({0, 0}) == 3);
  BOOST_TEST(tied.lm_head.weight.value().at({0, 0}) != 3);
}

BOOST_AUTO_TEST_CASE(initial_weights_are_small_and_smaller_into_the_residual_stream) {
  manual_seed(2);
  Gpt net({.vocab_size = 200,
           .block_size = 60,
           .n_layer = 8,
           .n_head = 4,
           .n_embd = 64,
           .bias = true});
  for (const auto& [name, parameter] : nn::named_parameters(net)) {
    const Tensor x = parameter.value();
    BOOST_TEST_CONTEXT(name) {
      if (name.ends_with(".bias")) {
        BOOST_TEST(same(x, zeros_like(x)));
      } else if (name.find(".ln_") != name.npos) {
        BOOST_TEST(same(x, ones_like(x)));
      } else {
        const double std = name.ends_with("c_proj.weight") ? 0.02 / 4 : 0.02;  // √(2 · 8)
        const double n = static_cast<double>(x.numel());
        // Five standard deviations of what is estimated.
        BOOST_TEST(std::abs(mean(x).item()) < 5 * std / std::sqrt(n));
        BOOST_TEST(std::abs(norm(x).item() / std::sqrt(n) / std - 1) <
                   5 / std::sqrt(2 * n));
      }
    }
  }
}

// --- the cache

BOOST_AUTO_TEST_CASE(token_by_token_gives_the_logits_of_the_whole_sequence) {
  for (const DType dtype : {float32, float64}) {
    manual_seed(3);
    Gpt net = model(with([&](GptOptions& o) { o.dtype = dtype; }));
    const Tensor ids = tokens(2, 6), whole = net(ids).value();
    for (const std::vector<std::int64_t>& parts :
         {std::vector<std::int64_t>{1, 1, 1, 1, 1, 1}, {6}, {2, 1, 3}, {4, 2}}) {
      Gpt::Cache cache = net.cache();
      std::int64_t end = 0;
      for (const std::int64_t part : parts) {
        const Tensor logits = net.next(slice(ids, 1, end, end + part), cache);
        end += part;
        BOOST_TEST(cache.positions == end);
        BOOST_TEST((cache.layers[1].keys.shape() == Shape{2, 2, end, 4}));
        BOOST_TEST(distance(logits, select(whole, 1, end - 1)) <
                   (dtype == float32 ? 1e-5 : 1e-13));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_refused_call_leaves_the_cache_as_it_was) {
  manual_seed(6);
  Gpt net = model();
  const Tensor ids = tokens(1, 4);
  Gpt::Cache cache = net.cache();
  net.next(slice(ids, 1, 0, 3), cache);
  BOOST_TEST(error_of([&] {
               net.next(zeros({1, 4}, int64), cache);
             }) == "Gpt: at most block_size = 6 positions, got 7");
  BOOST_TEST(error_of([&] { net.next(tensor({{7}}), cache); }) ==
             "embedding: ids must be from 0 to 6, got 7");
  BOOST_TEST(error_of([&] {
               net.next(zeros({2, 1}, int64), cache);
             }) ==
             "Gpt: the cache must hold keys and values float64 (2, 2, 3, 4) for ids (2, "
             "1), got float64 (1, 2, 3, 4); it is of another batch or model");
  BOOST_TEST(cache.positions == 3);
  BOOST_TEST(distance(net.next(slice(ids, 1, 3), cache), select(net(ids).value(), 1, 3)) <
             1e-13);
}

// --- who sees whom

BOOST_AUTO_TEST_CASE(no_position_sees_a_later_one) {
  manual_seed(7);
  Gpt net = model();
  const Tensor ids = tokens(2, 6);
  const Variable logits = net(ids);
  const Variable positions = net.transformer.wpe.weight;  // (6, 8), a row per position
  for (std::int64_t i = 0; i < 6; ++i) {
    const Variable weighed = select(logits, 1, i) * randn({2, 7}, float64);
    const Tensor g = grad(sum(weighed), {positions}, {.retain_graph = true})[0].value();
    for (std::int64_t j = 0; j < 6; ++j) {
      BOOST_TEST_INFO("logits at " << i << ", position " << j);
      BOOST_TEST(any(g[j] != 0).item() == (j <= i));
    }
  }
  for (std::int64_t p = 0; p < 6; ++p) {
    const Tensor other = ids.clone();
    Tensor later = slice(other, 1, p);
    later.copy_((later + 1) - 7 * (later == 6).to(int64));
    const Tensor after = net(other).value();
    BOOST_TEST(same(slice(after, 1, 0, p), slice(logits.value(), 1, 0, p)));
    BOOST_TEST(!same(select(after, 1, p), select(logits.value(), 1, p)));
  }
}

BOOST_AUTO_TEST_CASE(keeping_the_weights_changes_nothing) {
  manual_seed(8);
  Gpt net = model();
  const Tensor ids = tokens(2, 4), before = net(ids).value();
  nn::CausalSelfAttention& attention = net.transformer.h[1].attn;
  BOOST_TEST(!attention.attention_weights.defined());
  attention.keep_weights = true;
  BOOST_TEST(distance(net(ids).value(), before) < 1e-13);
  const Tensor weights = attention.attention_weights;
  BOOST_TEST((weights.shape() == Shape{2, 2, 4, 4}));
  BOOST_TEST(distance(sum(weights, -1), ones({2, 2, 4})) < 1e-13);
  BOOST_TEST(same(weights, tril(weights)));
  Gpt::Cache cache = net.cache();
  net.next(slice(ids, 1, 0, 3), cache);
  net.next(slice(ids, 1, 3), cache);
  BOOST_TEST(distance(attention.attention_weights, slice(weights, 2, 3)) < 1e-13);
}

// --- as a module

BOOST_AUTO_TEST_CASE(every_leaf_is_listed_and_reached) {
  for (const bool tied : {true, false}) {
    manual_seed(9);
    Gpt net = model(with([&](GptOptions& o) { o.tied = tied; }));
    const Tensor ids = tokens(2, 6);
    BOOST_TEST(unlisted(net, ids) == "");
    sum(square(net(ids))).backward();
    BOOST_TEST(nn::without_gradient(net).empty());
  }
}

BOOST_AUTO_TEST_CASE(it_has_its_derivatives) {
  manual_seed(10);
  const Gpt net = model({.vocab_size = 3,
                         .block_size = 3,
                         .n_layer = 1,
                         .n_head = 2,
                         .n_embd = 4,
                         .bias = true,
                         .tied = false,
                         .dtype = float64});
  check_all_derivatives(net, {}, [](Gpt& own, const auto&) {
    return own(tensor({{2, 0, 2}}));
  });
}

BOOST_AUTO_TEST_CASE(dropout_acts_in_training_alone) {
  manual_seed(11);
  Gpt net = model(with([](GptOptions& o) { o.dropout = 0.25; }));
  int places = 0;
  nn::walk(net, [&]<class P>(const std::string&, P& part) {
    if constexpr (std::is_same_v<P, nn::Dropout>) places += part.p == 0.25;
  });
  BOOST_TEST(places == 7);  // of the embeddings, and three a block
  const Tensor ids = tokens(2, 5);
  const auto run = [&] { return net(ids).value(); };
  check_dropout(net, run);
  // Each place of dropout is at work.
  const Tensor y = run();
  nn::walk(net, [&]<class P>(const std::string& path, P& part) {
    if constexpr (std::is_same_v<P, nn::Dropout>) {
      part.training = true;
      manual_seed(1);
      BOOST_TEST(!same(run(), y), path);
      part.training = false;
    }
  });
}

BOOST_AUTO_TEST_CASE(what_does_not_fit_is_refused) {
  const auto error_for = [](auto change) { return error_of([&] { Gpt{with(change)}; }); };
  BOOST_TEST(error_for([](GptOptions& o) { o.vocab_size = 0; }) ==
             "Gpt: vocab_size, block_size, n_layer, n_head and n_embd must be at least "
             "1, got 0, 6, 2, 2 and 8");
  BOOST_TEST(error_for([](GptOptions& o) { o.n_layer = -1; }) ==
             "Gpt: vocab_size, block_size, n_layer, n_head and n_embd must be at least "
             "1, got 7, 6, -1, 2 and 8");
  BOOST_TEST(error_for([](GptOptions& o) { o.n_head = 3; }) ==
             "Gpt: n_embd must be a multiple of n_head, got 8 and 3");
  BOOST_TEST(error_for([](GptOptions& o) { o.dropout = 1.5; }) ==
             "dropout: p must be from 0 to 1, got 1.5");
  Gpt net(tiny);
  BOOST_TEST(error_of([&] {
               net(zeros({1, 7}, int64));
             }) == "Gpt: at most block_size = 6 positions, got 7");
  BOOST_TEST(error_of([&] {
               net(tensor({{1, 7}}));
             }) == "embedding: ids must be from 0 to 6, got 7");
  BOOST_TEST(error_of([&] {
               net(tensor({1, 2}));
             }) == "Gpt: ids must be int64 (batch, n), n at least 1, got int64 (2)");
  BOOST_TEST(error_of([&] {
               net(ones({1, 2}));
             }) == "Gpt: ids must be int64 (batch, n), n at least 1, got float32 (1, 2)");
  BOOST_TEST(error_of([&] {
               net(zeros({1, 0}, int64));
             }) == "Gpt: ids must be int64 (batch, n), n at least 1, got int64 (1, 0)");
  BOOST_TEST(error_of([&] {
               net.transformer.h[0].attn(ones({2, 8}));
             }) == "CausalSelfAttention: x must be (batch, n, n_embd), got (2, 8)");
  Gpt::Cache none;
  BOOST_TEST(error_of([&] { net.next(tensor({{1}}), none); }) ==
             "Gpt: the cache must be one that cache() made, of 2 layers, got 0");
  // Keys and values of other positions than the cache has, in any of its layers.
  Gpt::Cache cache = net.cache();
  net.next(tensor({{1, 2, 3}}), cache);
  const auto refused = [&](Gpt::Cache wrong) {
    BOOST_TEST(error_of([&] {
                 net.next(tensor({{1}}), wrong);
               }).starts_with("Gpt: the cache must hold keys and values "));
  };
  for (const std::int64_t positions : {std::int64_t{-1}, std::int64_t{0}, INT64_MAX}) {
    Gpt::Cache wrong = cache;
    wrong.positions = positions;
    refused(wrong);
  }
  Gpt::Cache wrong = cache;
  wrong.layers[1] = {};
  refused(wrong);
  wrong = cache;
  wrong.layers[1].values = zeros({1, 1, 1, 1});
  refused(wrong);
  BOOST_TEST(cache.positions == 3);
}

BOOST_AUTO_TEST_SUITE_END()

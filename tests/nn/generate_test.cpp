// Continuing a text: the logits of the next token with a cache and without one, and the
// tokens that are drawn from them. How one is drawn is in sample_test.cpp.

#include <algorithm>
#include <cstdint>
#include <vector>

#include <boost/test/unit_test.hpp>

#include <heed.h>

#include "tests/errors.h"
#include "tests/nn/module_checks.h"

using namespace heed;
using nn::Gpt, nn::NextLogits, nn::SampleOptions;

namespace {

// The context is 6. The parameters are far from their initial values, which are so small
// that all logits are nearly equal.
Gpt model(DType dtype = float64) {
  return randomised(Gpt({.vocab_size = 7,
                         .block_size = 6,
                         .n_layer = 2,
                         .n_head = 2,
                         .n_embd = 8,
                         .bias = true,
                         .dtype = dtype}));
}

Tensor tokens(std::int64_t batch, std::int64_t n) { return randint(0, 7, {batch, n}); }

// The logits (batch, 7) of the token after texts (batch, n), as the model itself has
// them.
Tensor after(Gpt& net, const Tensor& texts) {
  const NoGrad no_grad;
  const Tensor logits = net(slice(texts, 1, -6)).value();  // (batch, up to 6, 7)
  return select(logits, 1, logits.size(1) - 1);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(generation)

BOOST_AUTO_TEST_CASE(logits_are_the_model_s_for_the_last_tokens_of_the_context) {
  for (const DType dtype : {float32, float64}) {
    manual_seed(1);
    Gpt net = model(dtype);
    const Tensor texts = tokens(2, 14);
    for (const bool use_cache : {true, false}) {
      for (const std::vector<std::int64_t>& parts :
           {std::vector<std::int64_t>(14, 1), {6, 1}, {7, 1, 1}, {2, 3, 4, 5}, {14}}) {
        NextLogits next_logits(net, use_cache);
        std::int64_t end = 0;
        for (const std::int64_t part : parts) {
          const Tensor logits = next_logits(slice(texts, 1, end, end + part));
          end += part;
          BOOST_TEST((logits.shape() == Shape{2, 7}));
          BOOST_TEST(distance(logits, after(net, slice(texts, 1, 0, end))) <
                         (dtype == float32 ? 1e-5 : 1e-13),
                     use_cache << ", after " << end);
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(with_a_cache_only_new_tokens_are_computed) {
  manual_seed(2);
  Gpt net = model();
  nn::CausalSelfAttention& attention = net.transformer.h[0].attn;
  attention.keep_weights = true;
  // How many queries there were, in calls with 4, 5, 6 and 7 tokens in all.
  const auto queries = [&](bool use_cache) {
    NextLogits next_logits(net, use_cache);
    std::vector<std::int64_t> counts;
    for (const std::int64_t n : {4, 1, 1, 1}) {
      next_logits(tokens(1, n));
      counts.push_back(attention.attention_weights.size(2));
    }
    return counts;
  };
  using Counts = std::vector<std::int64_t>;
  BOOST_TEST((queries(true) == Counts{4, 1, 1, 6}));
  BOOST_TEST((queries(false) == Counts{4, 5, 6, 6}));
}

BOOST_AUTO_TEST_CASE(the_likeliest_tokens_are_those_of_the_model) {
  manual_seed(3);
  Gpt net = model();
  const Tensor prompts = tokens(3, 2);
  const Tensor texts = nn::generate(net, prompts, 12, {.temperature = 0});
  BOOST_TEST((texts.shape() == Shape{3, 14}));
  BOOST_TEST(same(slice(texts, 1, 0, 2), prompts));
  for (std::int64_t i = 2; i < 14; ++i) {
    const Tensor expected = argmax(after(net, slice(texts, 1, 0, i)), 1);
    BOOST_TEST(same(select(texts, 1, i), expected), i);
  }
}

BOOST_AUTO_TEST_CASE(without_a_cache_the_same_tokens_are_drawn) {
  manual_seed(4);
  Gpt net = model();
  for (const SampleOptions& options :
       {SampleOptions{.temperature = 0}, {}, {.temperature = 2, .top_k = 4}}) {
    Generator one(5), other(5);
    const Tensor prompts = tokens(2, 3);
    const Tensor texts = nn::generate(net, prompts, 20, options, one);
    NextLogits next_logits(net, false);
    Tensor expected = prompts, last = prompts;
    for (int i = 0; i < 20; ++i) {
      last = unsqueeze(nn::sample(next_logits(last), options, other), 1);
      expected = cat({expected, last}, 1);
    }
    BOOST_TEST(same(texts, expected));
  }
}

BOOST_AUTO_TEST_CASE(what_is_drawn_depends_on_the_generator) {
  manual_seed(6);
  Gpt net = model();
  const Tensor prompt = tokens(1, 2);
  const auto drawn = [&](std::uint64_t seed, const SampleOptions& options) {
    Generator generator(seed);
    return nn::generate(net, prompt, 30, options, generator);
  };
  BOOST_TEST(same(drawn(1, {}), drawn(1, {})));
  BOOST_TEST(!same(drawn(1, {}), drawn(2, {})));
  BOOST_TEST(!same(drawn(1, {}), drawn(1, {.temperature = 3})));
  BOOST_TEST(same(drawn(1, {.top_k = 1}), drawn(2, {.top_k = 1})));
  manual_seed(7);
  const Tensor by_default = nn::generate(net, prompt, 30);
  BOOST_TEST(same(by_default, drawn(7, {})));
}

BOOST_AUTO_TEST_CASE(a_prompt_may_be_longer_than_the_context_and_nothing_may_follow) {
  manual_seed(8);
  Gpt net = model();
  const Tensor prompt = tokens(2, 9);
  const Tensor text = nn::generate(net, prompt, 1, {.temperature = 0});
  BOOST_TEST(same(select(text, 1, 9), argmax(after(net, prompt), 1)));
  BOOST_TEST(same(nn::generate(net, prompt, 0), prompt));
}

BOOST_AUTO_TEST_CASE(a_refused_call_adds_nothing) {
  manual_seed(9);
  Gpt net = model();
  const Tensor text = tokens(1, 4);
  for (const std::int64_t bad : {1, 9}) {  // one that would fit, and more than would
    NextLogits next_logits(net);
    next_logits(slice(text, 1, 0, 3));
    BOOST_TEST(error_of([&] {
                 next_logits(full({1, bad}, 7, int64));
               }) == "embedding: ids must be from 0 to 6, got 7");
    BOOST_TEST(error_of([&] {
                 next_logits(zeros({2, 1}, int64));
               }) == "NextLogits: the batch must be 1 as before, got 2");
    BOOST_TEST(distance(next_logits(slice(text, 1, 3)), after(net, text)) < 1e-13);
  }
}

BOOST_AUTO_TEST_CASE(what_cannot_be_gone_on_from_is_refused) {
  Gpt net = model();
  for (const std::int64_t count : {0, 1}) {
    const auto error_for = [&](const Tensor& text) {
      return error_of([&] { nn::generate(net, text, count); });
    };
    BOOST_TEST(error_for(tensor({1, 2})) ==
               "generate: tokens must be int64 (batch, n), n at least 1, got int64 (2)");
    BOOST_TEST(
        error_for(ones({1, 2})) ==
        "generate: tokens must be int64 (batch, n), n at least 1, got float32 (1, 2)");
    BOOST_TEST(
        error_for(zeros({1, 0}, int64)) ==
        "generate: tokens must be int64 (batch, n), n at least 1, got int64 (1, 0)");
  }
  const Tensor good = tensor({{1, 2}});
  BOOST_TEST(error_of([&] { nn::generate(net, good, INT64_MAX); }) ==
             "generate: there is no memory for a list of 9223372036854775807 pieces");
  BOOST_TEST(error_of([&] { nn::generate(net, good, -1); }) ==
             "generate: count must not be negative, got -1");
  BOOST_TEST(error_of([&] { nn::generate(net, good, 1, {.top_k = -1}); }) ==
             "sample: top_k must not be negative, got -1");
}

BOOST_AUTO_TEST_SUITE_END()

// How the next token is chosen from logits.

#include <cmath>

#include <boost/test/unit_test.hpp>

#include <heed.h>

#include "tests/errors.h"
#include "tests/infinity.h"
#include "tests/nn/checks.h"

using namespace heed;
using nn::sample, nn::SampleOptions;

namespace {

// Rows of the same logits.
Tensor rows(std::int64_t count) {
  return repeat(tensor({{0.5, -1.0, 2.0, 0.25, 1.0}}, float32), {count, 1});
}

}  // namespace

BOOST_AUTO_TEST_SUITE(sampling)

BOOST_AUTO_TEST_CASE(tokens_are_those_of_pytorch_s_multinomial) {
  // torch.manual_seed(7); torch.multinomial(torch.softmax(logits / temperature, -1), 1),
  // with the logits below the top_k-th at minus infinity
  const auto drawn = [](const SampleOptions& options) {
    Generator generator(7);
    return sample(rows(12), options, generator).to_vector<std::int64_t>();
  };
  using Ids = std::vector<std::int64_t>;
  BOOST_TEST((drawn({}) == Ids{0, 2, 2, 1, 2, 3, 2, 2, 2, 2, 0, 2}));
  BOOST_TEST((drawn({.temperature = 0.7}) == Ids{2, 2, 2, 1, 2, 3, 2, 2, 2, 2, 0, 2}));
  BOOST_TEST((drawn({.temperature = 1.5, .top_k = 3}) ==
              Ids{0, 2, 0, 2, 2, 2, 4, 2, 2, 2, 0, 2}));
}

BOOST_AUTO_TEST_CASE(temperature_and_top_k_shape_the_frequencies) {
  const std::int64_t n = 40000;
  for (const double temperature : {0.5, 1.0, 3.0}) {
    for (const std::int64_t top_k : {0, 3, 9}) {
      Generator generator(1);
      const Tensor ids =
          sample(rows(n), {.temperature = temperature, .top_k = top_k}, generator);
      BOOST_TEST((ids.shape() == Shape{n}));
      Tensor logits = rows(1)[0].to(float64) / temperature;
      if (top_k == 3) logits = masked_fill(logits, rows(1)[0] < 0.5, -infinity);
      const Tensor p = softmax(logits, 0);
      for (std::int64_t id = 0; id < 5; ++id) {
        const double want = p.at({id}),
                     got = mean((ids == double(id)).to(float64)).item();
        BOOST_TEST_INFO(temperature << ", " << top_k << ", token " << id);
        BOOST_TEST(std::abs(got - want) <=
                   5 * std::sqrt(want * (1 - want) / static_cast<double>(n)));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(the_likeliest_is_taken_without_a_choice) {
  manual_seed(2);
  for (const DType dtype : {float32, float64}) {
    const Tensor logits = randn({300, 11}, dtype), best = argmax(logits, 1);
    BOOST_TEST(same(sample(logits, {.top_k = 1}), best));
    BOOST_TEST(same(sample(logits, {.temperature = 0}), best));
    // So small that all logits but the best become minus infinity.
    for (const double temperature : {1e-9, 1e-40, 1e-60, 1e-320}) {
      BOOST_TEST(same(sample(logits, {.temperature = temperature}), best));
    }
  }
  // Greedy, nothing is drawn.
  manual_seed(3);
  const double next = rand({1}).item();
  manual_seed(3);
  sample(rows(4), {.temperature = 0});
  BOOST_TEST(rand({1}).item() == next);
}

BOOST_AUTO_TEST_CASE(a_token_at_minus_infinity_is_never_taken) {
  const Tensor logits = repeat(tensor({{0.0, -infinity, 1.0, -infinity}}), {500, 1});
  for (const std::int64_t top_k : {0, 2, 3}) {
    const Tensor ids = sample(logits, {.temperature = 5, .top_k = top_k});
    BOOST_TEST(all(logical_or(ids == 0, ids == 2)).item());
    BOOST_TEST(any(ids == 0).item());
  }
}

BOOST_AUTO_TEST_CASE(what_is_no_choice_is_refused) {
  const auto error_for = [](const Tensor& logits, const SampleOptions& options) {
    return error_of([&] { sample(logits, options); });
  };
  const Tensor good = rows(2);
  BOOST_TEST(error_for(good[0], {}) ==
             "sample: logits must be floating (batch, vocab_size), got float32 (5)");
  BOOST_TEST(error_for(ones({2, 0}), {}) ==
             "sample: logits must be floating (batch, vocab_size), got float32 (2, 0)");
  for (const auto& [bad, text] :
       {std::pair{-0.5, "-0.5"}, {not_a_number, "nan"}, {infinity, "inf"}}) {
    BOOST_TEST(error_for(good, {.temperature = bad}) ==
               std::string("sample: temperature must be finite and not negative, got ") +
                   text);
  }
  BOOST_TEST(error_for(good, {.top_k = -1}) ==
             "sample: top_k must not be negative, got -1");
  const std::string finite = "sample: the largest logit of each row must be finite, got ";
  const SampleOptions greedy{.temperature = 0};
  for (const SampleOptions& options : {SampleOptions{}, greedy}) {
    BOOST_TEST(error_for(tensor({{1.0, 2.0}, {1.0, not_a_number}}), options) ==
               finite + "tensor([[2.],\n        [nan]])");
    BOOST_TEST(error_for(tensor({{1.0, infinity}}), options) ==
               finite + "tensor([[inf]])");
    BOOST_TEST(error_for(tensor({{-infinity, -infinity}}), options) ==
               finite + "tensor([[-inf]])");
  }
}

BOOST_AUTO_TEST_SUITE_END()

// Checks with several conditions: each call here breaks one and meets all others. The
// tests of a layer break only some.

#include <functional>
#include <vector>

#include <boost/test/unit_test.hpp>

#include <heed.h>

#include "tests/errors.h"
#include "tests/infinity.h"

using namespace heed;

namespace {

const Tensor pair = ones({2}), matrix = ones({2, 2}), cube = ones({2, 2, 2});

}  // namespace

BOOST_AUTO_TEST_SUITE(refusals)

BOOST_AUTO_TEST_CASE(attention) {
  const Tensor wide = ones({2, 3}), longer = ones({3, 2});
  check_refused("attention: query (..., n, d), key ",
                {
                    [] { nn::attention(pair, matrix, matrix); },
                    [] { nn::attention(matrix, pair, matrix); },
                    [] { nn::attention(matrix, matrix, pair); },
                    [&] { nn::attention(matrix, wide, matrix); },
                    [&] { nn::attention(matrix, matrix, longer); },
                });
  const Tensor other = matrix.to(float64), whole = matrix.to(int64);
  check_refused("attention: query, key and value must have one floating dtype, ",
                {
                    [&] { nn::attention(other, matrix, matrix); },
                    [&] { nn::attention(matrix, other, matrix); },
                    [&] { nn::attention(matrix, matrix, other); },
                    [&] { nn::attention(whole, whole, whole); },
                });
  nn::AdditiveAttention net(2, 2, 4, 0);
  net(cube, cube, cube);
  check_refused("AdditiveAttention: queries, keys and values must be ",
                {
                    [&] { net(matrix, cube, cube); },
                    [&] { net(cube, matrix, cube); },
                    [&] { net(cube, cube, matrix); },
                    [&] {
                      net(cube, ones({3, 2, 2}), cube);
                    },
                    [&] {
                      net(cube, cube, ones({3, 2, 2}));
                    },
                    [&] {
                      net(cube, ones({2, 2, 3}), cube);
                    },
                    [&] {
                      net(cube, cube, ones({2, 3, 2}));
                    },
                });
  check_refused("split_heads: x (batch, n, heads * d), got ",
                {
                    [] { nn::split_heads(matrix, 1); },
                    [] { nn::split_heads(cube, 0); },
                    [] { nn::split_heads(cube, 3); },
                });
  check_refused("ScaledDotProductAttention: the temperature must be positive, got ",
                {
                    [] { nn::ScaledDotProductAttention(0, 0); },
                    [] { nn::ScaledDotProductAttention(infinity, 0); },
                });
}

BOOST_AUTO_TEST_CASE(functions) {
  check_refused("linear: the input's last size must be the weight's, got ",
                {
                    [] { nn::linear(matrix, pair); },
                    [] { nn::linear(Tensor(ones({})), matrix); },
                    [] {
                      nn::linear(ones({2, 3}), matrix);
                    },
                });
  check_refused("linear: the bias must have the shape (2), got ",
                {
                    [] { nn::linear(matrix, matrix, matrix); },
                    [] { nn::linear(matrix, matrix, ones({3})); },
                });
  BOOST_TEST(error_of([] { nn::layer_norm(matrix, Shape{}); }) ==
             "layer_norm: there must be a size to normalise over, got ()");
  check_refused("layer_norm: the last sizes of the input must be ",
                {
                    [] {
                      nn::layer_norm(pair, {2, 2});
                    },
                    [] { nn::layer_norm(matrix, {3}); },
                });
  const Tensor ids = tensor({0, 1});
  check_refused("embedding: padding_idx must be from 0 to 1, got ",
                {
                    [&] { nn::embedding(ids, matrix, -1); },
                    [&] { nn::embedding(ids, matrix, 2); },
                });
  check_refused("cross_entropy: label_smoothing must be from 0 to 1, got ",
                {
                    [&] { nn::cross_entropy(matrix, ids, {.label_smoothing = -0.1}); },
                    [&] { nn::cross_entropy(matrix, ids, {.label_smoothing = 1.1}); },
                });
  check_refused("sample: logits must be floating (batch, vocab_size), got ",
                {
                    [] { nn::sample(pair, {}); },
                    [] {
                      nn::sample(ones({2, 0}), {});
                    },
                    [] { nn::sample(matrix.to(int64), {}); },
                });
  check_refused("sequence_mask: x (batch, steps, ...) and int64 lens (batch), got ",
                {
                    [&] { nn::sequence_mask(pair, ids); },
                    [] { nn::sequence_mask(matrix, pair); },
                    [] { nn::sequence_mask(matrix, tensor({1})); },
                });
}

BOOST_AUTO_TEST_CASE(sizes_of_modules) {
  const nn::GptOptions fine{
      .vocab_size = 4, .block_size = 4, .n_layer = 1, .n_head = 1, .n_embd = 2};
  std::vector<std::function<void()>> calls;
  for (const auto size :
       {&nn::GptOptions::vocab_size, &nn::GptOptions::block_size,
        &nn::GptOptions::n_layer, &nn::GptOptions::n_head, &nn::GptOptions::n_embd}) {
    calls.push_back([=] {
      nn::GptOptions options = fine;
      options.*size = 0;
      nn::Gpt{options};
    });
  }
  check_refused("Gpt: vocab_size, block_size, n_layer, n_head and n_embd must be ",
                calls);
  check_refused("PositionalEncoding: both sizes must be at least 1, got ",
                {
                    [] { nn::PositionalEncoding(0, 0); },
                    [] { nn::PositionalEncoding(2, 0, 0); },
                });
}

BOOST_AUTO_TEST_SUITE_END()

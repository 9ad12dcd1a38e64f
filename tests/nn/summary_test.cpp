// A model as a table.

#include <vector>

#include <boost/test/unit_test.hpp>

#include <heed.h>

#include "tests/errors.h"

using namespace heed;

namespace {

struct Tied {
  nn::Embedding words{10, 4};
  std::vector<nn::Linear> layers;
  nn::Linear out{4, 10, {.bias = false}};
  Tensor buffer = zeros({3}, int64);
  Variable scale{ones({}, float64), true};

  Tied() {
    layers.emplace_back(4, 4);
    layers[0].bias.requires_grad_(false);
    out.weight = words.weight;
  }
  void visit(auto&& f) {
    f("words", words);
    f("layers", layers);
    f("out", out);
    f("buffer", buffer);
    f("scale", scale);
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(summary)

BOOST_AUTO_TEST_CASE(every_module_with_its_own_tensors) {
  const Tied model;
  BOOST_TEST(nn::summary(model) ==
             R"(path      kind       parameters  bytes  its own tensors
(model)   Tied               61    272  buffer (3) buffer, scale ()
words     Embedding          40    160  weight (10, 4)
layers.0  Linear             20     80  weight (4, 4), bias (4) frozen
out       Linear              0      0  weight (10, 4) of words.weight
61 parameters, 57 of them trained; 272 bytes with buffers
)");
}

BOOST_AUTO_TEST_CASE(parts_count_in_their_modules) {
  const nn::Gpt model({.vocab_size = 65, .block_size = 64});
  const std::string text = nn::summary(model);
  BOOST_TEST(text.find("\ntransformer.h.0.attn         CausalSelfAttention") != text.npos,
             text);
  BOOST_TEST(text.find("804,096 parameters, 804,096 of them trained; 3,216,384 bytes") !=
                 text.npos,
             text);
}

BOOST_AUTO_TEST_CASE(a_part_that_was_moved_from) {
  nn::Linear layer(2, 2);
  const nn::Linear other = std::move(layer);
  BOOST_TEST(error_of([&] { (void)nn::summary(layer); }) ==
             "visit: the part \"weight\" is undefined; the module was moved from, or the "
             "part never given a value");
}

BOOST_AUTO_TEST_SUITE_END()

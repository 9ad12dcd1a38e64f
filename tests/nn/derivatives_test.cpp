// First and second derivatives of the functions of nn, for every subset of the inputs.

#include <functional>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>
#include <fmt/format.h>

#include <heed.h>

#include "tests/autograd/op_samples.h"
#include "tests/nn/checks.h"

using namespace heed;
using nn::Reduction;
using tests::apart;
using tests::In;
using tests::u;

namespace {

struct Row {
  std::string name;
  std::vector<Tensor> inputs;
  std::function<Variable(In)> f;
};

// No number stands at a kink of its function.
std::vector<Row> rows() {
  const Tensor x = apart({2, 4});
  const Tensor one_or_other = where(tests::mask({2, 4}), 1.0, -1.0).to(float64);
  const Tensor classes = tests::indices({2, 0, 1}, {3});
  const Tensor class_weights = u(0.5, 2, {4});
  const auto losses = [](auto f) {
    return [f](In in) {
      return stack({f(in, Reduction::mean), f(in, Reduction::sum),
                    sum(f(in, Reduction::none) * 0.5)});
    };
  };
  return {
      {"relu6", {x * 5}, [](In in) { return nn::relu6(in[0]); }},
      {"hardtanh", {x}, [](In in) { return nn::hardtanh(in[0], -0.5, 0.7); }},
      {"hardsigmoid", {x * 3}, [](In in) { return nn::hardsigmoid(in[0]); }},
      {"hardswish", {x * 3}, [](In in) { return nn::hardswish(in[0]); }},
      {"mish", {x}, [](In in) { return nn::mish(in[0]); }},
      {"selu", {x}, [](In in) { return nn::selu(in[0]); }},
      {"celu", {x}, [](In in) { return nn::celu(in[0], 0.7); }},
      {"glu", {x}, [](In in) { return nn::glu(in[0], 1); }},
      {"softsign", {x}, [](In in) { return nn::softsign(in[0]); }},
      {"tanhshrink", {x}, [](In in) { return nn::tanhshrink(in[0]); }},
      {"softmin", {x}, [](In in) { return nn::softmin(in[0], 1); }},
      {"normalize", {x}, [](In in) { return nn::normalize(in[0]); }},
      {"normalize, p = 3", {x}, [](In in) { return nn::normalize(in[0], 3, 0); }},
      {"pad",
       {x},
       [](In in) {
         return nn::pad(in[0], {1, 2, -1, 1}, 0.5);
       }},
      {"pad_sequence",
       {u(-1, 1, {3, 2}), u(-1, 1, {1, 2})},
       [](In in) {
         return nn::pad_sequence({in[0], in[1]}, {.padding_value = 2});
       }},
      {"gumbel_softmax",
       {x},
       [](In in) {
         Generator generator(1);
         return nn::gumbel_softmax(in[0], 0.8, false, 1, generator);
       }},
      {"embedding",
       {u(-1, 1, {4, 2})},
       [=](In in) { return nn::embedding(classes, in[0]); }},
      {"layer_norm",
       {x, u(0.5, 2, {4}), u(-1, 1, {4})},
       [](In in) { return nn::layer_norm(in[0], {4}, in[1], in[2]); }},
      {"rms_norm",
       {x, u(0.5, 2, {4})},
       [](In in) { return nn::rms_norm(in[0], {4}, in[1]); }},
      {"cosine_similarity",
       {x, u(0.5, 2, {4})},
       [](In in) { return nn::cosine_similarity(in[0], in[1], -1); }},
      {"pairwise_distance",
       {x, u(4, 5, {2, 4})},
       [](In in) { return nn::pairwise_distance(in[0], in[1], 3); }},
      {"mse_loss", {x, u(-1, 1, {2, 4})}, losses([](In in, Reduction reduction) {
         return nn::mse_loss(in[0], in[1], reduction);
       })},
      {"l1_loss", {x, u(4, 5, {2, 4})}, losses([](In in, Reduction reduction) {
         return nn::l1_loss(in[0], in[1], reduction);
       })},
      {"huber_loss", {x, zeros({2, 4}, float64)}, losses([](In in, Reduction reduction) {
         return nn::huber_loss(in[0], in[1], {.reduction = reduction, .delta = 0.6});
       })},
      {"smooth_l1_loss",
       {x, zeros({2, 4}, float64)},
       losses([](In in, Reduction reduction) {
         return nn::smooth_l1_loss(in[0], in[1], {.reduction = reduction, .beta = 0.6});
       })},
      {"binary_cross_entropy",
       {u(0.2, 0.8, {2, 4}), u(0.2, 0.8, {2, 4})},
       losses([](In in, Reduction reduction) {
         return nn::binary_cross_entropy(in[0], in[1], reduction);
       })},
      {"binary_cross_entropy_with_logits",
       {x, u(0.2, 0.8, {2, 4})},
       losses([=](In in, Reduction reduction) {
         return nn::binary_cross_entropy_with_logits(
             in[0], in[1], {.reduction = reduction, .pos_weight = class_weights});
       })},
      {"nll_loss", {u(-2, -1, {3, 4})}, losses([=](In in, Reduction reduction) {
         return nn::nll_loss(in[0], classes,
                             {.weight = class_weights, .reduction = reduction});
       })},
      {"cross_entropy", {u(-2, 2, {3, 4})}, losses([=](In in, Reduction reduction) {
         return nn::cross_entropy(
             in[0], classes,
             {.weight = class_weights, .reduction = reduction, .label_smoothing = 0.1});
       })},
      {"kl_div",
       {u(-2, -1, {2, 4}), u(0.2, 0.8, {2, 4})},
       losses([](In in, Reduction reduction) {
         return nn::kl_div(in[0], in[1], {.reduction = reduction});
       })},
      {"kl_div of logarithms",
       {u(-2, -1, {2, 4}), u(-2, -1, {2, 4})},
       losses([](In in, Reduction reduction) {
         return nn::kl_div(in[0], in[1], {.reduction = reduction, .log_target = true});
       })},
      {"triplet_margin_loss",
       {u(-1, 1, {2, 4}), u(1, 2, {2, 4}), u(-3, -2, {2, 4})},
       losses([](In in, Reduction reduction) {
         return nn::triplet_margin_loss(in[0], in[1], in[2],
                                        {.margin = 9, .reduction = reduction});
       })},
      {"margin_ranking_loss",
       {x, zeros({2, 4}, float64)},
       losses([=](In in, Reduction reduction) {
         return nn::margin_ranking_loss(in[0], in[1], one_or_other,
                                        {.margin = 0.2, .reduction = reduction});
       })},
      {"cosine_embedding_loss",
       {u(0.5, 2, {2, 4}), u(0.5, 2, {2, 4})},
       losses([](In in, Reduction reduction) {
         return nn::cosine_embedding_loss(in[0], in[1], tensor({1, -1}).to(float64),
                                          {.margin = 0.1, .reduction = reduction});
       })},
  };
}

}  // namespace

BOOST_AUTO_TEST_SUITE(derivatives)

BOOST_AUTO_TEST_CASE(functions_have_two_for_every_subset_of_the_inputs) {
  for (const Row& row : rows()) {
    const std::size_t n = row.inputs.size();
    for (unsigned subset = 1; subset < 1u << n; ++subset) {
      std::vector<Tensor> tracked;
      for (std::size_t i = 0; i < n; ++i) {
        if (subset >> i & 1) tracked.push_back(row.inputs[i]);
      }
      const auto f = [&](In in) {
        std::vector<Variable> all(row.inputs.begin(), row.inputs.end());
        for (std::size_t i = 0, next = 0; i < n; ++i) {
          if (subset >> i & 1) all[i] = in[next++];
        }
        return row.f(all);
      };
      BOOST_TEST_CONTEXT(fmt::format("{}, inputs {:b}", row.name, subset)) {
        check_derivatives(f, tracked);
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

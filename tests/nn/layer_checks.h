// What holds for every layer of attention.
#pragma once

#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include <heed.h>

#include "tests/nn/checks.h"

namespace heed {

struct Expected {
  std::vector<std::string> parameters;  // the keys of PyTorch's state_dict, in its order
  std::string printed;
  Shape output, weights;
};

// Checks what the comments below say of a layer, called with `in...`.
template <class Layer, class... In>
void check_layer(Layer net, const Expected& expected, const In&... in) {
  manual_seed(1);
  std::vector<std::string> names;
  for (const auto& [name, parameter] : nn::named_parameters(net)) names.push_back(name);
  BOOST_TEST(names == expected.parameters, boost::test_tools::per_element());
  BOOST_TEST(nn::state_dict(net).size() == names.size());
  BOOST_TEST(nn::to_string(net) == expected.printed);

  // Every parameter is listed, and has a gradient.
  BOOST_TEST(unlisted(net, in...) == "");
  const Variable y = net(in...);
  BOOST_TEST((y.shape() == expected.output));
  if (!names.empty()) {
    sum(square(y)).backward();
    const std::vector<std::string> without = nn::without_gradient(net);
    BOOST_TEST(without == std::vector<std::string>(), boost::test_tools::per_element());
  }

  // In training a layer with dropout gives another result at each call, a layer without
  // it always the same.
  bool has_dropout = false;
  nn::walk(net, [&]<class P>(const std::string&, P& part) {
    if constexpr (std::is_same_v<P, nn::Dropout>) has_dropout |= part.p > 0;
  });
  BOOST_TEST(same(net(in...).value(), net(in...).value()) == !has_dropout);
  nn::eval(net);
  const Tensor output = net(in...).value();
  BOOST_TEST(same(output, net(in...).value()));
  nn::train(net);
  BOOST_TEST(same(output, net(in...).value()) == !has_dropout);
  nn::eval(net);

  // Asked for or not, the weights change no bit of the output.
  if constexpr (requires { net.keep_weights; }) {
    BOOST_TEST(!net.attention_weights.defined());
    net.keep_weights = true;
    BOOST_TEST(same(output, net(in...).value()));
    BOOST_TEST((net.attention_weights.shape() == expected.weights));
    const Tensor totals = sum(net.attention_weights, -1);
    BOOST_TEST(distance(totals, ones_like(totals)) < 1e-6);
    // They are those before dropout.
    const Tensor weights = net.attention_weights;
    nn::train(net);
    net(in...);
    BOOST_TEST(distance(net.attention_weights, weights) < 1e-6);
    nn::eval(net);
  }

  // A clone does the same with numbers of its own.
  Layer copy = nn::clone(net);
  BOOST_TEST(same(output, copy(in...).value()));
  for (const Variable& parameter : nn::parameters(copy)) {
    Tensor(parameter.value()).fill_(0.25);
  }
  BOOST_TEST(same(output, net(in...).value()));
  BOOST_TEST(same(output, copy(in...).value()) == names.empty());
}

}  // namespace heed

// What the tests of modules with many parameters share.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include <heed.h>

#include "tests/nn/checks.h"

namespace heed {

// The names of the parameters in their order, a blank after each.
template <class M>
std::string parameter_names(M net) {
  std::string list;
  for (const auto& [name, parameter] : nn::named_parameters(net)) list += name + " ";
  return list;
}

// The module with random parameters: ones and zeros, as at the start, hide errors.
template <class M>
M randomised(M net) {
  for (const Variable& parameter : nn::parameters(net)) {
    Tensor values = parameter.value();
    values.copy_(0.5 * randn(values.shape(), values.dtype()));
  }
  return net;
}

// Compares first and second derivatives of call(net, inputs), by the inputs and by every
// parameter, with finite differences.
template <class M, class Call>
void check_all_derivatives(const M& net, std::vector<Tensor> inputs, const Call& call) {
  M own = nn::clone(net);
  const std::size_t count = inputs.size();
  for (const Variable& parameter : nn::parameters(own)) {
    inputs.push_back(parameter.value());
  }
  const auto f = [&](const std::vector<Variable>& in) {
    std::size_t next = count;
    nn::walk(own, [&]<class P>(const std::string&, P& part) {
      if constexpr (std::is_same_v<P, Variable>) part = in[next++];
    });
    return call(own, in);
  };
  check_derivatives(f, inputs);
}

// What forward() gives depends on the seed in training; in evaluation it does not, and
// nothing is drawn. Leaves net in evaluation.
template <class M, class Forward>
void check_dropout(M& net, const Forward& forward) {
  const auto run = [&](std::uint64_t seed) {
    manual_seed(seed);
    return forward();
  };
  BOOST_TEST(same(run(1), run(1)));
  BOOST_TEST(!same(run(1), run(2)));
  nn::eval(net);
  const Tensor y = run(1);
  const double drawn = rand({1}).item();
  BOOST_TEST(same(run(2), y));
  manual_seed(1);
  BOOST_TEST(rand({1}).item() == drawn);  // nothing was drawn before
}

}  // namespace heed

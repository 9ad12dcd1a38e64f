// Checks that many tests of layers share.
#pragma once

#include <set>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>
#include <fmt/ranges.h>

#include <heed.h>

#include "tests/compare.h"

namespace heed {

// How many elements are neither NaN nor infinite.
inline double finite(const Tensor& x) { return sum(isfinite(x)).item(); }

// Compares first and second derivatives of f with finite differences.
inline void check_derivatives(const Function& f, const std::vector<Tensor>& inputs) {
  const GradcheckReport first = gradcheck(f, inputs);
  BOOST_TEST(first.ok, first.text());
  const GradcheckReport second = gradgradcheck(f, inputs);
  BOOST_TEST(second.ok, second.text());
}

// The nodes of the graph behind a result.
inline std::set<Node*> nodes_behind(const Variable& result) {
  std::set<Node*> seen;
  std::vector<Node*> waiting = {result.node().get()};
  while (!waiting.empty()) {
    Node* const node = waiting.back();
    waiting.pop_back();
    if (!node || !seen.insert(node).second) continue;
    for (const NodeRef& input : node->inputs()) waiting.push_back(input.get());
  }
  return seen;
}

// What nn::unlisted() finds in a forward pass of the module, as one text; "" is well.
template <class M, class... In>
std::string unlisted(M& module, const In&... inputs) {
  return fmt::format("{}", fmt::join(nn::unlisted(module, module(inputs...)), "; "));
}

}  // namespace heed

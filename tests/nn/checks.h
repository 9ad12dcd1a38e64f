// What the tests of layers ask again and again.
#pragma once

#include <set>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include <heed.h>

namespace heed {

// Whether shape, dtype and elements are equal, NaN to NaN.
inline bool same(const Tensor& a, const Tensor& b) {
  if (a.shape() != b.shape() || a.dtype() != b.dtype()) return false;
  Tensor equal = a == b;
  if (is_floating(a.dtype())) {
    equal = logical_or(equal, logical_and(isnan(a), isnan(b)));
  }
  return all(equal).item() != 0;
}

// The largest difference of two elements; NaN if there is one.
inline double distance(const Tensor& a, const Tensor& b) {
  BOOST_TEST_REQUIRE(a.shape() == b.shape());
  return a.numel() == 0 ? 0 : max(abs(a.to(float64) - b.to(float64))).item();
}

// How many elements are neither NaN nor infinite.
inline double finite(const Tensor& x) { return sum(isfinite(x)).item(); }

// First and second derivatives of f, held to differences.
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

// How many leaves a forward pass of the module touches that visit() does not list.
template <class M, class... In>
std::size_t forgotten_leaves(M& module, const In&... inputs) {
  const Variable result = module(inputs...);
  std::set<Node*> leaves = nodes_behind(result);
  std::erase_if(leaves, [](Node* node) { return !node->inputs().empty(); });
  for (const Variable& parameter : nn::parameters(module)) {
    leaves.erase(parameter.node().get());
  }
  return leaves.size();
}

}  // namespace heed

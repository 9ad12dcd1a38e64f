#include "autograd/topological_order.h"

#include <algorithm>

namespace heed::detail {

TopologicalOrder::TopologicalOrder(std::span<const Variable> outputs,
                                   std::span<Node* const> ends) {
  for (Node* end : ends) states_.try_emplace(end, end).first->second.passes_on = false;
  for (const Variable& output : outputs) visit(output.node().get());
}

// Depth-first search: appends `output` and the nodes that it depends on, each after its
// inputs, unless they were found before. The stack is a vector, since graphs are deeper
// than any call stack.
void TopologicalOrder::visit(Node* output) {
  struct Step {
    NodeState* state;
    std::span<NodeRef> inputs;  // those that are still to be visited
  };
  std::vector<Step> stack;
  const auto enter = [&](Node* node) {
    const auto [place, is_new] = states_.try_emplace(node, node);
    if (is_new) stack.push_back({&place->second, node->inputs()});
  };
  enter(output);
  while (!stack.empty()) {
    Step& step = stack.back();
    if (step.inputs.empty()) {
      inputs_first_.push_back(step.state);
      stack.pop_back();
      continue;
    }
    Node* const input = step.inputs.front().get();
    step.inputs = step.inputs.subspan(1);
    if (input) enter(input);
  }
}

void TopologicalOrder::restrict_to(std::span<const Capture> captures) {
  for (const Capture& capture : captures) {
    if (NodeState* const state = find(capture.node)) state->captured = true;
  }
  for (NodeState* state : inputs_first_) {
    const std::span<NodeRef> inputs = state->node->inputs();
    state->passes_on = std::any_of(inputs.begin(), inputs.end(), [&](const NodeRef& x) {
      return x && find(x.get())->needed();
    });
  }
}

}  // namespace heed::detail

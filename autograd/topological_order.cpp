#include "autograd/topological_order.h"

namespace heed::detail {

TopologicalOrder::TopologicalOrder(std::span<const Variable> outputs,
                                   std::span<Node* const> ends) {
  for (Node* end : ends) {
    if (numbers_.add(end) < states_.size()) continue;
    states_.push_back({.node = end, .first_input = 0, .passes_on = false});
  }
  std::vector<std::size_t> inputs_first;
  for (const Variable& output : outputs) visit(output.node().get(), inputs_first);
  gradients_.resize(states_.size());
  order_.reserve(inputs_first.size());
  for (auto number = inputs_first.rbegin(); number != inputs_first.rend(); ++number) {
    order_.push_back(&states_[*number]);
  }
}

// Depth-first search: appends the numbers of `output` and of the nodes that it depends on
// to `inputs_first`, each after its inputs, unless they were found before. The stack is a
// vector, since graphs are deeper than any call stack.
void TopologicalOrder::visit(Node* output, std::vector<std::size_t>& inputs_first) {
  struct Step {
    std::size_t number;         // of the node
    std::span<NodeRef> inputs;  // those that are still to be visited
    std::size_t next_input;     // the place of their first in inputs_
  };
  std::vector<Step> stack;
  const auto enter = [&](Node* node) {
    const std::size_t number = numbers_.add(node);
    if (number == states_.size()) {  // it is new
      const std::span<NodeRef> inputs = node->inputs();
      stack.push_back({number, inputs, inputs_.size()});
      states_.push_back({.node = node, .first_input = inputs_.size()});
      inputs_.resize(inputs_.size() + inputs.size(), NodeNumbers::none);
    }
    return number;
  };
  enter(output);
  while (!stack.empty()) {
    Step& step = stack.back();
    if (step.inputs.empty()) {
      inputs_first.push_back(step.number);
      stack.pop_back();
      continue;
    }
    Node* const input = step.inputs.front().get();
    const std::size_t place = step.next_input++;
    step.inputs = step.inputs.subspan(1);
    if (input) inputs_[place] = enter(input);
  }
}

void TopologicalOrder::restrict_to(std::span<const Capture> captures) {
  for (const Capture& capture : captures) {
    if (NodeState* const state = find(capture.node)) state->captured = true;
  }
  for (auto state = order_.rbegin(); state != order_.rend(); ++state) {  // inputs first
    NodeState& node = **state;
    node.passes_on = false;
    for (int i = 0; i < std::ssize(node.node->inputs()); ++i) {
      const NodeState* const x = input(node, i);
      if (x && x->needed()) node.passes_on = true;
    }
  }
}

}  // namespace heed::detail

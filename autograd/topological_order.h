// The order in which backward visits the nodes, and what it keeps for each of them. For
// backward.cpp, not for users.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "autograd/accumulate.h"
#include "autograd/node.h"
#include "autograd/node_numbers.h"

namespace heed::detail {

// What one backward pass keeps for a node. It is not kept in the node itself, because
// threads may share leaves and a rule may call grad() on the same graph.
struct NodeState {
  // Whether the gradient of the node is to be computed.
  bool needed() const { return captured || passes_on; }

  Node* node;
  std::size_t first_input;  // where its inputs begin in the list of all inputs
  // Whether an input needs a gradient from it. A leaf has no input, and passes nothing on
  // whatever stands here.
  bool passes_on = true;
  bool captured = false;  // whether grad() asks for its gradient
};

// The nodes that the outputs depend on, each before its inputs: when a node's turn comes,
// all nodes that send it a gradient have had theirs.
class TopologicalOrder {
 public:
  // Finds the nodes, up to the nodes `ends`: these have a state but are not in the order.
  // So the small graph of a fused op is visited without the large one behind its inputs.
  TopologicalOrder(std::span<const Variable> outputs, std::span<Node* const> ends);

  // Restricts the pass to the nodes on the paths from the outputs to the captured nodes.
  void restrict_to(std::span<const Capture> captures);

  // The state of a node; null if the outputs do not depend on it.
  NodeState* find(const Node* node) { return state(numbers_.find(node)); }
  // The state of input i of a node; null if this input needs no gradient.
  NodeState* input(const NodeState& node, int i) {
    return state(inputs_[node.first_input + static_cast<std::size_t>(i)]);
  }
  // The sum of the gradients that have arrived at a node.
  GradientSum& gradient(const NodeState& node) {
    return gradients_[static_cast<std::size_t>(&node - states_.data())];
  }

  auto begin() const { return order_.begin(); }
  auto end() const { return order_.end(); }

 private:
  NodeState* state(std::size_t number) {
    return number == NodeNumbers::none ? nullptr : &states_[number];
  }
  void visit(Node* output, std::vector<std::size_t>& inputs_first);

  NodeNumbers numbers_;
  // By number: the states, and the gradients that have arrived.
  std::vector<NodeState> states_;
  std::vector<GradientSum> gradients_;
  std::vector<std::size_t> inputs_;  // numbers of inputs, for one node after the other
  std::vector<NodeState*> order_;
};

}  // namespace heed::detail

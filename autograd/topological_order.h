// The order in which backward visits the nodes, and what it keeps for each of them. For
// backward.cpp, not for users.
#pragma once

#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "autograd/node.h"

namespace heed::detail {

// What one backward pass keeps for a node. It is not kept in the node itself, because
// threads may share leaves and a rule may call grad() on the same graph.
struct NodeState {
  explicit NodeState(Node* node) : node(node) {}
  // Whether the gradient of the node is to be computed.
  bool needed() const { return captured || passes_on; }

  Node* node;
  std::optional<Variable> gradient;  // the sum of those that have arrived
  bool captured = false;             // whether grad() asks for its gradient
  bool passes_on = true;             // whether an input needs a gradient from it
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
  NodeState* find(const Node* node) {
    const auto found = states_.find(node);
    return found == states_.end() ? nullptr : &found->second;
  }

  auto begin() const { return inputs_first_.rbegin(); }
  auto end() const { return inputs_first_.rend(); }

 private:
  void visit(Node* output);

  std::unordered_map<const Node*, NodeState> states_;
  std::vector<NodeState*> inputs_first_;
};

}  // namespace heed::detail

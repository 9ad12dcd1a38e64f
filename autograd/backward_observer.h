// Looking on at a backward pass. For backward.cpp and those that look on, not for users.
#pragma once

#include <memory>
#include <span>

#include "autograd/node.h"

namespace heed::detail {

class BackwardObserver {
 public:
  virtual ~BackwardObserver() = default;
  // It is the node's turn: g is the gradient of its result, with all its parts.
  virtual void visit(Node& node, const Variable& g) = 0;
  // The rule of `node` for its input i has given `gradient`, which may have any shape
  // that the shape of `input`, the input's node, broadcasts to.
  virtual void deliver(Node& node, int i, Node& input, const Variable& gradient) = 0;
};

// Checks a pass that starts with these gradients, and lets `next`, if any, look on too;
// null if this thread does not check, or runs a rule already. (DetectAnomaly in
// anomaly.h)
std::unique_ptr<BackwardObserver> anomaly_observer(std::span<const Variable> gradients,
                                                   BackwardObserver* next);

}  // namespace heed::detail

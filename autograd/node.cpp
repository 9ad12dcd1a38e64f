#include "autograd/node.h"

#include <utility>

namespace heed {
namespace {

std::uint32_t version_of(const Tensor& x) {
  return x.storage() ? x.storage()->version.load(std::memory_order_relaxed) : 0;
}

}  // namespace

NodeRef::NodeRef(Node* node) : node_(node) {
  if (!node) return;
  if (node->references.load(std::memory_order_relaxed) == 0) {
    // A new node, of which no other thread knows: a plain write is ten times as fast.
    node->references.store(1, std::memory_order_relaxed);
  } else {
    node->references.fetch_add(1, std::memory_order_relaxed);
  }
}

NodeRef::NodeRef(const NodeRef& other) noexcept : NodeRef(other.node_) {}

// Deleting a node lets go of its inputs, which may be the last to hold theirs, and so on:
// recursion as deep as the graph. Nodes that become free while one is deleted are put on
// a list instead, linked through themselves, and the outermost call works the list off.
void NodeRef::release() {
  // Whoever holds the last reference need not write that there is none.
  if (node_->references.load(std::memory_order_acquire) != 1 &&
      node_->references.fetch_sub(1, std::memory_order_acq_rel) != 1) {
    return;
  }
  thread_local Node* waiting = nullptr;
  thread_local bool working = false;
  node_->next_to_free = std::exchange(waiting, node_);
  if (working) return;
  working = true;
  while (Node* const node = waiting) {
    waiting = node->next_to_free;
    delete node;
  }
  working = false;
}

SavedTensor::SavedTensor(const Tensor& value, NodeRef node, bool is_result)
    : value(value),
      node(std::move(node)),
      version(version_of(value)),
      is_result(is_result) {}

void Node::differentiate(const Variable&, Requests&) {
  fail("backward: {} has no derivative", op.name);
}

void Node::check_usable() {
  check(
      !freed,
      "backward: the graph behind {} was freed by an earlier backward() or grad(); "
      "pass {{.retain_graph = true}} to the earlier one, or, where losses share a part, "
      "call backward() once, on their sum; detach() what is carried over from an earlier "
      "step",
      op.name);
  for (const SavedTensor& tensor : saved()) {
    if (tensor.version == version_of(tensor.value)) continue;
    fail(
        "backward: a tensor of shape {} that {} needs for its derivative was overwritten "
        "after {} ran; write to a clone() of it, or after the backward; often the cause "
        "is a step() of an optimiser between two backwards",
        tensor.value.shape(), op.name, op.name);
  }
}

void Node::free_saved() {
  freed = true;
  for (SavedTensor& tensor : saved()) tensor = SavedTensor();
}

}  // namespace heed

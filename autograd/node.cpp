#include "autograd/node.h"

#include "autograd/record.h"

namespace heed {

NodeRef::NodeRef(Node* node) : node_(node) {
  if (node) node->references.fetch_add(1, std::memory_order_relaxed);
}

NodeRef::NodeRef(const NodeRef& other) noexcept : NodeRef(other.node_) {}

// Deleting a node lets go of its inputs, which may be the last to hold theirs, and so on:
// recursion as deep as the graph. Nodes that become free while one is deleted are put on
// a list instead, linked through themselves, and the outermost call works the list off.
void NodeRef::release() {
  if (node_->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
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

KeptTensor::KeptTensor(const Tensor& value, NodeRef node, bool is_result)
    : value(value),
      node(std::move(node)),
      version(value.storage() ? value.storage()->version.load(std::memory_order_relaxed)
                              : 0),
      is_result(is_result) {}

Variable Node::gradient(int, const Variable&) const {
  fail("backward: {} has no derivative", op);
}

void Node::free_kept() {
  freed = true;
  for (KeptTensor& tensor : kept()) tensor = KeptTensor();
}

Variable Kept::operator[](int i) const {
  const KeptTensor& kept = tensors_[i];
  check(!kept.value.storage() ||
            kept.value.storage()->version.load(std::memory_order_relaxed) == kept.version,
        "backward: a tensor of shape {} that {} needs for its derivative was overwritten "
        "after {} ran; write to a clone() of it, or after the backward",
        kept.value.shape(), node_.op, node_.op);
  if (kept.is_result) return Variable(kept.value, NodeRef(const_cast<Node*>(&node_)));
  return Variable(kept.value, kept.node);
}

namespace detail {

KeptTensor make_kept(const KeepEntry& entry, const Tensor& result) {
  if (entry.is_result) return KeptTensor(result, NodeRef(), true);
  if (!entry.value) return KeptTensor();
  return KeptTensor(*entry.value,
                    entry.variable ? input_node(*entry.variable) : NodeRef(), false);
}

NodeRef input_node(const Variable& input) {
  return input.requires_grad() ? input.node() : NodeRef();
}

}  // namespace detail

Variable record_constant(const char* op, Tensor value,
                         std::initializer_list<const Variable*> inputs) {
  bool wanted = false;
  for (const Variable* input : inputs) wanted |= input->requires_grad();
  if (!wanted || !grad_enabled()) return Variable(std::move(value));
  NodeRef node(new Node(op, value));
  node->differentiable = false;
  return Variable(std::move(value), std::move(node));
}

}  // namespace heed

#include "autograd/record.h"

namespace heed {

Variable Kept::operator[](int i) const {
  const auto count = static_cast<int>(tensors_.size());
  check(0 <= i && i < count, "{}: its rule reads entry {} of keep(), which has {}",
        node_.op, i, count);
  const KeptTensor& kept = tensors_[static_cast<std::size_t>(i)];
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
  if (!detail::recorded(inputs)) return Variable(std::move(value));
  NodeRef node(new Node(op, value, Node::Kind::constant));
  return Variable(std::move(value), std::move(node));
}

}  // namespace heed

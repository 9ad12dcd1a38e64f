#include "autograd/record.h"

#include "tensor/core/factories.h"

namespace heed {

Variable Kept::operator[](int i) const {
  const auto count = static_cast<int>(tensors_.size());
  check(0 <= i && i < count, "{}: its rule reads entry {} of keep(), which has {}",
        node_.op.name, i, count);
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

std::vector<Variable> differentiate_composed(std::span<const Variable> inputs,
                                             std::span<const bool> wanted,
                                             const Variable& g,
                                             const Composed& composed) {
  const bool create_graph = grad_enabled();
  const SetGradEnabled recording(true);
  std::vector<Variable> aliases, gradients;
  std::vector<Node*> ends;
  std::vector<Capture> captures;
  gradients.reserve(inputs.size());  // captures point into it
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Variable& x = inputs[i];
    aliases.push_back(record({"alias", "dx = g"}, x.value(), heed::inputs(x), keep(),
                             [](const Variable& g) { return g; }));
    gradients.emplace_back();
    if (!aliases[i].requires_grad()) continue;
    Node* const end = aliases[i].node().get();
    ends.push_back(end);
    if (!wanted[i]) continue;
    gradients[i] = zeros_like(x.value());  // unless the result depends on it
    captures.push_back({end, &gradients[i]});
  }
  const Variable y = composed(aliases);
  if (y.requires_grad() && !captures.empty()) {
    run_backward({&y, 1}, {&g, 1}, captures, {.create_graph = create_graph}, ends);
  }
  return gradients;
}

}  // namespace detail

Variable record_constant(const char* name, Tensor value,
                         std::initializer_list<const Variable*> inputs) {
  if (!detail::recorded(inputs)) return Variable(std::move(value));
  NodeRef node(new Node({name}, value, Node::Kind::constant));
  return Variable(std::move(value), std::move(node));
}

}  // namespace heed

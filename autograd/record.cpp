#include "autograd/record.h"

namespace heed {
namespace detail {

SavedTensor saved_tensor(const ToSave& tensor, const Tensor& result) {
  if (!tensor.value) return SavedTensor(result, NodeRef(), true);
  return SavedTensor(*tensor.value,
                     tensor.variable ? node_of(*tensor.variable) : NodeRef(), false);
}

}  // namespace detail

Variable record_constant(const char* name, Tensor value,
                         std::initializer_list<Input> inputs) {
  if (!detail::is_recorded({name}, value, inputs)) return Variable(std::move(value));
  NodeRef node(new Node({name}, value, Node::Kind::constant));
  return Variable(std::move(value), std::move(node));
}

}  // namespace heed

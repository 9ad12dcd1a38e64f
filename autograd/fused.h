// Fused ops: those with kernels of their own beside their formula.
#pragma once

#include "autograd/record.h"

namespace heed {

// The inputs of a fused op.
template <std::same_as<Variable>... V>
std::array<Input, sizeof...(V)> inputs(const V&... variables) {
  return {std::cref(variables)...};
}

namespace detail {

// The gradients of `inputs`, given the gradient g of composed(inputs); undefined
// for inputs that are not `wanted`. Runs composed on aliases of the inputs, and a
// backward pass from its result to the aliases. If ops are recorded, so are the
// gradients.
//
// An alias is an input passed through an op that changes nothing. The backward pass ends
// at the aliases, so it does not run into the graph behind the inputs, and an input that
// is given twice gets two gradients. The node of an alias leads on to its input: through
// it gradients that are recorded can be differentiated again.
std::vector<Variable> differentiate_composed(
    std::span<const Variable> inputs, std::span<const bool> wanted, const Variable& g,
    const std::function<Variable(std::span<const Variable>)>& composed);

}  // namespace detail

// As record, for an op that has no rules. `value` is what the op's kernels computed. The
// gradients are computed in one of two ways:
//
//   composed(inputs)       the op written with other ops on Variables. It is
//                          differentiated where gradients are recorded: in a backward
//                          with create_graph.
//   backward(g, wanted, inputs, saved)
//                          an array of gradients, one an input, by the kernels; used in
//                          every other backward. `wanted`, an array of bool, says which
//                          of the gradients are used.
//
// inputs, saved and wanted are arrays, in the order of the lists that record_fused was
// given; a structured binding names their elements. In composed the inputs are Variables,
// in backward Tensors.
//
// Every tensor that composed needs must be an input, also a constant: all inputs are
// saved, and so a later write to one of them is noticed.
//
// Without `backward` composed is always differentiated. That is for gradients with a
// kernel of their own: softmax has an ordinary rule, which calls softmax_gradient() (in
// softmax.cpp), and softmax_gradient() is a fused op without a `backward`.
template <std::size_t I, std::size_t S, class Composed, class Backward = std::nullptr_t>
Variable record_fused(OpInfo op, Tensor value, const std::array<Input, I>& inputs,
                      const std::array<ToSave, S>& saves, Composed composed,
                      Backward backward = nullptr) {
  if (!detail::is_recorded(op, value, inputs)) return Variable(std::move(value));
  auto differentiate = [composed = std::move(composed), backward = std::move(backward)](
                           Node& node, const Variable& g, Requests& requests) {
    std::array<bool, I> wanted;
    for (std::size_t i = 0; i < I; ++i) wanted[i] = requests.wants(static_cast<int>(i));
    const auto deliver = [&](auto&& gradients) {
      for (std::size_t i = 0; i < I; ++i) {
        if (wanted[i]) requests.deliver(static_cast<int>(i), std::move(gradients[i]));
      }
    };
    const std::span<const SavedTensor> saved = node.saved();
    if constexpr (!std::same_as<Backward, std::nullptr_t>) {
      if (!grad_enabled()) {
        std::array<Tensor, I> inputs;
        std::array<Tensor, S> others;
        for (std::size_t i = 0; i < I; ++i) inputs[i] = saved[i].value;
        for (std::size_t i = 0; i < S; ++i) others[i] = saved[I + i].value;
        return deliver(backward(g.value(), wanted, inputs, others));
      }
    }
    std::array<Variable, I> inputs;
    for (std::size_t i = 0; i < I; ++i) inputs[i] = saved[i].unpack(node);
    deliver(detail::differentiate_composed(
        inputs, wanted, g, [&](std::span<const Variable> aliases) {
          std::array<Variable, I> arguments;
          std::copy(aliases.begin(), aliases.end(), arguments.begin());
          return composed(arguments);
        }));
  };
  std::array<NodeRef, I> nodes;
  std::transform(inputs.begin(), inputs.end(), nodes.begin(), detail::node_of);
  NodeRef node =
      detail::make_node<I + S>(op, value, std::move(nodes), std::move(differentiate));
  SavedTensor* saved = node->saved().data();
  for (const Variable& input : inputs) *saved++ = detail::saved_tensor(input, value);
  for (const ToSave& tensor : saves) *saved++ = detail::saved_tensor(tensor, value);
  return Variable(std::move(value), std::move(node));
}

}  // namespace heed

// How an op is written: its value, and beside it a rule for each input.
//
//   // a b, elementwise
//   Variable operator*(const Variable& a, const Variable& b) {
//     return record({"mul", "da = g b,  db = g a"}, a.value() * b.value(),
//                   rule(a, save(b), [](auto& g, auto& b) { return g * b; }),
//                   rule(b, save(a), [](auto& g, auto& a) { return g * a; }));
//   }
//
// The rule for a turns g, the gradient of the result, into the gradient of a. A rule is
// mathematics: it returns a new Variable and changes nothing. It is written with ops on
// Variables, so that it can be differentiated itself. It sees only g, then what save()
// lists, all as const Variables, and plain numbers that it captures: the a and b in the
// rules above are the saved ones, and hide the op's. It may return a gradient of the
// result's shape where its input was broadcast: backward sums it to the input's shape. It
// may return a SliceGradient where the rest is 0.
//
// save() lists what the rule needs of the forward pass: Variables, constant Tensors, and
// `result` for the op's own result. The node holds these tensors if the rule's input
// requires a gradient, with the version that their storage has now: each write to the
// storage, through any view of it, makes a new version.
//
// When nothing is to be recorded, record() returns the value and saves nothing.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <utility>
#include <vector>

#include "autograd/anomaly.h"
#include "autograd/node.h"

namespace heed {

// An input of an op.
using Input = std::reference_wrapper<const Variable>;

// A tensor to be saved, by its address: nothing is copied when nothing is recorded.
struct ToSave {
  const Tensor* value = nullptr;       // null: the op's own result
  const Variable* variable = nullptr;  // whose value it is; null: it is a constant

  ToSave() = default;
  ToSave(const Variable& x) : value(&x.value()), variable(&x) {}
  ToSave(const Tensor& constant) : value(&constant) {}
};

// The op's own result, in save().
inline const ToSave result;

// What a rule needs, in the order of its parameters after g.
// Not temporaries: only their addresses are kept.
template <std::convertible_to<ToSave>... T>
std::array<ToSave, sizeof...(T)> save(T&&... tensors) {
  static_assert((std::is_lvalue_reference_v<T> && ...),
                "heed: save() keeps addresses, and a temporary does not live until the "
                "tensors are saved: give it a name");
  return {ToSave(tensors)...};
}

// The rule for `input`: gradient(g, saved...), with S saved tensors, is its gradient.
template <std::size_t S, class Gradient>
struct Rule {
  Input input;
  std::array<ToSave, S> saves;
  Gradient gradient;
};

template <std::size_t S, class Gradient>
Rule<S, Gradient> rule(const Variable& input, const std::array<ToSave, S>& saves,
                       Gradient gradient) {
  return {input, saves, std::move(gradient)};
}

template <class Gradient>
Rule<0, Gradient> rule(const Variable& input, Gradient gradient) {
  return {input, {}, std::move(gradient)};
}

namespace detail {

// Whether an op on these inputs is recorded. Every op asks this, and so its value is
// checked here if DetectAnomaly is in force.
template <class Inputs>
bool is_recorded(const OpInfo& op, const Tensor& value, const Inputs& inputs) {
  if (detects_anomaly()) check_op(op, value, {inputs.begin(), inputs.end()});
  return grad_enabled() &&
         std::any_of(inputs.begin(), inputs.end(),
                     [](const Variable& x) { return x.requires_grad(); });
}

// The node of an input that requires a gradient, else null.
inline NodeRef node_of(const Variable& input) {
  const NodeRef& node = input.node();
  return node && node->requires_grad() ? node : NodeRef();
}
// The tensor as the node of an op with this result keeps it.
SavedTensor saved_tensor(const ToSave& tensor, const Tensor& result);

// The node of an op. `Inputs` are the nodes of its inputs: an array, with which all is in
// one block of memory, or a vector, where only the call tells how many there are.
template <class Inputs, std::size_t S, class Differentiate>
class OpNode final : public Node {
 public:
  OpNode(OpInfo op, const Tensor& value, Inputs inputs, Differentiate differentiate)
      : Node(op, value),
        inputs_(std::move(inputs)),
        differentiate_(std::move(differentiate)) {}

  void differentiate(const Variable& g, Requests& requests) override {
    differentiate_(*this, g, requests);
  }
  std::span<NodeRef> inputs() override { return inputs_; }
  std::span<SavedTensor> saved() override { return saved_; }

 private:
  Inputs inputs_;
  std::array<SavedTensor, S> saved_;
  [[no_unique_address]] Differentiate differentiate_;
};

// A node with room for S saved tensors. differentiate(node, g, requests) delivers the
// gradients of the inputs.
template <std::size_t S, class Inputs, class Differentiate>
NodeRef make_node(OpInfo op, const Tensor& value, Inputs inputs,
                  Differentiate differentiate) {
  return NodeRef(new OpNode<Inputs, S, Differentiate>(op, value, std::move(inputs),
                                                      std::move(differentiate)));
}

// gradient(g, saved...), with S saved tensors as Variables; `node` saved them.
template <std::size_t S, class Gradient>
auto apply(const Gradient& gradient, const Variable& g, const SavedTensor* saved,
           Node& node) {
  return [&]<std::size_t... i>(std::index_sequence<i...>) {
    [[maybe_unused]] const std::array<Variable, S> unpacked = {saved[i].unpack(node)...};
    return gradient(g, unpacked[i]...);
  }
  (std::make_index_sequence<S>());
}

}  // namespace detail

// The op's result: `value`, and the node that remembers how to differentiate it if any
// input requires a gradient and recording is on.
template <std::size_t... S, class... Gradient>
Variable record(OpInfo op, Tensor value, Rule<S, Gradient>... rules) {
  if (!detail::is_recorded(op, value, std::array{rules.input...})) {
    return Variable(std::move(value));
  }
  auto differentiate = [... gradient = std::move(rules.gradient)](
                           Node& node, const Variable& g, Requests& requests) {
    int i = 0;                                       // the rule's input
    const SavedTensor* saved = node.saved().data();  // the first that the rule saved
    const auto run = [&](const auto& gradient, auto count) {
      if (requests.wants(i)) {
        requests.deliver(i, detail::apply<count>(gradient, g, saved, node));
      }
      ++i;
      saved += count;
    };
    (run(gradient, std::integral_constant<std::size_t, S>()), ...);
  };
  NodeRef node = detail::make_node<(S + ... + 0)>(
      op, value, std::array{detail::node_of(rules.input)...}, std::move(differentiate));
  const NodeRef* input = node->inputs().data();
  SavedTensor* saved = node->saved().data();
  const auto save_for = [&](const auto& rule) {
    for (const ToSave& tensor : rule.saves) {
      if (*input) *saved = detail::saved_tensor(tensor, value);
      ++saved;
    }
    ++input;
  };
  (save_for(rules), ...);
  return Variable(std::move(value), std::move(node));
}

// The same for a list of inputs, such as those of cat: gradient(i, g) is that of input i.
template <class Gradient>
Variable record(OpInfo op, Tensor value, std::span<const Variable> inputs,
                Gradient gradient) {
  if (!detail::is_recorded(op, value, inputs)) return Variable(std::move(value));
  std::vector<NodeRef> nodes;
  for (const Variable& input : inputs) nodes.push_back(detail::node_of(input));
  auto differentiate = [gradient = std::move(gradient)](Node& node, const Variable& g,
                                                        Requests& requests) {
    for (int i = 0; i < std::ssize(node.inputs()); ++i) {
      if (requests.wants(i)) requests.deliver(i, gradient(i, g));
    }
  };
  NodeRef node =
      detail::make_node<0>(op, value, std::move(nodes), std::move(differentiate));
  return Variable(std::move(value), std::move(node));
}

// The result of an op without a derivative, such as argmax. It is a constant to every op
// that takes it; backward() of the result itself says that the op has none.
Variable record_constant(const char* name, Tensor value,
                         std::initializer_list<Input> inputs);

}  // namespace heed

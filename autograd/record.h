// How an op is written: its value, and beside it a rule for each input.
//
//   // a b, elementwise
//   Variable operator*(const Variable& a, const Variable& b) {
//     return record(
//         {"mul", "da = g b,  db = g a"}, a.value() * b.value(),
//         rule(a, save(b), [](const Variable& g, const Variable& b) { return g * b; }),
//         rule(b, save(a), [](const Variable& g, const Variable& a) { return g * a; }));
//   }
//
// The rule for a turns g, the gradient of the result, into the gradient of a. It is
// mathematics: it returns a new Variable and changes nothing. It is written in ops on
// Variables, so that it can be differentiated itself, and sees only g, then what save()
// lists, and plain numbers that it captures. A rule may return a gradient of the result's
// shape where its input was broadcast: backward sums it to the input's shape.
//
// save() lists what the rule needs of the forward pass: Variables, constant Tensors, and
// `result` for the op's own result. The node holds these tensors, with the version that
// they have now, if the rule's input requires a gradient.
//
// When nothing is to be recorded, record() returns the value and saves nothing.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <type_traits>
#include <vector>

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

template <std::convertible_to<ToSave>... T>
std::array<ToSave, sizeof...(T)> save(const T&... tensors) {
  return {ToSave(tensors)...};
}

// The rule for `input`: gradient(g, saved...) is its gradient.
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

// Whether an op on these inputs is recorded.
template <class Inputs>
bool is_recorded(const Inputs& inputs) {
  return grad_enabled() &&
         std::any_of(inputs.begin(), inputs.end(),
                     [](const Variable& x) { return x.requires_grad(); });
}

// The node of an input that a gradient can reach, else null.
NodeRef node_of(const Variable& input);
SavedTensor saved_tensor(const ToSave& tensor, const Tensor& result);

// The node of an op, in one block of memory where `Inputs` is an array.
template <class Inputs, std::size_t S, class Differentiate>
class OpNode final : public Node {
 public:
  OpNode(Op op, const Tensor& value, Inputs inputs, Differentiate differentiate)
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
NodeRef make_node(Op op, const Tensor& value, Inputs inputs,
                  Differentiate differentiate) {
  return NodeRef(new OpNode<Inputs, S, Differentiate>(op, value, std::move(inputs),
                                                      std::move(differentiate)));
}

// f(at(0), ..., at(N - 1))
template <std::size_t N, class F, class At>
auto call(const F& f, const At& at) {
  return [&]<std::size_t... i>(std::index_sequence<i...>) { return f(at(i)...); }
  (std::make_index_sequence<N>());
}

// The gradients of `inputs`, given the gradient g of composed(inputs): those that are
// `wanted`, the others empty. Runs composed on aliases of the inputs and walks back from
// its result as far as these. Where gradients are recorded, so are these.
std::vector<Variable> differentiate_composed(
    std::span<const Variable> inputs, std::span<const bool> wanted, const Variable& g,
    const std::function<Variable(std::span<const Variable>)>& composed);

}  // namespace detail

// The op's result: `value`, and the node that remembers how to differentiate it if any
// input requires a gradient and recording is on.
template <std::size_t... S, class... Gradient>
Variable record(Op op, Tensor value, Rule<S, Gradient>... rules) {
  if (!detail::is_recorded(std::array{rules.input...})) return Variable(std::move(value));
  NodeRef node = detail::make_node<(S + ... + 0)>(
      op, value, std::array{detail::node_of(rules.input)...},
      [... gradient = std::move(rules.gradient)](Node& node, const Variable& g,
                                                 Requests& requests) {
        int i = 0;
        const SavedTensor* saved = node.saved().data();
        const auto run = [&](auto count, const auto& gradient) {
          const auto unpack = [&](std::size_t j) { return saved[j].unpack(node); };
          const auto rule = [&](const auto&... x) { return gradient(g, x...); };
          if (requests.wants(i)) requests.deliver(i, detail::call<count>(rule, unpack));
          ++i;
          saved += count;
        };
        (run(std::integral_constant<std::size_t, S>(), gradient), ...);
      });
  SavedTensor* saved = node->saved().data();
  const auto save_for = [&](const auto& rule) {
    for (const ToSave& tensor : rule.saves) {
      if (rule.input.get().requires_grad()) *saved = detail::saved_tensor(tensor, value);
      ++saved;
    }
  };
  (save_for(rules), ...);
  return Variable(std::move(value), std::move(node));
}

// The same for a list of inputs, such as those of cat: gradient(i, g) is that of input i.
template <class Gradient>
Variable record(Op op, Tensor value, std::span<const Variable> inputs,
                Gradient gradient) {
  if (!detail::is_recorded(inputs)) return Variable(std::move(value));
  std::vector<NodeRef> nodes;
  for (const Variable& input : inputs) nodes.push_back(detail::node_of(input));
  NodeRef node =
      detail::make_node<0>(op, value, std::move(nodes),
                           [gradient = std::move(gradient)](Node& node, const Variable& g,
                                                            Requests& requests) {
                             for (int i = 0; i < std::ssize(node.inputs()); ++i) {
                               if (requests.wants(i)) requests.deliver(i, gradient(i, g));
                             }
                           });
  return Variable(std::move(value), std::move(node));
}

// The inputs of a fused op.
template <std::same_as<Variable>... V>
std::array<Input, sizeof...(V)> inputs(const V&... variables) {
  return {std::cref(variables)...};
}

// As record, for an op that has kernels of its own beside its formula. `value` is what
// the kernels computed, and for the gradients there are two ways:
//
//   composed(inputs...)         the op in ops on Variables, which say what it is. It is
//                               differentiated where the walk is recorded: in a backward
//                               with create_graph.
//   backward(g, wanted, inputs..., saved...)
//                               an array of gradients, one an input, by the kernels, in
//                               all other walks. All arguments are Tensors but `wanted`,
//                               an array of bool; what it leaves out is not looked at.
//
// Whatever tensor composed needs is an input, a constant too, so that it has a version.
// Without `backward` all walks differentiate composed: for the derivative of a fused op.
template <std::size_t I, std::size_t S, class Composed, class Backward = std::nullptr_t>
Variable record_fused(Op op, Tensor value, const std::array<Input, I>& inputs,
                      const std::array<ToSave, S>& saves, Composed composed,
                      Backward backward = nullptr) {
  if (!detail::is_recorded(inputs)) return Variable(std::move(value));
  std::array<NodeRef, I> nodes;
  std::transform(inputs.begin(), inputs.end(), nodes.begin(), detail::node_of);
  NodeRef node = detail::make_node<I + S>(
      op, value, std::move(nodes),
      [composed = std::move(composed), backward = std::move(backward)](
          Node& node, const Variable& g, Requests& requests) {
        const std::span<const SavedTensor> saved = node.saved();
        const std::array<bool, I> wanted = requests.wanted<I>();
        const auto deliver = [&](auto&& gradients) {
          for (std::size_t i = 0; i < I; ++i) {
            if (wanted[i]) requests.deliver(static_cast<int>(i), gradients[i]);
          }
        };
        if constexpr (!std::same_as<Backward, std::nullptr_t>) {
          if (!grad_enabled()) {
            return deliver(detail::call<I + S>(
                [&](const auto&... x) { return backward(g.value(), wanted, x...); },
                [&](std::size_t i) -> const Tensor& { return saved[i].value; }));
          }
        }
        std::array<Variable, I> inputs;
        for (std::size_t i = 0; i < I; ++i) inputs[i] = saved[i].unpack(node);
        deliver(detail::differentiate_composed(
            inputs, wanted, g, [&](std::span<const Variable> in) {
              return detail::call<I>(
                  composed, [&](std::size_t i) -> const Variable& { return in[i]; });
            }));
      });
  const std::span<SavedTensor> saved = node->saved();
  for (std::size_t i = 0; i < I; ++i) {
    saved[i] = detail::saved_tensor(inputs[i].get(), value);
  }
  for (std::size_t i = 0; i < S; ++i) {
    saved[I + i] = detail::saved_tensor(saves[i], value);
  }
  return Variable(std::move(value), std::move(node));
}

// The result of an op without a derivative, such as argmax. It is a constant to every op
// that takes it; backward() of the result itself says that the op has none.
Variable record_constant(const char* name, Tensor value,
                         std::initializer_list<Input> inputs);

}  // namespace heed

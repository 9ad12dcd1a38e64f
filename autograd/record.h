// How an op is written: its value, and beside it one rule an input.
//
//   // a b, elementwise
//   Variable operator*(const Variable& a, const Variable& b) {
//     return record({"mul", "da = g b,  db = g a"}, a.value() * b.value(),
//                   inputs(a, b), keep(needed_by(b, a), needed_by(a, b)),
//                   [](const Kept& k, const Variable& g) { return g * k[1]; },
//                   [](const Kept& k, const Variable& g) { return g * k[0]; });
//   }
//
// A rule turns the gradient of the result into the gradient of its input. It is
// mathematics: it returns a new Variable and changes nothing. It is written in ops on
// Variables, so that it can be differentiated itself, and sees only the gradient, what
// keep() lists, and plain numbers that it captures. A rule may return a gradient of the
// result's shape where its input was broadcast: backward sums it to the input's shape.
//
// keep() lists tensors by address (KeepEntry), so that nothing is copied when nothing is
// recorded; the node then holds them with the version they had (KeptTensor); a rule sees
// them as Variables (Kept).
//
// When nothing is to be recorded, record() returns the value, and keeps nothing.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <functional>
#include <tuple>
#include <vector>

#include "autograd/node.h"

namespace heed {

// The inputs of an op, in the order of its rules.
template <std::same_as<Variable>... V>
std::array<const Variable*, sizeof...(V)> inputs(const V&... variables) {
  return {&variables...};
}

// Stands for the op's own result in keep(). The graph does not own a kept result's
// history, so keeping it makes no cycle.
struct Result {};
inline constexpr Result result{};

// One entry of keep(): an input, a constant, the result, or nothing.
struct KeepEntry {
  const Tensor* value = nullptr;
  const Variable* variable = nullptr;  // whose value it is, if it has a history
  bool is_result = false;

  KeepEntry() = default;
  KeepEntry(const Variable& kept) : value(&kept.value()), variable(&kept) {}
  KeepEntry(const Tensor& constant) : value(&constant) {}
  KeepEntry(Result) : is_result(true) {}
};

// `kept`, but only if `input` requires a gradient: for a tensor that only its rule needs.
inline KeepEntry needed_by(const Variable& input, KeepEntry kept) {
  return input.requires_grad() ? kept : KeepEntry();
}

// What the rules need; k[i] in a rule is entry i.
template <std::convertible_to<KeepEntry>... K>
std::array<KeepEntry, sizeof...(K)> keep(const K&... entries) {
  return {KeepEntry(entries)...};
}

// What was kept, as a rule sees it.
class Kept {
 public:
  Kept(const Node& node, std::span<const KeptTensor> tensors)
      : node_(node), tensors_(tensors) {}
  // Entry i of keep().
  Variable operator[](int i) const;

 private:
  const Node& node_;
  std::span<const KeptTensor> tensors_;
};

namespace detail {

KeptTensor make_kept(const KeepEntry& entry, const Tensor& result);
// The node of an input that a gradient can reach, else null.
NodeRef input_node(const Variable& input);

// Whether an op on these inputs is recorded.
inline bool recorded(std::span<const Variable* const> inputs) {
  if (!grad_enabled()) return false;
  for (const Variable* input : inputs) {
    if (input->requires_grad()) return true;
  }
  return false;
}

template <class Rule>
Variable apply(const Rule& rule, const Kept& kept, const Variable& g) {
  if constexpr (std::invocable<const Rule&, const Kept&, const Variable&>) {
    return rule(kept, g);
  } else {
    return rule(g);
  }
}

// An op with a fixed number of inputs: everything in one block of memory.
template <std::size_t I, std::size_t K>
class FixedNode : public Node {
 public:
  FixedNode(Op op, const Tensor& value, const std::array<const Variable*, I>& in,
            const std::array<KeepEntry, K>& keep)
      : Node(op, value) {
    for (std::size_t i = 0; i < I; ++i) inputs_[i] = input_node(*in[i]);
    for (std::size_t i = 0; i < K; ++i) kept_[i] = make_kept(keep[i], value);
  }
  std::span<NodeRef> inputs() final { return inputs_; }
  std::span<KeptTensor> kept() final { return kept_; }

 protected:
  Kept kept_for_rules() const { return Kept(*this, kept_); }

 private:
  std::array<NodeRef, I> inputs_;
  std::array<KeptTensor, K> kept_;
};

// With one rule an input.
template <std::size_t I, std::size_t K, class... Rules>
class OpNode final : public FixedNode<I, K> {
 public:
  OpNode(Op op, const Tensor& value, const std::array<const Variable*, I>& in,
         const std::array<KeepEntry, K>& keep, Rules... rules)
      : FixedNode<I, K>(op, value, in, keep), rules_(std::move(rules)...) {}

  void differentiate(const Variable& g, Requests& requests) const override {
    const Kept kept = this->kept_for_rules();
    int i = 0;
    const auto run = [&](const auto& rule) {
      if (requests.wants(i)) requests.deliver(i, apply(rule, kept, g));
      ++i;
    };
    std::apply([&](const Rules&... rules) { (run(rules), ...); }, rules_);
  }

 private:
  [[no_unique_address]] std::tuple<Rules...> rules_;
};

using Composed = std::function<Variable(std::span<const Variable>)>;
// The gradients of `inputs`, given the gradient g of composed(inputs): those that are
// `wanted`, the others empty. Runs composed on aliases of the inputs and walks back from
// its result as far as these. Where gradients are recorded, so are these.
std::vector<Variable> differentiate_composed(std::span<const Variable> inputs,
                                             std::span<const bool> wanted,
                                             const Variable& g, const Composed& composed);

// Stands for the backward of an op that has none but that of its composed form.
struct NoBackward {};

// With a composed form and, for walks that are not recorded, a backward on tensors. It
// keeps the inputs first, and then what keep() lists.
template <std::size_t I, std::size_t K, class ComposedForm, class Backward>
class FusedNode final : public FixedNode<I, I + K> {
 public:
  FusedNode(Op op, const Tensor& value, const std::array<const Variable*, I>& in,
            const std::array<KeepEntry, K>& keep, ComposedForm composed,
            Backward backward)
      : FixedNode<I, I + K>(op, value, in, joined(in, keep)),
        composed_(std::move(composed)),
        backward_(std::move(backward)) {}

  void differentiate(const Variable& g, Requests& requests) const override {
    const Kept kept = this->kept_for_rules();
    const auto wanted = requests.wanted<I>();
    const auto deliver = [&](auto&& gradients) {
      for (std::size_t i = 0; i < I; ++i) {
        if (wanted[i]) requests.deliver(static_cast<int>(i), std::move(gradients[i]));
      }
    };
    if constexpr (!std::same_as<Backward, NoBackward>) {
      if (!grad_enabled()) return deliver(backward_(kept, g.value(), wanted));
    }
    std::array<Variable, I> inputs;
    for (std::size_t i = 0; i < I; ++i) inputs[i] = kept[static_cast<int>(i)];
    deliver(
        differentiate_composed(inputs, wanted, g, [this](std::span<const Variable> in) {
          return [&]<std::size_t... i>(std::index_sequence<i...>) {
            return composed_(in[i]...);
          }
          (std::make_index_sequence<I>());
        }));
  }

 private:
  static std::array<KeepEntry, I + K> joined(const std::array<const Variable*, I>& in,
                                             const std::array<KeepEntry, K>& keep) {
    std::array<KeepEntry, I + K> all;
    for (std::size_t i = 0; i < I; ++i) all[i] = *in[i];
    std::copy(keep.begin(), keep.end(), all.begin() + I);
    return all;
  }

  [[no_unique_address]] ComposedForm composed_;
  [[no_unique_address]] Backward backward_;
};

// An op over a list of inputs, such as cat, with one rule for all: rule(i, g).
template <class Rule>
class ListNode final : public Node {
 public:
  ListNode(Op op, const Tensor& value, std::span<const Variable> in, Rule rule)
      : Node(op, value), rule_(std::move(rule)) {
    for (const Variable& input : in) inputs_.push_back(input_node(input));
  }

  void differentiate(const Variable& g, Requests& requests) const override {
    for (int i = 0; i < static_cast<int>(inputs_.size()); ++i) {
      if (requests.wants(i)) requests.deliver(i, rule_(i, g));
    }
  }
  std::span<NodeRef> inputs() override { return inputs_; }

 private:
  std::vector<NodeRef> inputs_;
  Rule rule_;
};

}  // namespace detail

// The op's result: `value`, and the node that remembers how to differentiate it if any
// input requires a gradient and recording is on.
template <std::size_t I, std::size_t K, class... Rules>
Variable record(Op op, Tensor value, const std::array<const Variable*, I>& inputs,
                const std::array<KeepEntry, K>& keep, Rules... rules) {
  static_assert(sizeof...(Rules) == I, "an op has one rule an input");
  if (!detail::recorded(inputs)) return Variable(std::move(value));
  NodeRef node(
      new detail::OpNode<I, K, Rules...>(op, value, inputs, keep, std::move(rules)...));
  return Variable(std::move(value), std::move(node));
}

// As record, for an op that has kernels of its own beside its formula. `value` is what
// the kernels computed, and for the gradients there are two ways:
//
//   composed(inputs...)           the op in ops on Variables, which say what it is. It is
//                                 differentiated where the walk is recorded: in a
//                                 backward with create_graph.
//   backward(kept, g, wanted)     an array of gradients, one an input, by the kernels, in
//                                 all other walks: `kept` has the inputs and then what
//                                 keep() lists, g is a Tensor, and what `wanted` (an
//                                 array of bool) leaves out is not looked at.
//
// Whatever tensor composed needs is an input, a constant too, so that it has a version.
// Without `backward` all walks differentiate composed: for the derivative of a fused op.
template <std::size_t I, std::size_t K, class ComposedForm,
          class Backward = detail::NoBackward>
Variable record_fused(Op op, Tensor value, const std::array<const Variable*, I>& inputs,
                      const std::array<KeepEntry, K>& keep, ComposedForm composed,
                      Backward backward = {}) {
  if (!detail::recorded(inputs)) return Variable(std::move(value));
  NodeRef node(new detail::FusedNode<I, K, ComposedForm, Backward>(
      op, value, inputs, keep, std::move(composed), std::move(backward)));
  return Variable(std::move(value), std::move(node));
}

// As record, for a list of inputs; the rule is called as rule(i, g) for input i.
template <class Rule>
Variable record_list(Op op, Tensor value, std::span<const Variable> inputs, Rule rule) {
  bool recorded = false;
  for (const Variable& input : inputs) recorded |= input.requires_grad();
  if (!recorded || !grad_enabled()) return Variable(std::move(value));
  NodeRef node(new detail::ListNode<Rule>(op, value, inputs, std::move(rule)));
  return Variable(std::move(value), std::move(node));
}

// The result of an op without a derivative, such as argmax. It is a constant to every op
// that takes it; backward() of the result itself says that the op has none.
Variable record_constant(const char* name, Tensor value,
                         std::initializer_list<const Variable*> inputs);

}  // namespace heed

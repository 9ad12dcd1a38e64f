// Reverse-mode differentiation: from the outputs back to the leaves, each node once.

#include <utility>

#include "autograd/accumulate.h"
#include "autograd/backward_observer.h"
#include "autograd/indexing.h"
#include "autograd/node.h"
#include "autograd/reductions.h"
#include "autograd/topological_order.h"

namespace heed {
namespace {

// Throws Error unless y can be differentiated, given the derivative g by it.
void check_output(const Variable& y, const Variable& g) {
  check(bool(y.node()),
        "backward: the value has no graph: no Variable with requires_grad took part, "
        "NoGrad was in force, or it is a gradient made without {{.create_graph = true}}");
  check(!y.node()->is_frozen,
        "backward: the value is a leaf that requires_grad_(false) has frozen");
  check(y.requires_grad(), "backward: {} has no derivative", y.node()->op.name);
  check(g.shape() == y.shape() && g.dtype() == y.dtype(),
        "backward: the gradient must be like the value, got {} {} for {} {}",
        name(g.dtype()), g.shape(), name(y.dtype()), y.shape());
}

}  // namespace

void run_backward(std::span<const Variable> outputs, std::span<const Variable> gradients,
                  std::span<const Capture> captures, BackwardOptions options,
                  std::span<Node* const> ends, detail::BackwardObserver* observer) {
  for (std::size_t i = 0; i < outputs.size(); ++i) check_output(outputs[i], gradients[i]);
  const SetGradEnabled recording(options.create_graph);
  detail::TopologicalOrder order(outputs, ends);
  if (!captures.empty()) order.restrict_to(captures);
  // Before anything is freed, so that an error found here leaves the graph as it was.
  for (const detail::NodeState* state : order) {
    if (state->passes_on) state->node->check_usable();
  }

  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const detail::NodeState* const state = order.find(outputs[i].node().get());
    order.gradient(*state).add(gradients[i]);
  }
  const auto anomaly = detail::anomaly_observer(gradients, observer);
  if (anomaly) observer = anomaly.get();
  detail::Deposits deposits;
  for (const detail::NodeState* state : order) {
    detail::GradientSum& sum = order.gradient(*state);
    if (sum.is_empty()) continue;
    Node& node = *state->node;
    // Complete: all that use the value came before. Taken out, so that it is freed after
    // this turn unless grad() asks for it.
    const Variable g = sum.get();
    if (!state->captured) sum.clear();
    if (observer) observer->visit(node, g);
    if (captures.empty()) {
      if (auto slot = node.slot.lock(); slot && !node.is_frozen)
        deposits.add(std::move(slot), g);
    }
    if (!state->passes_on || node.kind == Node::Kind::leaf) continue;
    if (node.freed) node.check_usable();  // a rule has called grad(), which freed it
    Requests requests(order, *state, observer);
    node.differentiate(g, requests);  // the rules, whose gradients go to deliver()
    if (!options.retain_graph && !options.create_graph) node.free_saved();
  }

  for (const Capture& capture : captures) {
    const detail::NodeState* const state = order.find(capture.node);
    if (!state || order.gradient(*state).is_empty()) continue;
    *capture.gradient = order.gradient(*state).get();
  }
  deposits.commit();
}

bool Requests::wants(int i) const {
  const detail::NodeState* const input = order_.input(node_, i);
  return input && input->needed();
}

void Requests::deliver(int i, Variable gradient) {
  const detail::NodeState& state = *order_.input(node_, i);
  Node& input = *state.node;
  if (observer_) observer_->deliver(*node_.node, i, input, gradient);
  const bool same_dtype = gradient.dtype() == input.dtype;
  if (!same_dtype || gradient.shape() != input.shape) {
    check(
        same_dtype && broadcasts_to(input.shape, gradient.shape()),
        "backward: the rule of {} must give {} for its input {}, of the shape {} or one "
        "that it broadcasts to, got {} {}",
        node_.node->op.name, name(input.dtype), i, input.shape, name(gradient.dtype()),
        gradient.shape());
    gradient = sum_to(gradient, input.shape);  // the op broadcast its input
  }
  order_.gradient(state).add(std::move(gradient));
}

void Requests::deliver(int i, const SliceGradient& part) {
  const detail::NodeState& state = *order_.input(node_, i);
  if (!observer_ && order_.gradient(state).add(part, *state.node)) return;
  deliver(i, slice_scatter(state.node->shape, part.g, part.dim, part.start, part.step));
}

}  // namespace heed

// The reverse walk: from outputs to inputs, each node once.

#include <atomic>
#include <vector>

#include "autograd/elementwise.h"
#include "autograd/node.h"
#include "autograd/reductions.h"
#include "tensor/elementwise.h"

namespace heed {
namespace {

// The nodes behind the outputs, every node before the nodes of its inputs. Cleans up what
// a walk leaves in the nodes, also when it ends in an exception.
class Walk {
 public:
  Walk(std::span<const Variable> outputs, std::span<const Capture> captures)
      : captures_(captures) {
    for (const Capture& capture : captures) capture.node->captured = capture.gradient;
    for (const Variable& output : outputs) visit(output.node().get());
    for (Node* node : order_) {  // inputs first
      node->needed = captures.empty() || node->captured;
      for (const NodeRef& input : node->inputs()) {
        if (input && input->needed) node->needed = true;
      }
    }
  }
  Walk(const Walk&) = delete;
  Walk& operator=(const Walk&) = delete;
  ~Walk() {
    for (Node* node : order_) node->arriving.reset();
    for (const Capture& capture : captures_) capture.node->captured = nullptr;
  }

  // Calls f for every node, results before inputs.
  template <class F>
  void for_each(F&& f) const {
    for (auto node = order_.rbegin(); node != order_.rend(); ++node) f(**node);
  }

 private:
  // Appends the nodes behind `root` that no visit has seen, inputs first: a depth-first
  // search whose stack is a vector, since graphs are deeper than any call stack.
  void visit(Node* root) {
    struct Step {
      Node* node;
      std::span<NodeRef> inputs;
    };
    std::vector<Step> stack;
    const auto enter = [&](Node* node) {
      if (!node || node->visit == walk_) return;
      node->visit = walk_;
      stack.push_back({node, node->inputs()});
    };
    enter(root);
    while (!stack.empty()) {
      Step& step = stack.back();
      if (step.inputs.empty()) {
        order_.push_back(step.node);
        stack.pop_back();
        continue;
      }
      Node* const next = step.inputs.front().get();
      step.inputs = step.inputs.subspan(1);
      enter(next);
    }
  }

  static std::uint64_t next_walk() {
    static std::atomic<std::uint64_t> count{0};
    return ++count;
  }

  std::uint64_t walk_ = next_walk();
  std::vector<Node*> order_;
  std::span<const Capture> captures_;
};

// sum += g. In place when nobody else can see the sum: not while gradients are recorded,
// and not on elements that another Variable shares.
void accumulate(std::optional<Variable>& sum, Variable g) {
  if (!sum) {
    sum = std::move(g);
  } else if (!grad_enabled() && !sum->node() && sum->value().storage().unique() &&
             sum->value().is_contiguous() && sum->shape() == g.shape()) {
    Tensor target = sum->value();
    add_(target, g.value());
  } else {
    sum = *sum + g;
  }
}

// Adds a gradient to the one that a user sees. That must be a tensor of its own: a rule
// may hand one tensor to several inputs, and users write to gradients.
void deposit(GradSlot& slot, Variable g) {
  const bool own = g.value().storage().unique() && g.value().is_contiguous();
  const NodeRef history = grad_enabled() ? g.node() : NodeRef();
  g = Variable(own ? g.value() : g.value().clone(), history);
  accumulate(slot.grad, std::move(g));
}

}  // namespace

bool Requests::wants(int i) const { return inputs_[i] && inputs_[i]->needed; }

void Requests::deliver(int i, Variable gradient) {
  Node& input = *inputs_[i].get();
  if (gradient.shape() != input.shape) {  // the op broadcast its input
    gradient = sum_to(gradient, input.shape);
  }
  accumulate(input.arriving, std::move(gradient));
}

void run_backward(std::span<const Variable> outputs, std::span<const Variable> gradients,
                  std::span<const Capture> captures, BackwardOptions options) {
  const bool keep_graph = options.retain_graph || options.create_graph;
  const std::optional<NoGrad> unrecorded =
      options.create_graph ? std::nullopt : std::optional<NoGrad>(std::in_place);
  const Walk walk(outputs, captures);

  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const Variable& y = outputs[i];
    check(bool(y.node()),
          "backward: no Variable with requires_grad took part in the value");
    check(y.requires_grad(), "backward: {} has no derivative", y.node()->op);
    check(gradients[i].shape() == y.shape() && gradients[i].dtype() == y.dtype(),
          "backward: the gradient must be like the value, got {} {} for {} {}",
          name(gradients[i].dtype()), gradients[i].shape(), name(y.dtype()), y.shape());
    accumulate(y.node()->arriving, gradients[i]);
  }
  // Before anything is freed or deposited: an error leaves all as it was.
  walk.for_each([](Node& node) {
    if (node.needed) node.check_usable();
  });

  walk.for_each([&](Node& node) {
    if (!node.arriving || !node.needed) return;
    Variable g = *std::exchange(node.arriving, std::nullopt);
    const std::span<NodeRef> inputs = node.inputs();
    if (node.captured) *node.captured = g;
    if (captures.empty() && node.slot) {
      deposit(*node.slot, inputs.empty() ? std::move(g) : g);
    }
    if (!inputs.empty()) {
      Requests requests(inputs);
      node.differentiate(g, requests);
    }
    if (!keep_graph) node.free_kept();
  });

  // An input that is listed twice was captured once.
  for (const Capture& capture : captures) *capture.gradient = *capture.node->captured;
}

}  // namespace heed

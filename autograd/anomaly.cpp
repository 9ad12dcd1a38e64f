#include "autograd/anomaly.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "autograd/backward_observer.h"
#include "autograd/graph_nodes.h"
#include "autograd/node.h"
#include "tensor/elementwise/elementwise.h"
#include "tensor/reduce/reductions.h"

namespace heed {
namespace {

bool environment_asks() {
  const char* const value = std::getenv("HEED_DETECT_ANOMALY");
  return value && std::string_view(value) != "" && std::string_view(value) != "0";
}

thread_local const detail::AnomalyScope* innermost = nullptr;
thread_local bool in_backward = false;

// The names of the scope in force; null if this thread does not check. Without a scope of
// its own a thread checks if the environment asks for it.
const NamedVariables* names() {
  static const bool is_asked = environment_asks();
  static const NamedVariables none;
  if (innermost) return &innermost->names;
  return is_asked ? &none : nullptr;
}

bool has(const Tensor& x, Tensor (*property)(const Tensor&)) {
  return is_floating(x.dtype()) && any(property(x)).item() != 0;
}

// "NaN in 1 of 4 elements"
std::string fault_in(const Tensor& x) {
  const bool is_nan = has(x, isnan);
  const Tensor wrong = is_nan ? isnan(x) : isinf(x);
  return fmt::format("{} in {} of {} elements", is_nan ? "NaN" : "inf",
                     sum(wrong).item<std::int64_t>(), x.numel());
}

// "(2, 2) from -1 to 3"
std::string shape_and_range(const Tensor& x) {
  if (!is_floating(x.dtype()) || x.numel() == 0) return fmt::format("{}", x.shape());
  if (!all_finite(x)) return fmt::format("{} with {}", x.shape(), fault_in(x));
  return fmt::format("{} from {:.6g} to {:.6g}", x.shape(), min(x).item(), max(x).item());
}

// "exp (2) <- mul (2) <- the leaf W_q.weight (2)": from `start` along the inputs to the
// nearest leaf that has a name, or else to the nearest leaf.
std::string way_to_leaf(const std::vector<Node*>& start) {
  const detail::NodeNames named(*names());
  std::map<Node*, Node*> user;  // of each node that was found
  std::vector<Node*> found;
  const auto add = [&](Node* node, Node* from) {
    if (node && user.emplace(node, from).second) found.push_back(node);
  };
  for (Node* node : start) add(node, nullptr);
  Node* nearest = nullptr;
  for (std::size_t i = 0; i < found.size(); ++i) {
    Node* const node = found[i];
    const bool is_named = !named.of(*node).empty();
    if (is_named || (!nearest && node->kind == Node::Kind::leaf)) nearest = node;
    if (is_named) break;
    for (const NodeRef& input : node->inputs()) add(input.get(), node);
  }
  if (!nearest) return "";
  const std::string name = named.of(*nearest);
  std::string way =
      fmt::format("the leaf {}{}{}", name, name.empty() ? "" : " ", nearest->shape);
  for (Node* node = user[nearest]; node; node = user[node]) {
    way = fmt::format("{} {} <- {}", node->op.name, node->shape, way);
  }
  return way;
}

class AnomalyObserver : public detail::BackwardObserver {
 public:
  AnomalyObserver(std::span<const Variable> gradients, BackwardObserver* next)
      : next_(next) {
    // What follows from a gradient that is not finite is nobody's fault.
    is_tainted_ = std::any_of(gradients.begin(), gradients.end(),
                              [](const Variable& g) { return !all_finite(g.value()); });
    in_backward = true;
  }
  ~AnomalyObserver() override { in_backward = false; }

  void visit(Node& node, const Variable& g) override {
    if (next_) next_->visit(node, g);
    g_ = g.value();
    if (is_tainted_ || all_finite(g_)) return;
    fail(
        "DetectAnomaly: the gradients that arrive at {} {} are finite, and their sum has "
        "{}; {}",
        node.op.name, node.shape, fault_in(g_), story(node, {&node}));
  }

  void deliver(Node& node, int i, Node& input, const Variable& gradient) override {
    if (next_) next_->deliver(node, i, input, gradient);
    user_.emplace(&input, &node);
    if (is_tainted_ || all_finite(gradient.value())) return;
    std::vector<Node*> inputs;
    for (const NodeRef& one : node.inputs()) inputs.push_back(one.get());
    std::swap(inputs[0], inputs[static_cast<std::size_t>(i)]);
    fail(
        "DetectAnomaly: the derivative of {} by its input {} {} has {}, though the "
        "gradient of its result, {}, is finite; the derivative is {}; {}",
        node.op.name, i, input.shape, fault_in(gradient.value()), shape_and_range(g_),
        node.op.derivative, story(node, inputs));
  }

 private:
  // How the gradient came to the node, and how the forward pass did.
  std::string story(Node& node, const std::vector<Node*>& inputs) {
    std::string back = fmt::format("{} {}", node.op.name, node.shape);
    for (auto next = user_.find(&node); next != user_.end();
         next = user_.find(next->second)) {
      back = fmt::format("{} {} -> {}", next->second->op.name, next->second->shape, back);
    }
    const std::string way = way_to_leaf(inputs);
    return fmt::format("backward came by {}{}{}", back,
                       way.empty() ? "" : "; its input is ", way);
  }

  BackwardObserver* const next_;  // or null
  bool is_tainted_;
  Tensor g_;                     // of the node whose turn it is
  std::map<Node*, Node*> user_;  // the first node that sent a gradient
};

}  // namespace

std::atomic<int> detail::anomaly_checks{environment_asks() ? 1 : 0};

DetectAnomaly::DetectAnomaly(NamedVariables names) : scope_{std::move(names), innermost} {
  innermost = &scope_;
  ++detail::anomaly_checks;
}

DetectAnomaly::~DetectAnomaly() {
  const detail::AnomalyScope** link = &innermost;
  while (*link && *link != &scope_) link = &(*link)->outer;
  if (*link) *link = scope_.outer;
  --detail::anomaly_checks;
}

void detail::check_op(const OpInfo& op, const Tensor& value,
                      std::vector<std::reference_wrapper<const Variable>> inputs) {
  if (!names() || in_backward || all_finite(value)) return;
  // Some inputs of a fused op, such as a bias, may be undefined.
  std::erase_if(inputs, [](const Variable& x) { return !x.defined(); });
  const auto any_input = [&](auto&& property) {
    return std::any_of(inputs.begin(), inputs.end(),
                       [&](const Variable& x) { return property(x.value()); });
  };
  const std::string_view name = op.name;
  const bool is_meant = name == "masked_fill" || name == "where";
  const bool made_nan =
      has(value, isnan) && !any_input([](const Tensor& x) { return has(x, isnan); });
  const bool made_infinity =
      !is_meant && !any_input([](const Tensor& x) { return !all_finite(x); });
  if (!made_nan && !made_infinity) return;
  std::string shapes;
  std::vector<Node*> nodes;
  for (const Variable& x : inputs) {
    shapes += (shapes.empty() ? "" : ", ") + shape_and_range(x.value());
    nodes.push_back(x.node().get());
  }
  const std::string way = way_to_leaf(nodes);
  fail("DetectAnomaly: the result of {} {} has {}; its inputs: {}{}{}", op.name,
       value.shape(), fault_in(value), shapes, way.empty() ? "" : "; computed from ",
       way);
}

std::unique_ptr<detail::BackwardObserver> detail::anomaly_observer(
    std::span<const Variable> gradients, BackwardObserver* next) {
  if (!detects_anomaly() || !names() || in_backward) return nullptr;
  return std::make_unique<AnomalyObserver>(gradients, next);
}

}  // namespace heed

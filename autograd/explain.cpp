#include "autograd/explain.h"

#include <iterator>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "autograd/backward_observer.h"
#include "autograd/factories.h"
#include "autograd/graph_nodes.h"

namespace heed {
namespace {

// Writes down the pass as it goes by.
class Narrator : public detail::BackwardObserver {
 public:
  explicit Narrator(const std::vector<detail::GraphNode>& inputs_first) {
    std::size_t number = inputs_first.size();
    for (const detail::GraphNode& node : inputs_first) {
      nodes_[node.node] = {.number = number--, .name = node.name};
    }
  }

  void visit(Node& node, const Variable& g) override {
    const bool is_leaf = node.kind == Node::Kind::leaf;
    write("{}, g = {}", title(node), detail::short_text(g.value()));
    const std::vector<std::string>& senders = nodes_.at(&node).senders;
    if (senders.size() > 1) {
      write(", the sum of what {} gave", fmt::join(senders, " and "));
    }
    if (is_leaf) write(": the derivative by {}", name(node));
    write("\n");
    if (!is_leaf) write("     {}\n", node.op.derivative);
  }

  void deliver(Node& node, int i, Node& input, const Variable& gradient) override {
    nodes_.at(&input).senders.push_back(std::to_string(nodes_.at(&node).number));
    write("     input {}, {}: {}", i, title(input), detail::short_text(gradient.value()));
    if (gradient.shape() != input.shape) {
      write(", of shape {}, which is summed to {}: the op had broadcast its input",
            gradient.shape(), input.shape);
    }
    write("\n");
  }

  std::string text =
      "Every op is given g, the gradient of its result, and gives its inputs theirs, by\n"
      "its derivative. Its turn comes when all ops that use its result have had "
      "theirs.\n";

 private:
  struct Known {
    std::size_t number = 0;  // in the order of the pass
    std::string name = {};
    std::vector<std::string> senders = {};  // the numbers of those that sent a gradient
  };

  template <class... Args>
  void write(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text), format, std::forward<Args>(args)...);
  }
  std::string name(const Node& node) const {
    const std::string& given = nodes_.at(&node).name;
    return given.empty() ? node.op.name : given;
  }
  std::string title(const Node& node) const {
    return fmt::format("{}. {} {}", nodes_.at(&node).number, name(node), node.shape);
  }

  std::map<const Node*, Known> nodes_;
};

}  // namespace

std::string explain(const Variable& y, const NamedVariables& names) {
  const std::vector<detail::GraphNode> nodes = detail::graph_nodes("explain", y, names);
  check(y.numel() == 1, "explain: the value must have one element, got the shape {}",
        y.shape());
  std::vector<Variable> gradients(nodes.size());
  std::vector<Capture> captures;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].node->kind == Node::Kind::leaf) {
      captures.push_back({nodes[i].node, &gradients[i]});
    }
  }
  const Variable one = ones_like(y.value());
  Narrator narrator(nodes);
  run_backward({&y, 1}, {&one, 1}, captures, {.retain_graph = true}, {}, &narrator);
  return narrator.text;
}

}  // namespace heed

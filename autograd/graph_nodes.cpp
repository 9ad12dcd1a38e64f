#include "autograd/graph_nodes.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "autograd/topological_order.h"
#include "tensor/core/text.h"
#include "tensor/core/views.h"
#include "tensor/reduce/reductions.h"

namespace heed::detail {
namespace {

// The part of a path before its last point.
std::string parent(const std::string& path) {
  const std::size_t point = path.rfind('.');
  return point == path.npos ? "" : path.substr(0, point);
}

// The innermost module that has both: "h.0" of "h.0.attn" and "h.0.mlp".
std::string common(const std::string& a, const std::string& b) {
  const auto [end, other] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  const bool a_ends = end == a.end() || *end == '.';
  const bool b_ends = other == b.end() || *other == '.';
  const std::string shared(a.begin(), end);
  return a_ends && b_ends ? shared : parent(shared);
}

// A module that may not be known yet.
using Module = std::optional<std::string>;

void include(Module& module, const Module& other) {
  if (other) module = module ? common(*module, *other) : *other;
}

void find_modules(std::vector<GraphNode>& nodes) {
  std::vector<Module> before(nodes.size()), after(nodes.size()), own(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (const std::size_t input : nodes[i].inputs) {
      const std::string module = parent(nodes[input].name);
      if (!module.empty()) include(own[i], module);
    }
    for (const std::size_t input : nodes[i].inputs) include(before[i], before[input]);
    if (own[i]) before[i] = own[i];
  }
  for (std::size_t i = nodes.size(); i-- > 0;) {
    if (own[i]) after[i] = own[i];
    for (const std::size_t input : nodes[i].inputs) include(after[input], after[i]);
    GraphNode& node = nodes[i];
    if (!node.name.empty()) {
      node.module = parent(node.name);
    } else if (own[i]) {
      node.module = *own[i];
    } else if (before[i] && after[i]) {
      node.module = common(*before[i], *after[i]);
    }
  }
}

std::string in_a_line(const Tensor& x) {
  if (x.dim() == 0) return fmt::format("{:.4g}", x.item());
  std::string text;
  for (std::int64_t i = 0; i < x.size(0); ++i) {
    text += (i > 0 ? ", " : "") + in_a_line(x[i]);
  }
  return "[" + text + "]";
}

}  // namespace

NodeNames::NodeNames(const NamedVariables& names) {
  for (const auto& [name, variable] : names) {
    if (variable.node()) names_.emplace(variable.node().get(), printable(name));
  }
}

const std::string& NodeNames::of(const Node& node) const {
  static const std::string none;
  const auto found = names_.find(&node);
  return found == names_.end() ? none : found->second;
}

std::vector<GraphNode> graph_nodes(std::string_view caller, const Variable& result,
                                   const NamedVariables& names) {
  check(bool(result.node()),
        "{}: the value has no graph: no Variable with requires_grad took part, or NoGrad "
        "was in force",
        caller);
  const NodeNames named(names);
  TopologicalOrder order({&result, 1}, {});
  std::vector<GraphNode> nodes;
  std::map<const Node*, std::size_t> places;
  for (auto state = order.end(); state != order.begin();) {
    Node* const node = (*--state)->node;
    places[node] = nodes.size();
    nodes.push_back({node, named.of(*node), "", {}});
    for (const NodeRef& input : node->inputs()) {
      if (input) nodes.back().inputs.push_back(places.at(input.get()));
    }
  }
  find_modules(nodes);
  return nodes;
}

std::string short_text(const Tensor& x) {
  constexpr std::int64_t few = 8;
  return x.numel() <= few ? in_a_line(x)
                          : fmt::format("norm {:.4g}", norm(x.to(float64)).item());
}

}  // namespace heed::detail

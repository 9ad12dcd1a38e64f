#include "autograd/graph.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "autograd/graph_nodes.h"
#include "tensor/core/memory.h"
#include "tensor/core/text.h"
#include "tensor/reduce/reductions.h"

namespace heed {
namespace {

using detail::GraphNode;

// What is drawn: a node, or a module that is folded.
struct Box {
  enum class Kind { op, leaf, module };

  Kind kind;
  std::string title;                     // the name of a leaf, an op or a module
  std::string module;                    // in which it stands
  std::vector<std::size_t> inputs = {};  // places in the list of boxes
  Shape shape = {};                      // of the last node in it
  DType dtype = float32;
  std::int64_t ops = 0, leaves = 0,
               numbers = 0;             // in it; numbers are those of the leaves
  std::size_t kept = 0;                 // bytes
  std::optional<double> gradient = {};  // its norm
};

// The first `depth` parts of a path: "h.0" of "h.0.attn" for 2. None if there are fewer.
std::optional<std::string> ancestor(const std::string& path, int depth) {
  std::size_t end = 0;
  for (int part = 0; part < depth; ++part) {
    if (end >= path.size()) return std::nullopt;
    end = std::min(path.find('.', end + 1), path.size());
  }
  return path.substr(0, end);
}

int depth_of(const std::string& path) {
  return path.empty() ? 0
                      : 1 + static_cast<int>(std::count(path.begin(), path.end(), '.'));
}

// The bytes that a node keeps: those of whole storages, since a view keeps all of its
// storage. Without those of leaves, which are there anyway, and what is `counted`
// already: several nodes may keep views of one storage.
std::size_t kept_by(Node& node, std::set<const Storage*>& counted) {
  std::size_t bytes = 0;
  for (const SavedTensor& tensor : node.saved()) {
    const Tensor& value = tensor.value;
    const bool is_leaf = tensor.node && tensor.node->kind == Node::Kind::leaf;
    if (is_leaf || !value.defined()) continue;
    if (!counted.insert(value.storage().operator->()).second) continue;
    bytes += value.storage()->bytes - sizeof(Storage);
  }
  return bytes;
}

// The norm of the gradient that a node has, if it has one.
std::optional<double> gradient_norm(const Node& node) {
  const auto slot = node.slot.lock();
  const std::optional<Variable> gradient = slot ? slot->get() : std::nullopt;
  if (!gradient) return std::nullopt;
  return norm(gradient->value().to(float64)).item();
}

// Adds a node, and the norm of its gradient, to the box that it is, or is folded into.
void add(Box& box, Node& node, std::optional<double> gradient,
         std::set<const Storage*>& counted) {
  const bool is_leaf = node.kind == Node::Kind::leaf;
  box.shape = node.shape;
  box.dtype = node.dtype;
  ++(is_leaf ? box.leaves : box.ops);
  if (is_leaf) box.numbers += count(node.shape);
  box.kept += kept_by(node, counted);
  if (gradient) box.gradient = std::hypot(box.gradient.value_or(0), *gradient);
}

// The nodes, with modules of this depth folded; a depth of 0 folds none. `gradients` are
// the norms of the nodes' gradients.
std::vector<Box> boxes_of(const std::vector<GraphNode>& nodes,
                          const std::vector<std::optional<double>>& gradients,
                          int depth) {
  std::vector<Box> boxes;
  std::vector<std::size_t> place;             // of the box of each node
  std::map<std::string, std::size_t> folded;  // the boxes of modules
  std::set<const Storage*> counted;
  for (const GraphNode& node : nodes) {
    const auto module = depth > 0 ? ancestor(node.module, depth) : std::nullopt;
    const bool is_leaf = node.node->kind == Node::Kind::leaf;
    if (!module) {
      place.push_back(boxes.size());
      boxes.push_back({.kind = is_leaf ? Box::Kind::leaf : Box::Kind::op,
                       .title = node.name.empty() ? node.node->op.name : node.name,
                       .module = node.module});
    } else {
      place.push_back(folded.try_emplace(*module, boxes.size()).first->second);
      if (place.back() == boxes.size()) {
        boxes.push_back({.kind = Box::Kind::module,
                         .title = *module,
                         .module = ancestor(*module, depth - 1).value_or("")});
      }
    }
    Box& box = boxes[place.back()];
    add(box, *node.node, gradients[place.size() - 1], counted);
    for (const std::size_t input : node.inputs) {
      const std::size_t from = place[input];
      // A module is joined to another box once; an op may take one value twice.
      const bool is_new =
          std::find(box.inputs.begin(), box.inputs.end(), from) == box.inputs.end();
      if (from != place.back() && (!module || is_new)) box.inputs.push_back(from);
    }
  }
  return boxes;
}

std::vector<Box> boxes_of(std::string_view caller, const Variable& result,
                          const NamedVariables& names, const GraphOptions& options) {
  const std::vector<GraphNode> nodes = detail::graph_nodes(caller, result, names);
  std::vector<std::optional<double>> gradients;  // their norms
  int depth = 0;
  for (const GraphNode& node : nodes) {
    gradients.push_back(gradient_norm(*node.node));
    depth = std::max(depth, depth_of(node.module));
  }
  std::vector<Box> boxes = boxes_of(nodes, gradients, 0);
  for (; depth > 0 && std::ssize(boxes) > options.max_nodes; --depth) {
    boxes = boxes_of(nodes, gradients, depth);
  }
  return boxes;
}

std::string bytes_text(std::size_t bytes) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  const auto kib = static_cast<double>(bytes) / 1024;
  return kib < 1024 ? fmt::format("{:.1f} KiB", kib)
                    : fmt::format("{:.1f} MiB", kib / 1024);
}

// "31 ops, 8 leaves of 198272 numbers"
std::string contents(const Box& box) {
  std::string text = fmt::format("{} op{}", box.ops, box.ops == 1 ? "" : "s");
  if (box.leaves > 0) {
    text += fmt::format(", {} lea{} of {} numbers", box.leaves,
                        box.leaves == 1 ? "f" : "ves", box.numbers);
  }
  return text;
}

// A string of Graphviz. What the names hold neither ends it nor is an entity of HTML,
// which Graphviz would replace.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? std::string("\\n") : std::string(1, c);
    if (c == '&') out += "amp;";
  }
  return out + "\"";
}

// The boxes whose path begins with `path`, in a frame for each module.
void append_frames(std::string& dot, const std::vector<Box>& boxes,
                   const std::string& path, int depth) {
  const auto indent = std::string(static_cast<std::size_t>(2 * depth + 2), ' ');
  auto out = std::back_inserter(dot);
  std::set<std::string> done;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const Box& box = boxes[i];
    if (ancestor(box.module, depth) != path) continue;
    const auto inner = ancestor(box.module, depth + 1);
    if (inner) {
      if (!done.insert(*inner).second) continue;
      fmt::format_to(out, "{0}subgraph {1} {{\n{0}  label={2};\n", indent,
                     quoted("cluster_" + *inner), quoted(*inner));
      append_frames(dot, boxes, *inner, depth + 1);
      fmt::format_to(out, "{}}}\n", indent);
      continue;
    }
    std::string label = fmt::format("{}\n{} {}", box.title, box.shape, name(box.dtype));
    if (box.kind == Box::Kind::module) label += "\n" + contents(box);
    if (box.kept > 0) label += "\nkeeps " + bytes_text(box.kept);
    if (box.gradient) label += fmt::format("\n|gradient| {:.4g}", *box.gradient);
    constexpr std::string_view looks[] = {"", ", shape=ellipse, fillcolor=\"#dbe9f6\"",
                                          ", fillcolor=\"#eeeeee\", peripheries=2"};
    fmt::format_to(out, "{}n{} [label={}{}];\n", indent, i, quoted(label),
                   looks[static_cast<int>(box.kind)]);
  }
}

}  // namespace

std::string graph_text(const Variable& result, const NamedVariables& names,
                       const GraphOptions& options) {
  const std::vector<Box> boxes = boxes_of("graph_text", result, names, options);
  std::vector<std::vector<std::string>> rows = {
      {"", "value", "shape", "dtype", "from", "keeps", "|gradient|", "module"}};
  Box all{.kind = Box::Kind::module, .title = "", .module = ""};
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const Box& box = boxes[i];
    std::vector<std::size_t> inputs;
    for (const std::size_t input : box.inputs) inputs.push_back(input + 1);
    const bool is_module = box.kind == Box::Kind::module;
    rows.push_back({std::to_string(i + 1), box.title, fmt::format("{}", box.shape),
                    std::string(name(box.dtype)),
                    fmt::format("{}", fmt::join(inputs, " ")),
                    box.kept > 0 ? bytes_text(box.kept) : "",
                    box.gradient ? fmt::format("{:.4g}", *box.gradient) : "",
                    is_module ? contents(box) : box.module});
    all.ops += box.ops;
    all.leaves += box.leaves;
    all.numbers += box.numbers;
    all.kept += box.kept;
  }
  return detail::table(rows) +
         fmt::format("{}; {} kept for backward\n", contents(all), bytes_text(all.kept));
}

std::string graph_dot(const Variable& result, const NamedVariables& names,
                      const GraphOptions& options) {
  const std::vector<Box> boxes = boxes_of("graph_dot", result, names, options);
  std::string dot =
      "digraph heed {\n"
      "  node [shape=box, style=filled, fillcolor=white, fontname=\"sans-serif\"];\n"
      "  graph [fontname=\"sans-serif\", color=\"#999999\", labeljust=l];\n";
  append_frames(dot, boxes, "", 0);
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    for (const std::size_t input : boxes[i].inputs) {
      dot += fmt::format("  n{} -> n{};\n", input, i);
    }
  }
  return dot + "}\n";
}

}  // namespace heed

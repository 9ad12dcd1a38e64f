// The graph of a value as a list, with the names that a user gives. For graph.cpp,
// explain.cpp and anomaly.cpp, not for users.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "autograd/node.h"

namespace heed::detail {

class NodeNames {
 public:
  explicit NodeNames(const NamedVariables& names);
  // The name of a node, printable; empty if it has none.
  const std::string& of(const Node& node) const;

 private:
  std::map<const Node*, std::string> names_;
};

// A node of the graph, as it is drawn.
struct GraphNode {
  Node* node;
  std::string name;                 // of a leaf that has one
  std::string module;               // the path of the module that it belongs to
  std::vector<std::size_t> inputs;  // their places in the list; constants are left out
};

// The nodes that `result` depends on, each after its inputs. Throws Error, naming
// `caller`, when it has no graph.
//
// A named leaf, `hidden.weight`, belongs to the module before its last point; graph.h
// tells to which an op belongs.
std::vector<GraphNode> graph_nodes(std::string_view caller, const Variable& result,
                                   const NamedVariables& names);

// "[1, 0.5]", or the norm of more than a few elements: "norm 1.118".
std::string short_text(const Tensor& x);

}  // namespace heed::detail

// The graph of a value, as text and as a drawing.
#pragma once

#include <cstdint>
#include <string>

#include "autograd/variable.h"

namespace heed {

struct GraphOptions {
  // Where there are more nodes than this, modules are folded into one box each, the
  // deepest first, until there are no more boxes than this or all modules are folded.
  std::int64_t max_nodes = 100;
};

// What the result was computed from: a line for each op and each leaf, after its inputs
// (a folded module not always after all of them), with its shape and dtype, the bytes
// that it keeps for backward, the norm of its gradient if there is one, and its module. A
// view that an op keeps counts with all bytes of its storage, a multiple of 16. A leaf
// that an op keeps does not count, but a view of one does; a storage that several ops
// keep counts with the first. Constants are not part of the graph.
//
// `names`, such as nn::named_parameters(model), gives the names of leaves, and by them
// the modules. An op belongs to the innermost module that has all the named leaves that
// it takes, except those outside of modules, such as inputs; an op that takes none, to
// the innermost module with such ops before it and after it, or to none. Throws Error
// when the result has no graph.
std::string graph_text(const Variable& result, const NamedVariables& names = {},
                       const GraphOptions& options = {});

// The same in the language of Graphviz: dot -Tsvg graph.dot -o graph.svg. Leaves are
// ellipses, ops boxes, and modules frames around them. Throws Error likewise.
std::string graph_dot(const Variable& result, const NamedVariables& names = {},
                      const GraphOptions& options = {});

}  // namespace heed

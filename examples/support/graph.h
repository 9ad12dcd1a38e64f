// The option --graph of programs that compute with parameters (autograd/graph.h).
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "autograd/variable.h"
#include "examples/support/program.h"

namespace heed::support {

// `what` is computed, such as "loss".
CommandLine::Option add_graph(CommandLine& app, std::optional<std::string>& file,
                              const std::string& what);

// Throws InputError when the name ends neither in .dot nor in .txt, or the file could not
// be written: before the work that it is for.
void check_graph(const std::optional<std::string>& file);

// Writes the graph of what `compute` returns, if a file is asked for: graph_dot() or
// graph_text(), by the ending of its name. A scalar is differentiated first, so that the
// graph has the norms of its gradients; before that those of `names` are cleared. Throws
// InputError when the file cannot be written.
void save_graph(const std::optional<std::string>& file, const NamedVariables& names,
                const std::function<Variable()>& compute);

}  // namespace heed::support

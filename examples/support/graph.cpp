#include "examples/support/graph.h"

#include "autograd/graph.h"
#include "examples/support/input_error.h"
#include "nn/state/atomic_file.h"
#include "tensor/core/text.h"

namespace heed::support {

CommandLine::Option add_graph(CommandLine& app, std::optional<std::string>& file,
                              const std::string& what) {
  return app.add_text(
      "--graph", file, "FILE",
      "Write the graph of the " + what + ": FILE.dot for Graphviz, or FILE.txt");
}

void check_graph(const std::optional<std::string>& file) {
  if (file && !file->ends_with(".dot") && !file->ends_with(".txt"))
    input_error("--graph: the name must end in .dot or .txt, got {}", shown(*file));
  check_file("--graph", file);
}

void save_graph(const std::optional<std::string>& file, const NamedVariables& names,
                const std::function<Variable()>& compute) {
  if (!file) return;
  for (auto [name, variable] : names) variable.zero_grad();
  const Variable result = compute();
  if (result.dim() == 0) result.backward({.retain_graph = true});
  const std::string text =
      file->ends_with(".dot") ? graph_dot(result, names) : graph_text(result, names);
  from_user([&] {
    nn::AtomicFile graph("--graph: " + printable(*file), *file);
    graph.write(text.data(), text.size());
    graph.commit();
  });
}

}  // namespace heed::support

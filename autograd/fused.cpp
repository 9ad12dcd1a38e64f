#include "autograd/fused.h"

#include "tensor/core/factories.h"

namespace heed::detail {

std::vector<Variable> differentiate_composed(
    std::span<const Variable> inputs, std::span<const bool> wanted, const Variable& g,
    const std::function<Variable(std::span<const Variable>)>& composed) {
  const bool create_graph = grad_enabled();
  const SetGradEnabled recording(true);
  std::vector<Variable> aliases, gradients;
  std::vector<Node*> ends;
  std::vector<Capture> captures;
  gradients.reserve(inputs.size());  // captures point into it
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Variable& x = inputs[i];
    aliases.push_back(
        record({"alias", "dx = g"}, x.value(), rule(x, [](auto& g) { return g; })));
    gradients.emplace_back();
    if (!aliases[i].requires_grad()) continue;
    Node* const end = aliases[i].node().get();
    ends.push_back(end);
    if (!wanted[i]) continue;
    gradients[i] = zeros_like(x.value());  // unless the result depends on it
    captures.push_back({end, &gradients[i]});
  }
  const Variable y = composed(aliases);
  if (y.requires_grad() && !captures.empty()) {
    run_backward({&y, 1}, {&g, 1}, captures, {.create_graph = create_graph}, ends);
  }
  return gradients;
}

}  // namespace heed::detail

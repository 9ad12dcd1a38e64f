#include "tests/golden/feed.h"

#include <fmt/core.h>

#include "autograd/elementwise.h"
#include "autograd/reductions.h"
#include "tensor/core/factories.h"

namespace heed::golden {

Feed::Feed(const Case& reference, const DrawnInputs& drawn) : c(reference) {
  for (const std::string& name : c.names("in")) {
    const auto found = drawn.find(name);
    const Tensor value =
        found == drawn.end() ? c.input(name) : c.input(name, found->second.value);
    inputs_.emplace(name, Variable(value, is_floating(value.dtype())));
  }
}

const Variable& Feed::operator[](const std::string& name) const {
  const auto found = inputs_.find(name);
  if (found == inputs_.end()) throw CaseError(fmt::format("the case has no in.{}", name));
  return found->second;
}

nn::NamedParameters Feed::leaves() const {
  nn::NamedParameters leaves;
  for (const auto& [name, input] : inputs_) {
    if (input.requires_grad()) leaves.emplace_back("in." + name, input);
  }
  for (const auto& [name, parameter] : parameters_) {
    leaves.emplace_back("param." + name, parameter);
  }
  return leaves;
}

Shape Feed::shape(const std::string& attribute) const {
  if (!c.gives(attribute)) return {};
  const std::vector<std::int64_t> sizes = c.list(attribute);
  return Shape(std::span(sizes));
}

Dims Feed::dims(const std::string& attribute) const {
  const Shape list = shape(attribute);
  return Dims(std::span(list.begin(), list.end()));
}

void expect_all(const Feed& feed, const Outputs& outputs, Report& report) {
  for (const auto& [name, output] : outputs) {
    if (feed.c.has("out." + name)) report.expect("out." + name, output.value());
  }

  const std::vector<std::string> upstream = feed.c.names("up");
  if (upstream.empty()) return;
  Variable loss = zeros({}, feed.c.tensor("up." + upstream[0]).dtype());
  for (const std::string& name : upstream) {
    const auto output = outputs.find(name);
    if (output == outputs.end()) throw CaseError("there is no output for up." + name);
    loss = loss + sum(feed.c.tensor("up." + name) * output->second);
  }
  if (loss.requires_grad()) loss.backward();
  for (const auto& [name, leaf] : feed.leaves()) {
    report.expect("grad." + name,
                  leaf.has_grad() ? leaf.grad().value() : zeros_like(leaf.value()));
  }
}

}  // namespace heed::golden

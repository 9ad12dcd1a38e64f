#include "nn/check_gradients.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "tensor/core/text.h"
#include "tensor/elementwise/elementwise.h"
#include "tensor/reduce/reductions.h"

namespace heed::nn::detail {
namespace {

// Whether two leaves are one.
bool is_same(const Variable& a, const Variable& b) {
  return a.node().get() == b.node().get();
}

bool contains(const std::vector<Variable>& list, const Variable& x) {
  return std::any_of(list.begin(), list.end(),
                     [&](const Variable& y) { return is_same(x, y); });
}

bool begin_at_one_element(const Tensor& a, const Tensor& b) {
  return a.numel() > 0 && a.storage() == b.storage() && a.offset() == b.offset();
}

// What is wrong with the gradient of a parameter, or an empty text.
std::string fault_of(const Variable& parameter, const std::vector<Update>& updates,
                     const UsualUpdates& usual) {
  if (!parameter.has_grad()) return "no gradient";
  const Tensor gradient = parameter.grad().value();
  const auto wrong = sum(!isfinite(gradient)).item<std::int64_t>();
  if (wrong > 0) {
    return fmt::format("{} of the {} elements of its gradient are not finite", wrong,
                       gradient.numel());
  }
  if (gradient.numel() > 0 && !any(gradient != 0)) return "its gradient is zero";
  for (const Update& update : updates) {
    if (!is_same(update.parameter, parameter)) continue;
    const double weights = norm(update.before.to(float64)).item();
    const double moved = norm((update.after - update.before).to(float64)).item();
    if (weights == 0) {  // any move is large beside it
      if (moved > 0 && std::isfinite(moved)) return "";
      return fmt::format("it is all zeros, and a step moves it by {:.2g}", moved);
    }
    const double ratio = moved / weights;
    if (usual.smallest <= ratio && ratio <= usual.largest) return "";
    return fmt::format(
        "a step moves it by {:.2g} of its norm; usual is from {:g} to {:g}", ratio,
        usual.smallest, usual.largest);
  }
  return "";
}

}  // namespace

std::vector<std::string> check_gradients(const NamedParameters& parameters,
                                         const std::vector<Variable>& optimised,
                                         const std::vector<Update>& updates,
                                         const UsualUpdates& usual) {
  std::vector<std::string> found;
  std::vector<Variable> listed;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const auto& [path, parameter] = parameters[i];
    listed.push_back(parameter);
    for (std::size_t k = 0; k < i; ++k) {
      if (!begin_at_one_element(parameters[k].second.value(), parameter.value()))
        continue;
      found.push_back(fmt::format("{}: shares elements with {}, and is another leaf",
                                  printable(path), printable(parameters[k].first)));
    }
    if (!parameter.requires_grad()) continue;
    const std::string fault = fault_of(parameter, updates, usual);
    if (!fault.empty()) found.push_back(fmt::format("{}: {}", printable(path), fault));
    if (!contains(optimised, parameter)) {
      found.push_back(printable(path) + ": the optimiser does not have it");
    }
  }
  for (std::size_t i = 0; i < optimised.size(); ++i) {
    if (contains(listed, optimised[i])) continue;
    found.push_back(
        fmt::format("parameter {} of the optimiser, {}: it is none of the model's", i,
                    optimised[i].shape()));
  }
  return found;
}

}  // namespace heed::nn::detail

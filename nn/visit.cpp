#include "nn/visit.h"

#include <fmt/format.h>

#include "tensor/iterate.h"

namespace heed::nn {

void load_state(const StateDict& target, const StateDict& state) {
  std::string faults;
  for (const auto& [path, value] : target) {
    const auto found = state.find(path);
    if (found == state.end()) {
      faults += fmt::format("; missing {}", path);
    } else if (found->second.shape() != value.shape() ||
               found->second.dtype() != value.dtype()) {
      faults += fmt::format("; {} must be {} {}, got {} {}", path, name(value.dtype()),
                            value.shape(), name(found->second.dtype()),
                            found->second.shape());
    }
  }
  for (const auto& [path, value] : state) {
    if (!target.contains(path)) faults += fmt::format("; unexpected {}", path);
  }
  check(faults.empty(), "load_state_dict: the state does not fit the module{}", faults);
  // Copies first: the state may hold the target's own tensors under other names.
  StateDict copies;
  for (const auto& [path, value] : target) {
    check_distinct(path, value);
    copies.emplace(path, state.at(path).clone());
  }
  for (const auto& [path, value] : target) Tensor(value).copy_(copies.at(path));
}

namespace detail {

Variable Clones::of(const Variable& x) {
  for (const auto& [original, copy] : made_) {
    const Tensor &a = original.value(), &b = x.value();
    if (original.node().get() == x.node().get() && a.storage() == b.storage() &&
        a.offset() == b.offset() && a.shape() == b.shape() &&
        a.strides() == b.strides()) {
      return copy;
    }
  }
  return made_.emplace_back(x, Variable(x.value().clone(), x.requires_grad())).second;
}

std::string short_type_name(std::string_view pretty_function) {
  // g++ writes "... [with M = heed::nn::Linear; ...]", clang "... [M =
  // heed::nn::Linear]".
  const std::size_t start = pretty_function.find("M = ") + 4;
  std::string_view type = pretty_function.substr(start);
  type = type.substr(0, type.find_first_of(";]<"));
  const std::size_t colon = type.rfind("::");
  if (colon != std::string_view::npos) type.remove_prefix(colon + 2);
  return std::string(type);
}

}  // namespace detail
}  // namespace heed::nn

#include "optim/groups.h"

#include <fmt/format.h>

#include "tensor/core/tensor_iterator.h"
#include "tensor/core/text.h"

namespace heed::optim::detail {

void check_parameters(std::string_view optimiser, const std::vector<Variable>& list) {
  check(!list.empty(), "{}: there are no parameters", optimiser);
  std::set<const Node*> seen;
  for (const Variable& parameter : list) {
    check(parameter.is_leaf() && parameter.requires_grad(),
          "{}: a parameter must be a leaf that requires a gradient; parameter {} is not",
          optimiser, seen.size());
    check(!repeats_elements(parameter.value()),
          "{}: a parameter must not repeat its elements; parameter {} does, {} with "
          "strides {}",
          optimiser, seen.size(), parameter.shape(), parameter.value().strides());
    check(seen.insert(parameter.node().get()).second,
          "{}: a parameter is given twice, the second time as number {}", optimiser,
          seen.size());
  }
}

const Tensor* StateReader::find(std::size_t number, std::string_view name) {
  const std::string key = fmt::format("{}.{}", number, name);
  const auto found = state_.find(key);
  if (found == state_.end()) return nullptr;
  read_.insert(key);
  return &found->second;
}

std::optional<Tensor> StateReader::like(const Variable& parameter, std::size_t number,
                                        std::string_view name) {
  const Tensor* const entry = find(number, name);
  if (!entry) return {};
  check(entry->shape() == parameter.shape() && entry->dtype() == parameter.dtype(),
        "{}: {}.{} must be like its parameter, {} {}, got {} {}", optimiser_, number,
        name, heed::name(parameter.dtype()), parameter.shape(),
        heed::name(entry->dtype()), entry->shape());
  return entry->clone();
}

std::optional<std::int64_t> StateReader::count(std::size_t number,
                                               std::string_view name) {
  const Tensor* const entry = find(number, name);
  if (!entry) return {};
  check(entry->dtype() == int64 && entry->dim() == 0,
        "{}: {}.{} must be an int64 number, got {} of shape {}", optimiser_, number, name,
        heed::name(entry->dtype()), entry->shape());
  constexpr double most = 1e15;  // item() is a double: below 2^53 it is exact
  const double value = entry->item();
  check(0 <= value && value <= most,
        "{}: {}.{} must be a whole number from 0 to {:g}, got {}", optimiser_, number,
        name, most, value);
  return static_cast<std::int64_t>(value);
}

void StateReader::check_all_read() const {
  std::string unexpected;
  for (const auto& [key, value] : state_) {
    if (!read_.contains(key)) unexpected += " " + shown(key);
  }
  check(unexpected.empty(), "{}: the state has entries that fit no parameter:{}",
        optimiser_, unexpected);
}

}  // namespace heed::optim::detail

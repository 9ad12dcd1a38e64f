#include "optim/optimiser.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "tensor/core/factories.h"
#include "tensor/core/parallel.h"
#include "tensor/core/tensor_iterator.h"
#include "tensor/core/text.h"
#include "tensor/reduce/reductions.h"

namespace heed::optim::detail {
namespace {

std::string key_of(std::size_t number, const std::string& name) {
  return fmt::format("{}.{}", number, name);
}

void check_entry(std::string_view optimiser, const std::string& key, const Tensor& entry,
                 const Variable& parameter) {
  check(entry.shape() == parameter.shape() && entry.dtype() == parameter.dtype(),
        "{}: {} must be like its parameter, {} {}, got {} {}", optimiser, key,
        name(parameter.dtype()), parameter.shape(), name(entry.dtype()), entry.shape());
}

void check_step(std::string_view optimiser, const std::string& key, const Tensor& step) {
  check(step.dtype() == int64 && step.dim() == 0,
        "{}: {} must be an int64 number, got {} of shape {}", optimiser, key,
        name(step.dtype()), step.shape());
  constexpr double most = 1e15;  // item() is a double: below 2^53 it is exact
  const double value = step.item();
  check(1 <= value && value <= most,
        "{}: {} must be a whole number from 1 to {:g}, got {}", optimiser, key, most,
        value);
}

// Whether x and y have an element in common.
bool share_elements(const Tensor& x, const Tensor& y) {
  if (x.storage() != y.storage() || x.numel() == 0 || y.numel() == 0) return false;
  const auto [first_of_x, last_of_x] = places(x);
  const auto [first_of_y, last_of_y] = places(y);
  if (last_of_x < first_of_y || last_of_y < first_of_x) return false;
  // Views may interlace, as columns of a matrix do: x is marked in memory of its own.
  const std::int64_t start = std::min(first_of_x, first_of_y);
  const std::int64_t size = std::max(last_of_x, last_of_y) - start + 1;
  const Tensor marks = zeros({size}, boolean);
  const auto marks_of = [&, start = start](const Tensor& t) {
    return Tensor(marks.storage(), t.offset() - start, t.shape(), t.strides(), boolean);
  };
  marks_of(x).fill_(1);
  return any(marks_of(y)).item() != 0;
}

}  // namespace

void check_parameters(std::string_view optimiser, const std::vector<Parameter>& list) {
  check(!list.empty(), "{}: there are no parameters", optimiser);
  std::set<const Node*> seen;
  for (const Parameter& parameter : list) {
    const Variable& x = parameter.variable;
    check(x.is_leaf() && x.node(),
          "{}: a parameter must be a leaf that requires a gradient; parameter {} is not",
          optimiser, seen.size());
    check(!repeats_elements(x.value()),
          "{}: a parameter must not repeat its elements; parameter {} does, {} with "
          "strides {}",
          optimiser, seen.size(), x.shape(), x.value().strides());
    check(seen.insert(x.node().get()).second,
          "{}: a parameter is given twice, the second time as number {}", optimiser,
          seen.size());
    for (std::size_t i = 0; i + 1 < seen.size(); ++i) {
      check(!share_elements(list[i].variable.value(), x.value()),
            "{}: parameters must not share elements; parameters {} and {} do", optimiser,
            i, seen.size() - 1);
    }
  }
}

void check_not_negative(std::string_view optimiser, const char* option, double x) {
  check(x >= 0, "{}: {} must be at least 0, got {}", optimiser, option, x);
}

void check_usable(std::string_view optimiser, const std::vector<Parameter>& list) {
  check(!list.empty(), "{}: the optimiser was moved from", optimiser);
}

void assign(State& state, State&& next) {
  std::erase_if(state, [&](const auto& entry) { return !next.contains(entry.first); });
  for (auto& [name, tensor] : state) tensor = std::move(next.at(name));
  state.merge(next);  // the entries of other names
}

Tensor& Target::add(const char* name, double value) {
  return added_[name] = full(parameter_.shape(), value, dtype());
}

std::int64_t Target::count_step() {
  counts_ = true;
  const auto found = state_.find("step");
  if (found == state_.end()) added_["step"] = tensor(std::int64_t{0});
  return 1 + (found == state_.end() ? 0 : *found->second.data<std::int64_t>());
}

void Target::commit() {
  if (!parameter_.is_contiguous()) parameter_.copy_(x_);
  state_.merge(added_);
  if (counts_) ++*state_.find("step")->second.mutable_data<std::int64_t>();
}

void update_all(std::vector<Target>& targets) {
  // Threads share the elements of all parameters, counted from the first one's first: a
  // model has many small parameters, and each loop takes time to begin. The step of an
  // element takes as long as four plain operations, or as one in SGD.
  std::int64_t count = 0;
  for (const Target& target : targets) count += target.numel();
  parallel_for(count, 4, [&](std::int64_t begin, std::int64_t end) {
    std::int64_t first = 0;
    for (const Target& target : targets) {
      const std::int64_t next = first + target.numel();
      const std::int64_t from = std::max(begin, first), to = std::min(end, next);
      if (from < to) target.update(from - first, to - first);
      first = next;
    }
  });
  for (Target& target : targets) target.commit();
}

StateDict state_dict_of(const std::vector<Parameter>& list) {
  StateDict all;
  for (std::size_t i = 0; i < list.size(); ++i) {
    for (const auto& [name, tensor] : list[i].state) {
      all[key_of(i, name)] = tensor.clone();
    }
  }
  return all;
}

void put_option(StateDict& to, std::size_t group, const char* option, double value) {
  to[fmt::format("group.{}.{}", group, option)] = tensor(value, float64);
}

std::optional<double> take_option(StateDict& from, std::string_view optimiser,
                                  std::size_t group, const char* option) {
  const auto entry = from.extract(fmt::format("group.{}.{}", group, option));
  if (entry.empty()) return std::nullopt;
  const Tensor& value = entry.mapped();
  check(value.dtype() == float64 && value.dim() == 0,
        "{}: {} must be a float64 number, got {} of shape {}", optimiser, entry.key(),
        name(value.dtype()), value.shape());
  return value.item();
}

bool flag_of(std::string_view optimiser, const char* option, double value) {
  check(value == 0 || value == 1, "{}: {} must be 0 or 1, got {}", optimiser, option,
        value);
  return value != 0;
}

void check_groups(const StateDict& state_dict, std::string_view optimiser,
                  std::size_t groups) {
  const auto has_group = [&](std::size_t group) {
    const std::string prefix = fmt::format("group.{}.", group);
    const auto entry = state_dict.lower_bound(prefix);
    return entry != state_dict.end() && entry->first.starts_with(prefix);
  };
  std::size_t found = 0;
  while (has_group(found)) ++found;
  check(found == groups || found == 0,
        "{}: the state must have as many groups as the optimiser, {}, got {}", optimiser,
        groups, found);
}

std::vector<State> states_of(const StateDict& state_dict, std::string_view optimiser,
                             const std::vector<Parameter>& list,
                             const std::vector<std::string>& names) {
  std::vector<State> states(list.size());
  StateDict unread = state_dict;
  for (std::size_t i = 0; i < list.size(); ++i) {
    for (const std::string& name : names) {
      const auto entry = unread.extract(key_of(i, name));
      if (entry.empty()) continue;
      if (name == "step") {
        check_step(optimiser, entry.key(), entry.mapped());
      } else {
        check_entry(optimiser, entry.key(), entry.mapped(), list[i].variable);
      }
      states[i][name] = entry.mapped().clone();
    }
  }
  std::string unexpected;
  for (const auto& [key, value] : unread) unexpected += fmt::format(" {}", shown(key));
  check(unexpected.empty(), "{}: the state has entries that fit no parameter:{}",
        optimiser, unexpected);
  return states;
}

}  // namespace heed::optim::detail

// What optimisers are made of: parameters in groups, with options for each group and a
// state for each parameter.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "autograd/variable.h"

namespace heed::optim {

// Parameters with options of their own.
template <class Options>
struct Group {
  std::vector<Variable> parameters;
  Options options;
};

// The state of an optimiser by name: "0.exp_avg" is the exp_avg of the first parameter.
using State = std::map<std::string, Tensor>;

namespace detail {

// Throws Error, naming the optimiser, when there are no parameters, or one is given twice
// or is not a leaf that requires a gradient.
void check_parameters(std::string_view optimiser, const std::vector<Variable>& list);

// Reads a saved state entry by entry.
class StateReader {
 public:
  StateReader(std::string_view optimiser, const State& state)
      : optimiser_(optimiser), state_(state) {}

  // A copy of the entry NUMBER.NAME; none if there is none. Throws Error unless it has
  // the shape and dtype of the parameter.
  std::optional<Tensor> like(const Variable& parameter, std::size_t number,
                             std::string_view name);
  // The entry NUMBER.NAME as a whole number from 0; none if there is none. Throws Error
  // for anything else.
  std::optional<std::int64_t> count(std::size_t number, std::string_view name);
  // Throws Error, naming them, when entries are left that nothing asked for.
  void check_all_read() const;

 private:
  const Tensor* find(std::size_t number, std::string_view name);

  std::string_view optimiser_;
  const State& state_;
  std::set<std::string> read_;
};

}  // namespace detail

// Memory is what the optimiser remembers of a parameter between steps.
template <class Options, class Memory>
class Groups {
 public:
  struct Entry {
    Variable parameter;
    Memory memory;
  };
  struct Part {
    Options options;
    std::vector<Entry> entries;
  };

  // Throws Error as check_parameters does.
  Groups(const char* optimiser, std::vector<Group<Options>> groups)
      : optimiser_(optimiser) {
    std::vector<Variable> all;
    for (Group<Options>& group : groups) {
      Part& part = parts_.emplace_back(Part{group.options, {}});
      for (const Variable& parameter : group.parameters) {
        part.entries.push_back({parameter, {}});
        all.push_back(parameter);
      }
    }
    detail::check_parameters(optimiser, all);
  }

  std::vector<Part>& parts() { return parts_; }
  const std::vector<Part>& parts() const { return parts_; }

  void zero_grad() {
    for (Part& part : parts_) {
      for (Entry& entry : part.entries) entry.parameter.zero_grad();
    }
  }

  Options& options(std::size_t group) {
    check(group < parts_.size(), "{}: there are {} groups, asked for number {}",
          optimiser_, parts_.size(), group);
    return parts_[group].options;
  }

  // What is remembered of a parameter. Throws Error, naming what was asked for, when the
  // Variable is not among the parameters.
  const Memory& memory(std::string_view what, const Variable& parameter) const {
    for (const Part& part : parts_) {
      for (const Entry& entry : part.entries) {
        if (entry.parameter.node().get() == parameter.node().get()) return entry.memory;
      }
    }
    fail("{}: {} was asked for a Variable that is not a parameter", optimiser_, what);
  }

  // Calls f(number, entry) for every parameter, in order.
  template <class F>
  void for_each(F&& f) const {
    std::size_t number = 0;
    for (const Part& part : parts_) {
      for (const Entry& entry : part.entries) f(number++, entry);
    }
  }
  template <class F>
  void for_each(F&& f) {
    std::size_t number = 0;
    for (Part& part : parts_) {
      for (Entry& entry : part.entries) f(number++, entry);
    }
  }

 private:
  const char* optimiser_;
  std::vector<Part> parts_;
};

}  // namespace heed::optim

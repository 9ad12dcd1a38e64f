// What optimisers are made of: parameters in groups, with options for each group and a
// memory for each parameter. A user makes a Group; an optimiser keeps Groups.
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

// What a user gives: parameters with options of their own.
template <class Options>
struct Group {
  std::vector<Variable> parameters;
  Options options;
};

// The state of an optimiser by name: "0.exp_avg" is the exp_avg of the first parameter.
using State = std::map<std::string, Tensor>;

namespace detail {

// Throws Error, naming the optimiser, when there are no parameters, or one is given
// twice, is not a leaf that requires a gradient, or repeats elements, as expand() does: a
// step that wrote to it would be refused only after those before it had moved.
void check_parameters(std::string_view optimiser, const std::vector<Variable>& list);

// A parameter with its gradient, as a step reads and writes them: contiguous. What takes
// memory is done when it is made. Make those of all parameters before the first is moved:
// then a step that runs out of memory has moved none.
class Target {
 public:
  explicit Target(const Variable& parameter)
      : gradient(parameter.grad().value().contiguous()),
        parameter_(parameter.value()),
        dense_(parameter_.is_contiguous() ? parameter_
                                          : empty(parameter.shape(), parameter.dtype())) {
  }

  // Calls move(x), which writes to x, the parameter's contiguous elements.
  template <class F>
  void update(F&& move) {
    const bool is_view = !parameter_.is_contiguous();  // with gaps
    if (is_view) dense_.copy_(parameter_);
    move(dense_);
    if (is_view) parameter_.copy_(dense_);
  }

  Tensor gradient;

 private:
  Tensor parameter_, dense_;
};

// Reads a saved state entry by entry.
class StateReader {
 public:
  StateReader(std::string_view optimiser, const State& state)
      : optimiser_(optimiser), state_(state) {}

  // A copy of the entry NUMBER.NAME; none if there is none. Throws Error unless it has
  // the shape and dtype of the parameter.
  std::optional<Tensor> like(const Variable& parameter, std::size_t number,
                             std::string_view name);
  // The entry NUMBER.NAME as a whole number from 0 to 1e15; none if there is none. Throws
  // Error for anything else.
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

// The groups that an optimiser was given, as it keeps them. Memory is what it remembers
// of a parameter between steps, in tensors that a copy would share: there is none.
template <class Options, class Memory>
class Groups {
 public:
  Groups(Groups&&) = default;
  Groups& operator=(Groups&&) = default;

  struct Member {
    Variable parameter;
    Memory memory;
  };
  struct KeptGroup {
    Options options;
    std::vector<Member> members;
  };

  // Throws Error as check_parameters does.
  Groups(const char* optimiser, const std::vector<Group<Options>>& groups)
      : optimiser_(optimiser) {
    std::vector<Variable> parameters;  // of all groups
    for (const Group<Options>& group : groups) {
      KeptGroup& kept = groups_.emplace_back(KeptGroup{group.options, {}});
      for (const Variable& parameter : group.parameters) {
        kept.members.push_back({parameter, {}});
        parameters.push_back(parameter);
      }
    }
    detail::check_parameters(optimiser, parameters);
  }

  std::vector<KeptGroup>& all() { return groups_; }
  const std::vector<KeptGroup>& all() const { return groups_; }

  // The number of parameters.
  std::size_t count() const {
    std::size_t count = 0;
    for (const KeptGroup& group : groups_) count += group.members.size();
    return count;
  }

  void zero_grad() {
    for_each([](std::size_t, Member& member) { member.parameter.zero_grad(); });
  }

  Options& options(std::size_t group) {
    check(group < groups_.size(), "{}: the group must be below {}, got {}", optimiser_,
          groups_.size(), group);
    return groups_[group].options;
  }

  // What is remembered of a parameter. Throws Error, naming what was asked for, when the
  // Variable is not among the parameters.
  const Memory& memory(std::string_view what, const Variable& parameter) const {
    for (const KeptGroup& group : groups_) {
      for (const Member& member : group.members) {
        if (member.parameter.node().get() == parameter.node().get()) return member.memory;
      }
    }
    fail("{}: {} was asked for a Variable that is not a parameter", optimiser_, what);
  }

  // Calls f(number, member) for every parameter, in order over all groups.
  template <class F>
  void for_each(F&& f) const {
    std::size_t number = 0;
    for (const KeptGroup& group : groups_) {
      for (const Member& member : group.members) f(number++, member);
    }
  }
  template <class F>
  void for_each(F&& f) {
    std::size_t number = 0;
    for (KeptGroup& group : groups_) {
      for (Member& member : group.members) f(number++, member);
    }
  }

 private:
  const char* optimiser_;
  std::vector<KeptGroup> groups_;
};

}  // namespace heed::optim

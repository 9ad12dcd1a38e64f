// What all optimisers share: parameters in groups, with options for each group and a
// state for each parameter.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "autograd/variable.h"

namespace heed::optim {

// What a user gives: parameters with options of their own.
template <class Options>
struct Group {
  std::vector<Variable> parameters;
  Options options;
};

// The state of one parameter: what a step leaves for the next one, by PyTorch's names,
// as "exp_avg".
using State = std::map<std::string, Tensor>;

// The states of all parameters, "0.exp_avg" being the exp_avg of the first one, and of
// all groups, as float64 numbers, the options and how many parameters there are:
// "group.0.lr" and "group.0.params" of the first group.
using StateDict = std::map<std::string, Tensor>;

namespace detail {

struct Parameter {
  Variable variable;
  std::size_t group;
  State state;
};

// Throws Error, naming the optimiser and the option, when x is negative or NaN.
void check_not_negative(std::string_view optimiser, const char* option, double x);

// Throws Error, naming the optimiser, when there are no parameters, or one is given
// twice, is a constant or the result of an op, or repeats elements, as expand() does: a
// step cannot write to such a parameter, and would fail after it had updated others. Also
// when two share elements, for threads update them at the same time. A frozen parameter
// may be among them: it gets no gradient, and a step leaves it as it is.
void check_parameters(std::string_view optimiser, const std::vector<Parameter>& list);

// Throws Error, naming the optimiser, when it was moved from: it always had parameters.
void check_usable(std::string_view optimiser, const std::vector<Parameter>& list);

// Replaces the tensors of `state` by those of `next`. References to a tensor of `state`
// stay valid if `next` has one of that name. Takes no memory.
void assign(State& state, State&& next);

StateDict state_dict_of(const std::vector<Parameter>& list);

// The entry of an option of a group in a state dict.
void put_option(StateDict& to, std::size_t group, const char* option, double value);
// Takes it out; none if it is not there. Throws Error when it is not a float64 number.
std::optional<double> take_option(StateDict& from, std::string_view optimiser,
                                  std::size_t group, const char* option);
// The value of an option that is a flag. Throws Error unless it is 0 or 1.
bool flag_of(std::string_view optimiser, const char* option, double value);
// Throws Error when a state dict with options is one of another number of groups.
void check_groups(const StateDict& state_dict, std::string_view optimiser,
                  std::size_t groups);

// The parameters' states in a state dict without options, as copies. Throws Error when an
// entry is not one of `names` of a parameter, or is not like its parameter in shape and
// dtype; "step" must be an int64 number from 1 to 1e15.
std::vector<State> states_of(const StateDict& state_dict, std::string_view optimiser,
                             const std::vector<Parameter>& list,
                             const std::vector<std::string>& names);

// Updates the elements of one parameter from `begin` to `end`. Throws nothing.
using Update = std::function<void(std::int64_t begin, std::int64_t end)>;

// A parameter with its gradient and its state, as a step reads and writes them:
// contiguous. What a step needs is allocated before the first parameter is updated, and
// tensors that it adds to the state stay apart until all are updated.
class Target {
 public:
  explicit Target(Parameter& parameter)
      : gradient_(parameter.variable.grad().value().contiguous()),
        parameter_(parameter.variable.value()),
        x_(parameter_.contiguous()),
        state_(parameter.state) {}

  DType dtype() const { return x_.dtype(); }
  std::int64_t numel() const { return x_.numel(); }

  // The first element of the parameter, and of its gradient.
  template <class T>
  T* x() {
    return x_.mutable_data<T>();
  }
  template <class T>
  const T* gradient() const {
    return gradient_.data<T>();
  }

  bool has_state(const char* name) const { return state_.contains(name); }
  // The first element of a tensor of the state. If there is none of this name, it is
  // added, of the parameter's shape and filled with `value`.
  template <class T>
  T* state(const char* name, double value = 0) {
    const auto found = state_.find(name);
    return (found != state_.end() ? found->second : add(name, value))
        .template mutable_data<T>();
  }
  // The number of this step, from 1, which "step" of the state will hold.
  std::int64_t count_step();

  Update update;  // takes no memory
  // Ends the step: copies x to a strided parameter, adds the new tensors to the state and
  // counts the step. Takes no memory.
  void commit();

 private:
  Tensor& add(const char* name, double value);

  Tensor gradient_, parameter_, x_;  // x_ is a copy of a strided parameter
  State& state_;
  State added_;
  bool counts_ = false;
};

// Calls the update of each, on several threads where it pays, and commits all.
void update_all(std::vector<Target>& targets);

}  // namespace detail

// The base of every optimiser, which adds a step() and load_state_dict(). It cannot be
// copied: a copy would share the states. Every use of one that was moved from throws
// Error.
template <class GroupOptions>
class Optimiser {
 public:
  using Options = GroupOptions;
  using Group = optim::Group<Options>;

  Optimiser(Optimiser&&) = default;
  Optimiser& operator=(Optimiser&&) = default;

  // Forgets the gradients of all parameters.
  void zero_grad() {
    check_usable();
    for (detail::Parameter& parameter : parameters_) parameter.variable.zero_grad();
  }

  // Adds a group, for example parameters that were frozen so far. Throws Error, and
  // changes nothing, as the constructor does; for an option out of range step() does.
  void add_param_group(const Group& group) {
    check_usable();
    std::vector<detail::Parameter> all = parameters_;
    for (const Variable& variable : group.parameters) {
      all.push_back({variable, options_.size(), {}});
    }
    detail::check_parameters(name_, all);
    options_.push_back(group.options);
    parameters_ = std::move(all);
  }

  // The parameters of all groups.
  std::vector<Variable> parameters() const {
    check_usable();
    std::vector<Variable> list;
    for (const detail::Parameter& parameter : parameters_) {
      list.push_back(parameter.variable);
    }
    return list;
  }

  // Those of one group. Throws Error when there is no such group.
  std::vector<Variable> parameters(std::size_t group) const {
    check_group(group);
    std::vector<Variable> list;
    for (const detail::Parameter& parameter : parameters_) {
      if (parameter.group == group) list.push_back(parameter.variable);
    }
    return list;
  }

  // The options of a group, to read or to change between steps. Throws Error when there
  // is no such group.
  Options& options(std::size_t group = 0) & {
    check_group(group);
    return options_[group];
  }

  // The options of all groups, to change them in a loop.
  std::span<Options> param_groups() {
    check_usable();
    return options_;
  }

  // The state of a parameter: empty before its first step. References to it, and to its
  // tensors, see every step, until a group is added, the optimiser is assigned to or
  // destroyed, or it loads a state without such a tensor. Throws Error for a Variable
  // that is not among the parameters.
  const State& state(const Variable& parameter) const& {
    check_usable();
    for (const detail::Parameter& p : parameters_) {
      if (p.variable.node().get() == parameter.node().get()) return p.state;
    }
    fail("{}: the state was asked for a Variable that is not a parameter", name_);
  }

  // It would refer into an optimiser that is gone.
  void state(const Variable& parameter) && = delete;

  // Copies of all states, and the options: what another optimiser of equal parameters
  // needs to go on from here.
  StateDict state_dict() const {
    check_usable();
    StateDict all = detail::state_dict_of(parameters_);
    for (std::size_t group = 0; group < options_.size(); ++group) {
      Options options = options_[group];
      options.visit([&](const char* name, auto value) {
        detail::put_option(all, group, name, static_cast<double>(value));
      });
      detail::put_option(all, group, params,
                         static_cast<double>(parameters(group).size()));
    }
    return all;
  }

 protected:
  // `name` is that of the optimiser, for messages. Throws Error as check_parameters does.
  Optimiser(const char* name, const std::vector<Group>& groups) : name_(name) {
    for (const Group& group : groups) {
      for (const Variable& variable : group.parameters) {
        parameters_.push_back({variable, options_.size(), {}});
      }
      options_.push_back(group.options);
    }
    detail::check_parameters(name, parameters_);
  }

  // Updates every parameter that has a gradient, or, when memory runs out, none.
  // prepare(target, options) takes all memory that a step of one parameter needs, and
  // returns how to update its elements.
  void update_all(detail::Update (*prepare)(detail::Target&, const Options&)) {
    check_usable();
    std::vector<detail::Target> targets;
    targets.reserve(parameters_.size());
    for (detail::Parameter& parameter : parameters_) {
      if (!parameter.variable.has_grad()) continue;
      detail::Target& target = targets.emplace_back(parameter);
      target.update = prepare(target, options_[parameter.group]);
    }
    detail::update_all(targets);
  }

  static constexpr const char* params = "params";  // in a state dict
  void check_usable() const { detail::check_usable(name_, parameters_); }
  void check_group(std::size_t group) const {
    check_usable();
    check(group < options_.size(), "{}: the group must be below {}, got {}", name_,
          options_.size(), group);
  }

  // Takes over what state_dict() returned; an option that it lacks stays. The states have
  // tensors of these names. The two checks throw Error before anything is changed.
  template <class CheckOptions, class CheckStates>
  void set_state(StateDict state_dict, const std::vector<std::string>& names,
                 CheckOptions&& check_options, CheckStates&& check_states) {
    check_usable();
    detail::check_groups(state_dict, name_, options_.size());
    std::vector<Options> options = options_;
    for (std::size_t group = 0; group < options.size(); ++group) {
      options[group].visit([&]<class T>(const char* name, T& value) {
        const auto number = detail::take_option(state_dict, name_, group, name);
        if (!number) return;
        if constexpr (std::is_same_v<T, bool>) {
          value = detail::flag_of(name_, name, *number);
        } else {
          value = *number;
        }
      });
      const auto count = detail::take_option(state_dict, name_, group, params);
      const std::size_t wanted = parameters(group).size();
      check(!count || *count == static_cast<double>(wanted),
            "{}: the state must have as many parameters in group {} as the optimiser, "
            "{}, got {}",
            name_, group, wanted, count.value_or(0));
    }
    check_options(options);
    std::vector<State> states = detail::states_of(state_dict, name_, parameters_, names);
    check_states(states);
    options_ = std::move(options);
    for (std::size_t i = 0; i < states.size(); ++i) {
      detail::assign(parameters_[i].state, std::move(states[i]));
    }
  }

  const char* name_;
  std::vector<Options> options_;  // of each group
  std::vector<detail::Parameter> parameters_;
};

}  // namespace heed::optim

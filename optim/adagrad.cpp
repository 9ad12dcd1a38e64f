#include "optim/adagrad.h"

#include <cmath>

#include "tensor/core/factories.h"
#include "tensor/core/parallel.h"
#include "tensor/elementwise/elementwise.h"
#include "tensor/reduce/reductions.h"

namespace heed::optim {
namespace {

void check_options(const std::vector<AdagradOptions>& groups) {
  for (const AdagradOptions& o : groups) {
    detail::check_not_negative("Adagrad", "lr", o.lr);
    detail::check_not_negative("Adagrad", "lr_decay", o.lr_decay);
    detail::check_not_negative("Adagrad", "weight_decay", o.weight_decay);
    detail::check_not_negative("Adagrad", "initial_accumulator_value",
                               o.initial_accumulator_value);
    detail::check_not_negative("Adagrad", "eps", o.eps);
  }
}

void check_states(const std::vector<State>& states) {
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (states[i].empty()) continue;
    const auto found = states[i].find("sum");
    check(states[i].contains("step") && found != states[i].end(),
          "Adagrad: the state of parameter {} must have step and sum, or none of them",
          i);
    check(!any(found->second < 0).item(),
          "Adagrad: the sums of squares of parameter {} must not be negative", i);
  }
}

// One step, cut among threads. All tensors are contiguous.
void update(Tensor& x, const Tensor& gradient, Tensor& sum, const AdagradOptions& o,
            double rate) {
  dispatch_floating("Adagrad", x.dtype(), [&]<class T>() {
    T *const to = x.mutable_data<T>(), *const s = sum.mutable_data<T>();
    const T* const from = gradient.data<T>();
    const T lr = static_cast<T>(rate), eps = static_cast<T>(o.eps);
    const T decay = static_cast<T>(o.weight_decay);
    parallel_for(x.numel(), parallel_grain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        T g = o.maximize ? -from[i] : from[i];
        if (decay != 0) g += decay * to[i];
        s[i] += g * g;
        to[i] -= lr * (g / (std::sqrt(s[i]) + eps));
      }
    });
  });
}

// Makes what a step of one parameter needs, and returns the step.
auto prepare(const Variable& parameter, State& state, const AdagradOptions& o) {
  if (!state.contains("sum")) {
    state["sum"] =
        full(parameter.shape(), o.initial_accumulator_value, parameter.dtype());
  }
  const double before = state.contains("step") ? state.at("step").item() : 0;
  state["step"] = tensor(static_cast<std::int64_t>(before + 1));
  const double rate = o.lr / (1 + before * o.lr_decay);
  return [=, sum = state.at("sum")](Tensor& x, const Tensor& gradient) mutable {
    update(x, gradient, sum, o, rate);
  };
}

}  // namespace

Adagrad::Adagrad(std::vector<Variable> parameters, AdagradOptions options)
    : Adagrad(std::vector<Group>{{std::move(parameters), options}}) {}

Adagrad::Adagrad(const std::vector<Group>& groups) : Optimiser("Adagrad", groups) {
  check_options(options_);
}

void Adagrad::step() {
  check_options(options_);
  move_all(prepare);
}

void Adagrad::load_state_dict(const StateDict& state_dict) {
  set_state(state_dict, {"step", "sum"}, check_options, check_states);
}

}  // namespace heed::optim

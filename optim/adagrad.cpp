#include "optim/adagrad.h"

#include <cmath>

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

detail::Update prepare(detail::Target& target, const AdagradOptions& o) {
  return dispatch_floating("Adagrad", target.dtype(), [&]<class T>() -> detail::Update {
    T* const x = target.x<T>();
    const T* const gradient = target.gradient<T>();
    T* const s = target.state<T>("sum", o.initial_accumulator_value);
    const auto steps_before = static_cast<double>(target.count_step() - 1);
    const T lr = static_cast<T>(o.lr / (1 + steps_before * o.lr_decay));
    const T eps = static_cast<T>(o.eps), decay = static_cast<T>(o.weight_decay);
    const bool maximize = o.maximize;
    return [=](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        T g = maximize ? -gradient[i] : gradient[i];
        if (decay != 0) g += decay * x[i];
        s[i] += g * g;
        x[i] -= lr * (g / (std::sqrt(s[i]) + eps));
      }
    };
  });
}

}  // namespace

Adagrad::Adagrad(std::vector<Variable> parameters, AdagradOptions options)
    : Adagrad(std::vector<Group>{{std::move(parameters), options}}) {}

Adagrad::Adagrad(const std::vector<Group>& groups) : Optimiser("Adagrad", groups) {
  check_options(options_);
}

void Adagrad::step() {
  check_options(options_);
  update_all(prepare);
}

void Adagrad::load_state_dict(const StateDict& state_dict) {
  set_state(state_dict, {"step", "sum"}, check_options, check_states);
}

}  // namespace heed::optim

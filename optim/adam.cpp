#include "optim/adam.h"

#include <cmath>

#include "optim/adam_kernels.h"
#include "tensor/elementwise/elementwise.h"
#include "tensor/kernels/level.h"
#include "tensor/reduce/reductions.h"

namespace heed::optim {
namespace {

// The numbers of step t, computed in double.
template <class T>
kernels::AdamNumbers<T> numbers(const AdamOptions& o, double t) {
  const double decay = o.weight_decay;
  const bool decoupled = o.decoupled_weight_decay;
  const auto as = [](double number) { return static_cast<T>(number); };
  return {.shrink = as(decoupled ? 1 - o.lr * decay : 1),
          .weight_decay = as(decoupled ? 0 : decay),
          .beta1 = as(o.betas[0]),
          .beta2 = as(o.betas[1]),
          .one_minus_beta1 = as(1 - o.betas[0]),
          .one_minus_beta2 = as(1 - o.betas[1]),
          .eps = as(o.eps),
          .step_size = as(o.lr / (1 - std::pow(o.betas[0], t))),
          .root_scale = as(std::sqrt(1 - std::pow(o.betas[1], t))),
          .maximize = o.maximize};
}

// A step by the loop of adam_kernels.cpp. Without amsgrad there are no largest mean
// squares.
detail::Update prepare(detail::Target& target, const AdamOptions& o) {
  return dispatch_floating("Adam", target.dtype(), [&]<class T>() -> detail::Update {
    const auto step = kernels::get<kernels::AdamKernels<T>>().step;
    const auto k = numbers<T>(o, static_cast<double>(target.count_step()));
    T* const x = target.x<T>();
    const T* const g = target.gradient<T>();
    T *const m = target.state<T>("exp_avg"), *const v = target.state<T>("exp_avg_sq");
    T* const most = o.amsgrad ? target.state<T>("max_exp_avg_sq") : nullptr;
    return [=](std::int64_t begin, std::int64_t end) {
      step(end - begin, x + begin, g + begin, m + begin, v + begin,
           most ? most + begin : nullptr, k);
    };
  });
}

void check_options(const char* name, const std::vector<AdamOptions>& groups) {
  const auto check_beta = [&](const char* what, double beta) {
    check(0 <= beta && beta < 1, "{}: {} must be from 0 to below 1, got {}", name, what,
          beta);
  };
  for (const AdamOptions& o : groups) {
    detail::check_not_negative(name, "lr", o.lr);
    check_beta("betas[0]", o.betas[0]);
    check_beta("betas[1]", o.betas[1]);
    detail::check_not_negative(name, "eps", o.eps);
    detail::check_not_negative(name, "weight_decay", o.weight_decay);
  }
}

// Throws Error unless each state is whole or empty, and the mean squares can be some.
void check_states(const char* name, const std::vector<State>& states) {
  for (std::size_t i = 0; i < states.size(); ++i) {
    const State& state = states[i];
    const bool whole = state.contains("step") && state.contains("exp_avg") &&
                       state.contains("exp_avg_sq");
    check(whole || state.empty(),
          "{}: the state of parameter {} must have step, exp_avg and exp_avg_sq, or none "
          "of them",
          name, i);
    for (const char* square : {"exp_avg_sq", "max_exp_avg_sq"}) {
      const auto found = state.find(square);
      if (found != state.end() && any(found->second < 0).item()) {
        fail("{}: the mean squares of parameter {} must not be negative, got {}", name, i,
             min(found->second).item());
      }
    }
  }
}

std::vector<Adam::Group> groups_of_adam(const std::vector<AdamW::Group>& groups) {
  std::vector<Adam::Group> result;
  for (const auto& [parameters, options] : groups)
    result.push_back({parameters, options});
  return result;
}

}  // namespace

Adam::Adam(std::vector<Variable> parameters, AdamOptions options)
    : Adam(std::vector<Group>{{std::move(parameters), options}}) {}

Adam::Adam(const std::vector<Group>& groups) : Adam("Adam", groups) {}

Adam::Adam(const char* name, const std::vector<Group>& groups) : Optimiser(name, groups) {
  check_options(name_, options_);
}

AdamWOptions::operator AdamOptions() const {
  return {lr, betas, eps, weight_decay, amsgrad, maximize, true};
}

AdamW::AdamW(std::vector<Variable> parameters, AdamWOptions options)
    : AdamW(std::vector<Group>{{std::move(parameters), options}}) {}

AdamW::AdamW(const std::vector<Group>& groups) : Adam("AdamW", groups_of_adam(groups)) {}

void Adam::step() {
  check_options(name_, options_);
  update_all(prepare);
}

void Adam::load_state_dict(const StateDict& state_dict) {
  set_state(
      state_dict, {"step", "exp_avg", "exp_avg_sq", "max_exp_avg_sq"},
      [&](const auto& options) { check_options(name_, options); },
      [&](const auto& states) { check_states(name_, states); });
}

}  // namespace heed::optim

#include "optim/adam.h"

#include <cmath>
#include <optional>

#include "optim/adam_kernels.h"
#include "tensor/core/factories.h"
#include "tensor/core/parallel.h"
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

// Step t by the loop of adam_kernels.cpp, cut among threads. All tensors are contiguous;
// `largest` is there with amsgrad alone.
void update(Tensor& x, const Tensor& gradient, Tensor& m, Tensor& v,
            std::optional<Tensor>& largest, const AdamOptions& o, double t) {
  dispatch_floating("Adam", x.dtype(), [&]<class T>() {
    const auto step = kernels::get<kernels::AdamKernels<T>>().step;
    const auto k = numbers<T>(o, t);
    T* const to = x.mutable_data<T>();
    const T* const g = gradient.data<T>();
    T *const ms = m.mutable_data<T>(), *const vs = v.mutable_data<T>();
    T* const most = largest ? largest->mutable_data<T>() : nullptr;
    constexpr std::int64_t grain = parallel_grain / 4;  // each element takes long
    parallel_for(x.numel(), grain, [&](std::int64_t begin, std::int64_t end) {
      step(end - begin, to + begin, g + begin, ms + begin, vs + begin,
           most ? most + begin : nullptr, k);
    });
  });
}

// Makes what a step of one parameter needs, and returns the step.
auto prepare(const Variable& parameter, State& state, const AdamOptions& o) {
  const auto buffer = [&](const char* name) {
    if (!state.contains(name)) {
      state[name] = zeros(parameter.shape(), parameter.dtype());
    }
    return state.at(name);
  };
  const double t = state.contains("step") ? state.at("step").item() + 1 : 1;
  state["step"] = tensor(static_cast<std::int64_t>(t));
  std::optional<Tensor> largest;
  if (o.amsgrad) largest = buffer("max_exp_avg_sq");
  return [m = buffer("exp_avg"), v = buffer("exp_avg_sq"), largest, o, t](
             Tensor& x, const Tensor& gradient) mutable {
    update(x, gradient, m, v, largest, o, t);
  };
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
  move_all(prepare);
}

void Adam::load_state_dict(const StateDict& state_dict) {
  set_state(
      state_dict, {"step", "exp_avg", "exp_avg_sq", "max_exp_avg_sq"},
      [&](const auto& options) { check_options(name_, options); },
      [&](const auto& states) { check_states(name_, states); });
}

}  // namespace heed::optim

#include "optim/rmsprop.h"

#include <cmath>

#include "tensor/elementwise/elementwise.h"
#include "tensor/reduce/reductions.h"

namespace heed::optim {
namespace {

void check_options(const std::vector<RMSpropOptions>& groups) {
  for (const RMSpropOptions& o : groups) {
    detail::check_not_negative("RMSprop", "lr", o.lr);
    check(0 <= o.alpha && o.alpha < 1, "RMSprop: alpha must be from 0 to below 1, got {}",
          o.alpha);
    detail::check_not_negative("RMSprop", "eps", o.eps);
    detail::check_not_negative("RMSprop", "weight_decay", o.weight_decay);
    detail::check_not_negative("RMSprop", "momentum", o.momentum);
  }
}

void check_states(const std::vector<State>& states) {
  for (std::size_t i = 0; i < states.size(); ++i) {
    const auto found = states[i].find("square_avg");
    check(states[i].empty() || found != states[i].end(),
          "RMSprop: the state of parameter {} must have square_avg", i);
    if (found != states[i].end() && any(found->second < 0).item()) {
      fail("RMSprop: the mean squares of parameter {} must not be negative, got {}", i,
           min(found->second).item());
    }
  }
}

// A step. Without momentum or centered there are no tensors of theirs.
detail::Update prepare(detail::Target& target, const RMSpropOptions& o) {
  return dispatch_floating("RMSprop", target.dtype(), [&]<class T>() -> detail::Update {
    T *const x = target.x<T>(), *const v = target.state<T>("square_avg");
    T* const a = o.centered ? target.state<T>("grad_avg") : nullptr;
    T* const b = o.momentum != 0 ? target.state<T>("momentum_buffer") : nullptr;
    const T* const gradient = target.gradient<T>();
    const auto as = [](double number) { return static_cast<T>(number); };
    const T lr = as(o.lr), alpha = as(o.alpha), rest = as(1 - o.alpha), eps = as(o.eps);
    const T decay = as(o.weight_decay), momentum = as(o.momentum);
    const bool maximize = o.maximize;
    return [=](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        T g = maximize ? -gradient[i] : gradient[i];
        if (decay != 0) g += decay * x[i];
        v[i] = alpha * v[i] + rest * g * g;
        T square = v[i];
        if (a) {
          a[i] += rest * (g - a[i]);
          square -= a[i] * a[i];
        }
        T d = g / (std::sqrt(square) + eps);
        if (b) d = b[i] = momentum * b[i] + d;
        x[i] -= lr * d;
      }
    };
  });
}

}  // namespace

RMSprop::RMSprop(std::vector<Variable> parameters, RMSpropOptions options)
    : RMSprop(std::vector<Group>{{std::move(parameters), options}}) {}

RMSprop::RMSprop(const std::vector<Group>& groups) : Optimiser("RMSprop", groups) {
  check_options(options_);
}

void RMSprop::step() {
  check_options(options_);
  update_all(prepare);
}

void RMSprop::load_state_dict(const StateDict& state_dict) {
  set_state(state_dict, {"square_avg", "grad_avg", "momentum_buffer"}, check_options,
            check_states);
}

}  // namespace heed::optim

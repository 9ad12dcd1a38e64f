#include "optim/rmsprop.h"

#include <cmath>
#include <optional>

#include "tensor/core/factories.h"
#include "tensor/core/parallel.h"
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

// One step, cut among threads. All tensors are contiguous; those of momentum and centered
// are there with these alone.
void update(Tensor& x, const Tensor& gradient, Tensor& square_avg,
            std::optional<Tensor>& grad_avg, std::optional<Tensor>& momentum_buffer,
            const RMSpropOptions& o) {
  dispatch_floating("RMSprop", x.dtype(), [&]<class T>() {
    const auto elements = [](std::optional<Tensor>& state) {
      return state ? state->mutable_data<T>() : nullptr;
    };
    T *const to = x.mutable_data<T>(), *const v = square_avg.mutable_data<T>();
    T *const a = elements(grad_avg), *const b = elements(momentum_buffer);
    const T* const from = gradient.data<T>();
    const auto as = [](double number) { return static_cast<T>(number); };
    const T lr = as(o.lr), alpha = as(o.alpha), rest = as(1 - o.alpha), eps = as(o.eps);
    const T decay = as(o.weight_decay), momentum = as(o.momentum);
    parallel_for(x.numel(), parallel_grain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        T g = o.maximize ? -from[i] : from[i];
        if (decay != 0) g += decay * to[i];
        v[i] = alpha * v[i] + rest * g * g;
        T square = v[i];
        if (a) {
          a[i] += rest * (g - a[i]);
          square -= a[i] * a[i];
        }
        T d = g / (std::sqrt(square) + eps);
        if (b) d = b[i] = momentum * b[i] + d;
        to[i] -= lr * d;
      }
    });
  });
}

// Makes what a step of one parameter needs, and returns the step. What takes memory is
// done here, before any parameter is moved.
auto prepare(const Variable& parameter, State& state, const RMSpropOptions& o) {
  const auto buffer = [&](const char* name) {
    if (!state.contains(name)) {
      state[name] = zeros(parameter.shape(), parameter.dtype());
    }
    return state.at(name);
  };
  std::optional<Tensor> grad_avg, momentum_buffer;
  if (o.centered) grad_avg = buffer("grad_avg");
  if (o.momentum != 0) momentum_buffer = buffer("momentum_buffer");
  return
      [=, square_avg = buffer("square_avg")](Tensor& x, const Tensor& gradient) mutable {
        update(x, gradient, square_avg, grad_avg, momentum_buffer, o);
      };
}

}  // namespace

RMSprop::RMSprop(std::vector<Variable> parameters, RMSpropOptions options)
    : RMSprop(std::vector<Group>{{std::move(parameters), options}}) {}

RMSprop::RMSprop(const std::vector<Group>& groups) : Optimiser("RMSprop", groups) {
  check_options(options_);
}

void RMSprop::step() {
  check_options(options_);
  move_all(prepare);
}

void RMSprop::load_state_dict(const StateDict& state_dict) {
  set_state(state_dict, {"square_avg", "grad_avg", "momentum_buffer"}, check_options,
            check_states);
}

}  // namespace heed::optim

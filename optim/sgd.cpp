#include "optim/sgd.h"

#include <optional>

#include "optim/sgd_kernels.h"
#include "tensor/core/factories.h"
#include "tensor/core/parallel.h"
#include "tensor/kernels/level.h"

namespace heed::optim {
namespace {

constexpr const char* buffer = "momentum_buffer";

void check_options(const std::vector<SGDOptions>& groups) {
  for (const SGDOptions& o : groups) {
    detail::check_not_negative("SGD", "lr", o.lr);
    detail::check_not_negative("SGD", "momentum", o.momentum);
    detail::check_not_negative("SGD", "weight_decay", o.weight_decay);
    check(!o.nesterov || (o.momentum > 0 && o.dampening == 0),
          "SGD: nesterov needs a momentum and no dampening, got momentum {} and "
          "dampening {}",
          o.momentum, o.dampening);
  }
}

// A step by the loop of sgd_kernels.cpp, cut among threads. All tensors are contiguous;
// `velocity` is there with momentum alone.
void update(Tensor& x, const Tensor& gradient, std::optional<Tensor>& velocity,
            const SGDOptions& o, bool first) {
  dispatch_floating("SGD", x.dtype(), [&]<class T>() {
    const auto as = [](double number) { return static_cast<T>(number); };
    const kernels::SGDNumbers<T> numbers{.lr = as(o.lr),
                                         .momentum = as(o.momentum),
                                         .one_minus_dampening = as(1 - o.dampening),
                                         .weight_decay = as(o.weight_decay),
                                         .nesterov = o.nesterov,
                                         .maximize = o.maximize,
                                         .first = first};
    const auto step = kernels::get<kernels::SGDKernels<T>>().step;
    T* const to = x.mutable_data<T>();
    const T* const g = gradient.data<T>();
    T* const v = velocity ? velocity->mutable_data<T>() : nullptr;
    parallel_for(x.numel(), parallel_grain, [&](std::int64_t begin, std::int64_t end) {
      step(end - begin, to + begin, g + begin, v ? v + begin : nullptr, numbers);
    });
  });
}

// Makes what a step of one parameter needs, and returns the step. What takes memory is
// done here, before any parameter is moved.
auto prepare(const Variable& parameter, State& state, const SGDOptions& o) {
  const bool first = !state.contains(buffer);
  std::optional<Tensor> velocity;
  if (o.momentum != 0) {
    if (first) state[buffer] = zeros(parameter.shape(), parameter.dtype());
    velocity = state.at(buffer);
  }
  return [=](Tensor& x, const Tensor& gradient) mutable {
    update(x, gradient, velocity, o, first);
  };
}

}  // namespace

SGD::SGD(std::vector<Variable> parameters, SGDOptions options)
    : SGD(std::vector<Group>{{std::move(parameters), options}}) {}

SGD::SGD(const std::vector<Group>& groups) : Optimiser("SGD", groups) {
  check_options(options_);
}

void SGD::step() {
  check_options(options_);
  move_all(prepare);
}

void SGD::load_state_dict(const StateDict& state_dict) {
  set_state(state_dict, {buffer}, check_options, [](auto&) {});
}

}  // namespace heed::optim

#include "optim/sgd.h"

#include "optim/sgd_kernels.h"
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

// A step by the loop of sgd_kernels.cpp. Without momentum there is no velocity.
detail::Update prepare(detail::Target& target, const SGDOptions& o) {
  return dispatch_floating("SGD", target.dtype(), [&]<class T>() -> detail::Update {
    const auto as = [](double number) { return static_cast<T>(number); };
    const kernels::SGDNumbers<T> numbers{.lr = as(o.lr),
                                         .momentum = as(o.momentum),
                                         .one_minus_dampening = as(1 - o.dampening),
                                         .weight_decay = as(o.weight_decay),
                                         .nesterov = o.nesterov,
                                         .maximize = o.maximize,
                                         .first = !target.has_state(buffer)};
    const auto step = kernels::get<kernels::SGDKernels<T>>().step;
    T* const x = target.x<T>();
    const T* const g = target.gradient<T>();
    T* const v = o.momentum != 0 ? target.state<T>(buffer) : nullptr;
    return [=](std::int64_t begin, std::int64_t end) {
      step(end - begin, x + begin, g + begin, v ? v + begin : nullptr, numbers);
    };
  });
}

}  // namespace

SGD::SGD(std::vector<Variable> parameters, SGDOptions options)
    : SGD(std::vector<Group>{{std::move(parameters), options}}) {}

SGD::SGD(const std::vector<Group>& groups) : Optimiser("SGD", groups) {
  check_options(options_);
}

void SGD::step() {
  check_options(options_);
  update_all(prepare);
}

void SGD::load_state_dict(const StateDict& state_dict) {
  set_state(state_dict, {buffer}, check_options, [](auto&) {});
}

}  // namespace heed::optim

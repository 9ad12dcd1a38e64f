#include "optim/sgd.h"

#include <optional>

#include "tensor/core/factories.h"
#include "tensor/elementwise/updates.h"

namespace heed::optim {
namespace {

constexpr const char* buffer = "momentum_buffer";

void check_options(const std::vector<SgdOptions>& groups) {
  for (const SgdOptions& o : groups) {
    check(o.lr >= 0, "Sgd: lr must not be negative, got {}", o.lr);
    check(o.momentum >= 0, "Sgd: momentum must not be negative, got {}", o.momentum);
    check(o.weight_decay >= 0, "Sgd: weight_decay must not be negative, got {}",
          o.weight_decay);
    check(!o.nesterov || (o.momentum > 0 && o.dampening == 0),
          "Sgd: nesterov needs a momentum and no dampening, got momentum {} and "
          "dampening {}",
          o.momentum, o.dampening);
  }
}

// Makes what a step of one parameter needs, and returns the step. What takes memory is
// done here, before any parameter is moved.
auto prepare(const Variable& parameter, Memory& memory, const SgdOptions& o) {
  const SgdUpdate update{.lr = o.lr,
                         .momentum = o.momentum,
                         .dampening = o.dampening,
                         .weight_decay = o.weight_decay,
                         .nesterov = o.nesterov,
                         .maximize = o.maximize,
                         .first = !memory.contains(buffer)};
  std::optional<Tensor> velocity;
  if (o.momentum != 0) {
    if (update.first) memory[buffer] = zeros(parameter.shape(), parameter.dtype());
    velocity = memory.at(buffer);
  }
  return [=](Tensor& x, const Tensor& gradient) mutable {
    sgd_(x, gradient, velocity, update);
  };
}

}  // namespace

Sgd::Sgd(std::vector<Variable> parameters, SgdOptions options)
    : Sgd(std::vector<Group>{{std::move(parameters), options}}) {}

Sgd::Sgd(const std::vector<Group>& groups) : Optimiser("Sgd", groups) {
  check_options(options_);
}

void Sgd::step() {
  check_options(options_);
  move_all(prepare);
}

void Sgd::load_state(const State& state) {
  remember(detail::memories_of(state, name_, parameters_, {buffer}));
}

}  // namespace heed::optim

#include "optim/sgd.h"

#include <fmt/format.h>

#include "tensor/core/factories.h"
#include "tensor/elementwise/updates.h"

namespace heed::optim {
namespace {

void check_options(const SgdOptions& o) {
  check(o.lr >= 0, "Sgd: lr must not be negative, got {}", o.lr);
  check(o.momentum >= 0, "Sgd: momentum must not be negative, got {}", o.momentum);
  check(o.weight_decay >= 0, "Sgd: weight_decay must not be negative, got {}",
        o.weight_decay);
  check(
      !o.nesterov || (o.momentum > 0 && o.dampening == 0),
      "Sgd: nesterov needs a momentum and no dampening, got momentum {} and dampening {}",
      o.momentum, o.dampening);
}

// A step of one parameter that only has to be made.
struct Move {
  detail::Target target;
  std::optional<Tensor>& velocity;  // what is remembered; next_velocity takes its place
  std::optional<Tensor> next_velocity;
  SgdUpdate update;

  Move(const Variable& parameter, std::optional<Tensor>& velocity, const SgdOptions& o)
      : target(parameter),
        velocity(velocity),
        update{.lr = o.lr,
               .momentum = o.momentum,
               .dampening = o.dampening,
               .weight_decay = o.weight_decay,
               .nesterov = o.nesterov,
               .maximize = o.maximize,
               .first = !velocity} {
    if (o.momentum == 0) return;
    next_velocity = velocity ? *velocity : zeros(parameter.shape(), parameter.dtype());
  }

  void make() {
    target.update([&](Tensor& x) { sgd_(x, target.gradient, next_velocity, update); });
    if (next_velocity) velocity = std::move(next_velocity);
  }
};

}  // namespace

Sgd::Sgd(std::vector<Variable> parameters, SgdOptions options)
    : Sgd(std::vector<Group>{{std::move(parameters), options}}) {}

Sgd::Sgd(const std::vector<Group>& groups) : groups_("Sgd", groups) {
  for (const auto& group : groups_.all()) check_options(group.options);
}

void Sgd::step() {
  for (const auto& group : groups_.all()) check_options(group.options);
  std::vector<Move> moves;
  moves.reserve(groups_.count());
  for (auto& group : groups_.all()) {
    for (auto& [parameter, velocity] : group.members) {
      if (parameter.has_grad()) moves.emplace_back(parameter, velocity, group.options);
    }
  }
  for (Move& move : moves) move.make();
}

std::optional<Tensor> Sgd::momentum_buffer(const Variable& parameter) const {
  return groups_.memory("momentum_buffer", parameter);
}

State Sgd::state() const {
  State state;
  groups_.for_each([&](std::size_t i, const auto& member) {
    const std::optional<Tensor>& velocity = member.memory;
    if (velocity) state[fmt::format("{}.momentum_buffer", i)] = velocity->clone();
  });
  return state;
}

void Sgd::load_state(const State& state) {
  detail::StateReader reader("Sgd", state);
  std::vector<std::optional<Tensor>> loaded;
  groups_.for_each([&](std::size_t i, const auto& member) {
    loaded.push_back(reader.like(member.parameter, i, "momentum_buffer"));
  });
  reader.check_all_read();
  groups_.for_each([&](std::size_t i, auto& member) { member.memory = loaded[i]; });
}

}  // namespace heed::optim

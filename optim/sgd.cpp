#include "optim/sgd.h"

#include <fmt/format.h>

#include "tensor/elementwise.h"

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

void update(Tensor x, const Tensor& gradient, std::optional<Tensor>& velocity,
            const SgdOptions& o) {
  Tensor g = o.maximize ? -gradient : gradient;
  if (o.weight_decay != 0) g = g + o.weight_decay * x;
  if (o.momentum != 0) {
    if (!velocity) {
      velocity = g.clone();
    } else {
      mul_(*velocity, o.momentum);
      add_(*velocity, g, 1 - o.dampening);
    }
    g = o.nesterov ? g + o.momentum * *velocity : *velocity;
  }
  add_(x, g, -o.lr);
}

}  // namespace

Sgd::Sgd(std::vector<Variable> parameters, SgdOptions options)
    : Sgd(std::vector<Group>{{std::move(parameters), options}}) {}

Sgd::Sgd(const std::vector<Group>& groups) : groups_("Sgd", groups) {
  for (const auto& group : groups_.all()) check_options(group.options);
}

void Sgd::step() {
  for (const auto& group : groups_.all()) check_options(group.options);
  for (auto& group : groups_.all()) {
    for (auto& [parameter, velocity] : group.members) {
      if (!parameter.has_grad()) continue;
      update(parameter.value(), parameter.grad().value(), velocity, group.options);
    }
  }
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

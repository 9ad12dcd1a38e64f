#include "optim/sgd.h"

#include <set>

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

Sgd::Sgd(std::vector<Group> groups) {
  std::set<const Node*> seen;
  for (const Group& group : groups) {
    check_options(group.options);
    StateGroup& own = groups_.emplace_back(StateGroup{group.options, {}});
    for (const Variable& parameter : group.parameters) {
      check(
          parameter.is_leaf() && parameter.requires_grad(),
          "Sgd: a parameter must be a leaf that requires a gradient; parameter {} is not",
          seen.size());
      check(seen.insert(parameter.node().get()).second,
            "Sgd: a parameter is given twice, the second time as number {}", seen.size());
      own.states.push_back({parameter, std::nullopt});
    }
  }
  check(!seen.empty(), "Sgd: there are no parameters");
}

void Sgd::zero_grad() {
  for (StateGroup& group : groups_) {
    for (State& state : group.states) state.parameter.zero_grad();
  }
}

void Sgd::step() {
  for (const StateGroup& group : groups_) check_options(group.options);
  for (StateGroup& group : groups_) {
    for (auto& [parameter, velocity] : group.states) {
      if (!parameter.has_grad()) continue;
      update(parameter.value(), parameter.grad().value(), velocity, group.options);
    }
  }
}

SgdOptions& Sgd::options(std::size_t group) {
  check(group < groups_.size(), "Sgd: there are {} groups, asked for number {}",
        groups_.size(), group);
  return groups_[group].options;
}

std::optional<Tensor> Sgd::momentum_buffer(const Variable& parameter) const {
  for (const StateGroup& group : groups_) {
    for (const State& state : group.states) {
      if (state.parameter.node().get() == parameter.node().get()) return state.velocity;
    }
  }
  fail("Sgd: momentum_buffer was asked for a Variable that is not a parameter");
}

}  // namespace heed::optim

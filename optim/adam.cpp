#include "optim/adam.h"

#include <cmath>

#include <fmt/format.h>

#include "tensor/core/factories.h"
#include "tensor/elementwise/elementwise.h"
#include "tensor/elementwise/updates.h"
#include "tensor/reduce/reductions.h"

namespace heed::optim {
namespace {

template <bool decoupled>
constexpr const char* optimiser = decoupled ? "AdamW" : "Adam";

template <bool decoupled>
void check_options(const AdamFamilyOptions<decoupled>& o) {
  const auto check_not_negative = [](const char* what, double x) {
    check(x >= 0, "{}: {} must not be negative, got {}", optimiser<decoupled>, what, x);
  };
  const auto check_beta = [](const char* what, double beta) {
    check(0 <= beta && beta < 1, "{}: {} must be from 0 to below 1, got {}",
          optimiser<decoupled>, what, beta);
  };
  check_not_negative("lr", o.lr);
  check_beta("beta1", o.beta1);
  check_beta("beta2", o.beta2);
  check_not_negative("eps", o.eps);
  check_not_negative("weight_decay", o.weight_decay);
}

template <bool decoupled>
AdamUpdate update_of(const AdamFamilyOptions<decoupled>& o, std::int64_t step) {
  const auto t = static_cast<double>(step);
  return {
      .shrink = decoupled ? 1 - o.lr * o.weight_decay : 1,
      .weight_decay = decoupled ? 0 : o.weight_decay,
      .beta1 = o.beta1,
      .beta2 = o.beta2,
      .eps = o.eps,
      .step_size = o.lr / (1 - std::pow(o.beta1, t)),
      .root_scale = std::sqrt(1 - std::pow(o.beta2, t)),
      .maximize = o.maximize,
  };
}

// A step of one parameter that only has to be made.
struct Move {
  detail::Target target;
  AdamMemory& memory;  // what is remembered; next takes its place
  AdamMemory next;
  AdamUpdate update;
  bool amsgrad;

  template <bool decoupled>
  Move(const Variable& parameter, AdamMemory& memory,
       const AdamFamilyOptions<decoupled>& o)
      : target(parameter), memory(memory), next(memory), amsgrad(o.amsgrad) {
    const auto begin = [&](std::optional<Tensor>& mean) {
      if (!mean) mean = zeros(parameter.shape(), parameter.dtype());
    };
    begin(next.exp_avg);
    begin(next.exp_avg_sq);
    if (amsgrad) begin(next.max_exp_avg_sq);
    update = update_of(o, ++next.step);
  }

  void make() {
    std::optional<Tensor> none;
    target.update([&](Tensor& x) {
      adam_(x, target.gradient, *next.exp_avg, *next.exp_avg_sq,
            amsgrad ? next.max_exp_avg_sq : none, update);
    });
    memory = std::move(next);
  }
};

}  // namespace

template <bool decoupled>
AdamFamily<decoupled>::AdamFamily(std::vector<Variable> parameters, Options options)
    : AdamFamily(std::vector<Group>{{std::move(parameters), options}}) {}

template <bool decoupled>
AdamFamily<decoupled>::AdamFamily(const std::vector<Group>& groups)
    : groups_(optimiser<decoupled>, groups) {
  for (const auto& group : groups_.all()) check_options(group.options);
}

template <bool decoupled>
void AdamFamily<decoupled>::step() {
  for (const auto& group : groups_.all()) check_options(group.options);
  std::vector<Move> moves;
  moves.reserve(groups_.count());
  for (auto& group : groups_.all()) {
    for (auto& [parameter, memory] : group.members) {
      if (parameter.has_grad()) moves.emplace_back(parameter, memory, group.options);
    }
  }
  for (Move& move : moves) move.make();
}

template <bool decoupled>
State AdamFamily<decoupled>::state() const {
  State state;
  groups_.for_each([&](std::size_t i, const auto& member) {
    const AdamMemory& memory = member.memory;
    if (memory.step == 0) return;
    state[fmt::format("{}.step", i)] = tensor(memory.step);
    state[fmt::format("{}.exp_avg", i)] = memory.exp_avg->clone();
    state[fmt::format("{}.exp_avg_sq", i)] = memory.exp_avg_sq->clone();
    if (memory.max_exp_avg_sq) {
      state[fmt::format("{}.max_exp_avg_sq", i)] = memory.max_exp_avg_sq->clone();
    }
  });
  return state;
}

template <bool decoupled>
void AdamFamily<decoupled>::load_state(const State& state) {
  detail::StateReader reader(optimiser<decoupled>, state);
  std::vector<AdamMemory> loaded;
  groups_.for_each([&](std::size_t i, const auto& member) {
    const Variable& x = member.parameter;
    AdamMemory& memory = loaded.emplace_back();
    memory.step = reader.count(i, "step").value_or(0);
    memory.exp_avg = reader.like(x, i, "exp_avg");
    memory.exp_avg_sq = reader.like(x, i, "exp_avg_sq");
    memory.max_exp_avg_sq = reader.like(x, i, "max_exp_avg_sq");
    const bool moved = memory.step > 0;
    check(moved == memory.exp_avg.has_value() && moved == memory.exp_avg_sq.has_value() &&
              (moved || !memory.max_exp_avg_sq),
          "{}: the state of parameter {} must have step, exp_avg and exp_avg_sq, or none "
          "of them",
          optimiser<decoupled>, i);
    for (const auto& square : {memory.exp_avg_sq, memory.max_exp_avg_sq}) {
      if (square && any(*square < 0).item()) {
        fail("{}: the mean squares of parameter {} must not be negative, got {}",
             optimiser<decoupled>, i, min(*square).item());
      }
    }
  });
  reader.check_all_read();
  groups_.for_each([&](std::size_t i, auto& member) { member.memory = loaded[i]; });
}

template class AdamFamily<false>;
template class AdamFamily<true>;

}  // namespace heed::optim

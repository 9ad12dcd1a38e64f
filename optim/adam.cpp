#include "optim/adam.h"

#include <cmath>

#include <fmt/format.h>

#include "tensor/factories.h"
#include "tensor/updates.h"

namespace heed::optim {
namespace {

template <bool decoupled>
constexpr const char* optimiser = decoupled ? "AdamW" : "Adam";

template <bool decoupled>
void check_options(const AdamFamilyOptions<decoupled>& o) {
  const auto check_positive = [](const char* what, double x) {
    check(x >= 0, "{}: {} must not be negative, got {}", optimiser<decoupled>, what, x);
  };
  const auto check_beta = [](const char* what, double beta) {
    check(0 <= beta && beta < 1, "{}: {} must be from 0 to below 1, got {}",
          optimiser<decoupled>, what, beta);
  };
  check_positive("lr", o.lr);
  check_beta("beta1", o.beta1);
  check_beta("beta2", o.beta2);
  check_positive("eps", o.eps);
  check_positive("weight_decay", o.weight_decay);
}

template <bool decoupled>
void update(Tensor x, const Tensor& gradient, AdamMemory& memory,
            const AdamFamilyOptions<decoupled>& o) {
  if (!memory.exp_avg) {
    memory.exp_avg = zeros(x.shape(), x.dtype());
    memory.exp_avg_sq = zeros(x.shape(), x.dtype());
  }
  if (o.amsgrad && !memory.max_exp_avg_sq) {
    memory.max_exp_avg_sq = zeros(x.shape(), x.dtype());
  }
  const auto t = static_cast<double>(++memory.step);
  const AdamUpdate step = {
      .shrink = decoupled ? 1 - o.lr * o.weight_decay : 1,
      .weight_decay = decoupled ? 0 : o.weight_decay,
      .beta1 = o.beta1,
      .beta2 = o.beta2,
      .eps = o.eps,
      .step_size = o.lr / (1 - std::pow(o.beta1, t)),
      .root_scale = std::sqrt(1 - std::pow(o.beta2, t)),
      .maximize = o.maximize,
  };
  std::optional<Tensor> none;
  Tensor dense = x.contiguous();  // x itself, but for parameters that are views
  adam_(dense, gradient.contiguous(), *memory.exp_avg, *memory.exp_avg_sq,
        o.amsgrad ? memory.max_exp_avg_sq : none, step);
  if (!x.is_contiguous()) x.copy_(dense);
}

}  // namespace

template <bool decoupled>
AdamFamily<decoupled>::AdamFamily(std::vector<Variable> parameters, Options options)
    : AdamFamily(std::vector<Group>{{std::move(parameters), options}}) {}

template <bool decoupled>
AdamFamily<decoupled>::AdamFamily(std::vector<Group> groups)
    : groups_(optimiser<decoupled>, std::move(groups)) {
  for (const auto& part : groups_.parts()) check_options(part.options);
}

template <bool decoupled>
void AdamFamily<decoupled>::step() {
  for (const auto& part : groups_.parts()) check_options(part.options);
  for (auto& part : groups_.parts()) {
    for (auto& [parameter, memory] : part.entries) {
      if (!parameter.has_grad()) continue;
      update(parameter.value(), parameter.grad().value(), memory, part.options);
    }
  }
}

template <bool decoupled>
State AdamFamily<decoupled>::state() const {
  State state;
  groups_.for_each([&](std::size_t i, const auto& entry) {
    const AdamMemory& memory = entry.memory;
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
  groups_.for_each([&](std::size_t i, const auto& entry) {
    const Variable& x = entry.parameter;
    AdamMemory& memory = loaded.emplace_back();
    memory.step = reader.count(i, "step").value_or(0);
    memory.exp_avg = reader.like(x, i, "exp_avg");
    memory.exp_avg_sq = reader.like(x, i, "exp_avg_sq");
    memory.max_exp_avg_sq = reader.like(x, i, "max_exp_avg_sq");
    const bool moved = memory.step > 0;
    check(moved == memory.exp_avg.has_value() && moved == memory.exp_avg_sq.has_value(),
          "{}: the state of parameter {} must have step, exp_avg and exp_avg_sq, or none "
          "of them",
          optimiser<decoupled>, i);
  });
  reader.check_all_read();
  groups_.for_each([&](std::size_t i, auto& entry) { entry.memory = loaded[i]; });
}

template class AdamFamily<false>;
template class AdamFamily<true>;

}  // namespace heed::optim

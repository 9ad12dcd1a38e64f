// Shortages of memory while parameters are moved, clipped, saved and loaded: all or
// nothing has changed.

#include <memory>

#include "tests/allocation/failing.h"

using namespace heed;
using namespace heed::tests;

namespace {

// Parameters of several layouts with gradients, and their optimiser.
template <class Optimiser>
struct Training {
  std::vector<Variable> parameters;
  std::unique_ptr<Optimiser> optimiser;

  Training(const typename Optimiser::Options& options, int steps) {
    Generator generator(1);
    const Tensor x = randn({4, 6}, float32, generator);
    const Tensor turned = transpose(x.clone(), 0, 1), gaps = slice(x.clone(), 1, 0, 6, 2);
    for (const Tensor& value : {x, turned, gaps}) parameters.emplace_back(value, true);
    optimiser = std::make_unique<Optimiser>(parameters, options);
    for (int i = 0; i <= steps; ++i) {
      Variable loss = loss_of_leaves();
      loss.backward();
      if (i < steps) optimiser->step();
    }
  }

  Variable loss_of_leaves() const {
    Variable loss = sum(pow(parameters[0], 3));
    for (const Variable& x : parameters) loss = loss + sum(square(x));
    return loss;
  }

  Bits bits() const {
    Bits bits;
    for (const Variable& x : parameters) {
      append_bits(bits, x.value());
      append_bits(bits, x.grad().value());
    }
    for (const auto& [name, value] : optimiser->state_dict()) {
      bits.push_back(std::hash<std::string>()(name));
      append_bits(bits, value);
    }
    return bits;
  }
};

template <class Optimiser>
void check_optimiser(const typename Optimiser::Options& options) {
  const auto bits = [](const Training<Optimiser>& state) { return state.bits(); };
  // The first step makes what the optimiser remembers.
  for (const int steps : {0, 2}) {
    const auto make = [&] {
      return std::make_unique<Training<Optimiser>>(options, steps);
    };
    check_shortages(
        "step", make, [](auto& state) { state.optimiser->step(); }, bits);
    check_shortages(
        "clip_grad_norm_", make,
        [](auto& state) { optim::clip_grad_norm_(state.parameters, 0.1); }, bits);
    check_shortages(
        "clip_grad_value_", make,
        [](auto& state) { optim::clip_grad_value_(state.parameters, 0.1); }, bits);
    const optim::StateDict saved =
        Training<Optimiser>(options, 3).optimiser->state_dict();
    if (saved.empty()) continue;  // an optimiser that remembers nothing
    check_shortages(
        "load_state_dict", make,
        [&](auto& state) { state.optimiser->load_state_dict(saved); }, bits);
    if (steps == 0) continue;
    check_shortages(
        "state_dict", make, [](auto& state) { state.optimiser->state_dict(); }, bits);
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(optimisers)

BOOST_AUTO_TEST_CASE(sgd) {
  check_optimiser<optim::SGD>({.lr = 0.1});
  check_optimiser<optim::SGD>(
      {.lr = 0.1, .momentum = 0.9, .dampening = 0.5, .weight_decay = 0.1});
  check_optimiser<optim::SGD>(
      {.lr = 0.1, .momentum = 0.9, .nesterov = true, .maximize = true});
}

BOOST_AUTO_TEST_CASE(adam) {
  check_optimiser<optim::Adam>({.weight_decay = 0.1, .maximize = true});
  check_optimiser<optim::AdamW>({.amsgrad = true});
}

BOOST_AUTO_TEST_SUITE_END()

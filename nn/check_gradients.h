// What is wrong with a training step, before it is taken.
#pragma once

#include <string>
#include <vector>

#include "nn/visit.h"

namespace heed::nn {

// Between these the norm of a step's update over the norm of the weights is taken for
// usual: about 1e-3 is common (Karpathy, "makemore 3", 2022).
struct UsualUpdates {
  double smallest = 1e-6, largest = 0.1;
};

namespace detail {

// A parameter before and after a step.
struct Update {
  Variable parameter;
  Tensor before, after;
};

std::vector<std::string> check_gradients(const NamedParameters& parameters,
                                         const std::vector<Variable>& optimised,
                                         const std::vector<Update>& updates,
                                         const UsualUpdates& usual);

}  // namespace detail

// What is wrong between backward() and step(), a line each that begins with the path of a
// parameter; empty if all is well:
//   - a parameter without a gradient, or with one that is all zeros or not finite,
//   - one that a step would move by an unusual part of its norm; one that is all zeros,
//     as a new bias may be, is told if a step would leave it so or make it not finite,
//   - one that the optimiser does not have, or has and the model does not,
//   - two that begin at one element without being one.
// Of frozen parameters only the last is told. The step is tried and taken back:
// parameters, states and options are what they were, bit for bit, but a graph that was
// retained can no longer be differentiated. Throws what the optimiser's step() does, and
// has taken back then what the step did before. Only if memory runs out while the states
// are loaded again are these, not the parameters, one step ahead.
template <Module M, class Optimiser>
std::vector<std::string> check_gradients(const M& model, Optimiser& optimiser,
                                         const UsualUpdates& usual = {}) {
  const std::vector<Variable> optimised = optimiser.parameters();
  std::vector<detail::Update> updates;
  // Memory for the parameters is taken here: these can always be taken back.
  for (const Variable& x : optimised) {
    updates.push_back({x, x.value().clone(), x.value().clone()});
  }
  const auto state = optimiser.state_dict();
  const auto take_back = [&] {
    for (const detail::Update& update : updates) {
      Tensor(update.parameter.value()).copy_(update.before);
    }
    optimiser.load_state_dict(state);
  };
  try {
    optimiser.step();
  } catch (...) {
    take_back();
    throw;
  }
  for (detail::Update& update : updates) update.after.copy_(update.parameter.value());
  take_back();
  return detail::check_gradients(named_parameters(model), optimised, updates, usual);
}

}  // namespace heed::nn

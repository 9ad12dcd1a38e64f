// Adagrad: gradients over the root of the sum of all their squares so far.
#pragma once

#include <vector>

#include "optim/optimiser.h"

namespace heed::optim {

// The defaults are PyTorch's.
struct AdagradOptions {
  double lr = 1e-2;                      // the learning rate
  double lr_decay = 0;                   // how fast it falls with the steps
  double weight_decay = 0;               // how strongly weights are pulled to 0
  double initial_accumulator_value = 0;  // where the sum of squares begins
  double eps = 1e-10;     // keeps a gradient near 0 from being divided by nearly 0
  bool maximize = false;  // climbs instead of descending

  // f(name, option) for each option that a state dict holds.
  void visit(auto&& f) {
    f("lr", lr);
    f("lr_decay", lr_decay);
    f("weight_decay", weight_decay);
    f("initial_accumulator_value", initial_accumulator_value);
    f("eps", eps);
    f("maximize", maximize);
  }
};

// Step t, from 1, of a parameter x with a gradient g (of the loss, or with `maximize` of
// its negative):
//   g += weight_decay x
//   s += g²                                        sum
//   x -= lr / (1 + (t - 1) lr_decay) g / (√s + eps)
// Parameters without a gradient are left alone. "step" (t) and "sum" are remembered.
// (Duchi, Hazan and Singer, 2011)
class Adagrad : public Optimiser<AdagradOptions> {
 public:
  // Throws Error when there are no parameters, one is given twice, is a constant or the
  // result of an op, repeats elements or shares some with another, or an option is
  // negative.
  explicit Adagrad(std::vector<Variable> parameters, AdagradOptions options = {});
  explicit Adagrad(const std::vector<Group>& groups);

  // Updates the parameters; the gradients stay as they are. Throws Error, and changes
  // nothing, when an option is negative or memory runs out.
  void step();

  // Continues from what state_dict() returned, with its options. Throws Error, and
  // changes nothing, when an entry does not fit the parameters or is missing, a sum of
  // squares is negative, or an option is.
  void load_state_dict(const StateDict& state_dict);
};

}  // namespace heed::optim

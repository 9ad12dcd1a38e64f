// RMSprop: gradients over the root of their running mean square.
#pragma once

#include <vector>

#include "optim/optimiser.h"

namespace heed::optim {

// The defaults are PyTorch's.
struct RMSpropOptions {
  double lr = 1e-2;         // the learning rate
  double alpha = 0.99;      // how much of the mean square a step keeps
  double eps = 1e-8;        // keeps a gradient near 0 from being divided by nearly 0
  double weight_decay = 0;  // how strongly weights are pulled to 0
  double momentum = 0;      // how much of its velocity b a parameter keeps
  bool centered = false;    // divides by the deviation from the mean gradient
  bool maximize = false;    // climbs instead of descending

  // f(name, option) for each option that a state dict holds.
  void visit(auto&& f) {
    f("lr", lr);
    f("alpha", alpha);
    f("eps", eps);
    f("weight_decay", weight_decay);
    f("momentum", momentum);
    f("centered", centered);
    f("maximize", maximize);
  }
};

// A step of a parameter x with a gradient g (of the loss, or with `maximize` of its
// negative):
//   g += weight_decay x
//   v = alpha v + (1 - alpha) g²            the running mean square, square_avg
//   with centered:  a = alpha a + (1 - alpha) g, grad_avg, and v - a² in place of v below
//   d = g / (√v + eps)
//   with momentum:  b = momentum b + d, momentum_buffer, and d = b
//   x -= lr d
// All means begin at 0. Parameters without a gradient are left alone. "square_avg" and,
// if the options ask for them, "grad_avg" and "momentum_buffer" are remembered.
// (Hinton, lecture 6e, 2012; centred: Graves, 2013)
class RMSprop : public Optimiser<RMSpropOptions> {
 public:
  // Throws Error when there are no parameters, one is given twice, is a constant or the
  // result of an op, repeats elements or shares some with another, or an option is
  // out of range: none may be negative, and alpha is below 1.
  explicit RMSprop(std::vector<Variable> parameters, RMSpropOptions options = {});
  explicit RMSprop(const std::vector<Group>& groups);

  // Updates the parameters; the gradients stay as they are. Throws Error, and changes
  // nothing, when an option is out of range or memory runs out.
  void step();

  // Continues from what state_dict() returned, with its options. Throws Error, and
  // changes nothing, when an entry does not fit the parameters or is missing, a mean
  // square is negative, or an option out of range.
  void load_state_dict(const StateDict& state_dict);
};

}  // namespace heed::optim

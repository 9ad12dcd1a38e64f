// Stochastic gradient descent.
#pragma once

#include <vector>

#include "optim/optimiser.h"

namespace heed::optim {

// The defaults are PyTorch's, whose older versions have none for lr.
struct SGDOptions {
  double lr = 1e-3;         // the learning rate
  double momentum = 0;      // how much of its velocity v a parameter keeps
  double dampening = 0;     // how much of a gradient does not get into v
  double weight_decay = 0;  // how strongly weights are pulled to 0
  bool nesterov = false;    // Nesterov's momentum, as below
  bool maximize = false;    // climbs instead of descending

  // f(name, option) for each option that a state dict holds.
  void visit(auto&& f) {
    f("lr", lr);
    f("momentum", momentum);
    f("dampening", dampening);
    f("weight_decay", weight_decay);
    f("nesterov", nesterov);
    f("maximize", maximize);
  }
};

// Each step updates every parameter x that has a gradient g (of the loss, or with
// `maximize` of its negative):
//   g += weight_decay x
//   with momentum:  v = momentum v + (1 - dampening) g     (v = g at first)
//                   g = g + momentum v if nesterov, else v
//   x -= lr g
// The order and the signs are PyTorch's. (Sutskever et al., 2013, put lr into v.)
// Parameters without a gradient are left alone, and so is their v, which is remembered as
// "momentum_buffer" from x's first step with momentum on.
class SGD : public Optimiser<SGDOptions> {
 public:
  // Throws Error when there are no parameters, one is given twice, is a constant or the
  // result of an op, repeats elements or shares some with another, or an option is
  // out of range: lr, momentum and weight_decay must not be negative, nesterov needs a
  // momentum and no dampening.
  explicit SGD(std::vector<Variable> parameters, SGDOptions options = {});
  explicit SGD(const std::vector<Group>& groups);

  // Updates the parameters; the gradients stay as they are. Throws Error, and changes
  // nothing, when an option is out of range or memory runs out.
  void step();

  // Continues from what state_dict() returned, with its options. Throws Error, and
  // changes nothing, for a name, a shape or a dtype that does not fit the parameters, and
  // for an option out of range.
  void load_state_dict(const StateDict& state_dict);
};

}  // namespace heed::optim

// Adam, and Adam with decoupled weight decay, AdamW.
#pragma once

#include <array>
#include <vector>

#include "optim/optimiser.h"

namespace heed::optim {

// The defaults are PyTorch's.
struct AdamOptions {
  double lr = 1e-3;  // the learning rate: about how far a step moves an element
  // How much of the mean of the gradients, and of that of their squares, a step keeps.
  std::array<double, 2> betas = {0.9, 0.999};
  double eps = 1e-8;        // keeps a gradient near 0 from being divided by nearly 0
  double weight_decay = 0;  // how strongly weights are pulled to 0
  bool amsgrad = false;     // divides by the largest mean square so far
  bool maximize = false;    // climbs instead of descending
  bool decoupled_weight_decay = false;  // AdamW's

  // f(name, option) for each option that a state dict holds. Not decoupled_weight_decay:
  // to load a state must not make AdamW of Adam.
  void visit(auto&& f) {
    f("lr", lr);
    f("beta1", betas[0]);
    f("beta2", betas[1]);
    f("eps", eps);
    f("weight_decay", weight_decay);
    f("amsgrad", amsgrad);
    f("maximize", maximize);
  }
};

// Step t of a parameter x with a gradient g (of the loss, or with `maximize` of its
// negative):
//   decoupled:  x -= lr weight_decay x      else:  g += weight_decay x
//   m = beta1 m + (1 - beta1) g             the running mean, exp_avg
//   v = beta2 v + (1 - beta2) g²            and mean square, exp_avg_sq
//   x -= lr m / (1 - beta1^t) / (√(v / (1 - beta2^t)) + eps)
// Both means begin at 0 and are too small at first: their coefficients sum to only
// 1 - beta^t, by which they are divided (bias correction). Adam's decay is a part of g,
// and so divided by the root too: it has little effect on weights with large gradients.
// Decoupled decay, AdamW's, pulls all weights alike. With amsgrad, v in the last line is
// the largest v so far, max_exp_avg_sq. As in PyTorch, eps is added outside the root.
// Parameters without a gradient are left alone. "step" (t), "exp_avg", "exp_avg_sq" and,
// with amsgrad, "max_exp_avg_sq" are remembered. (Kingma and Ba, 2015; Loshchilov and
// Hutter, 2019; Reddi, Kale and Kumar, 2018)
class Adam : public Optimiser<AdamOptions> {
 public:
  // Throws Error when there are no parameters, one is given twice, is a constant or the
  // result of an op, repeats elements or shares some with another, or an option is
  // out of range: lr, eps and weight_decay must not be negative, the betas from 0 to
  // below 1.
  explicit Adam(std::vector<Variable> parameters, AdamOptions options = {});
  explicit Adam(const std::vector<Group>& groups);

  // Updates the parameters; the gradients stay as they are. Throws Error, and changes
  // nothing, when an option is out of range or memory runs out.
  void step();

  // Continues from what state_dict() returned, with its options. Throws Error, and
  // changes nothing, when an entry does not fit the parameters or is missing, a mean of
  // squares is negative, or an option out of range.
  void load_state_dict(const StateDict& state_dict);

 protected:
  Adam(const char* name, const std::vector<Group>& groups);
};

// Those of Adam, with another default.
struct AdamWOptions {
  double lr = 1e-3;
  std::array<double, 2> betas = {0.9, 0.999};
  double eps = 1e-8;
  double weight_decay = 1e-2;
  bool amsgrad = false;
  bool maximize = false;

  operator AdamOptions() const;
};

// Adam with decoupled_weight_decay. Throws Error as Adam does.
class AdamW : public Adam {
 public:
  using Options = AdamWOptions;
  using Group = optim::Group<Options>;

  explicit AdamW(std::vector<Variable> parameters, Options options = {});
  explicit AdamW(const std::vector<Group>& groups);

  void add_param_group(const Group& group) {
    Adam::add_param_group({group.parameters, group.options});
  }
};

}  // namespace heed::optim

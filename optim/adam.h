// Adam, and Adam with decoupled weight decay.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "optim/groups.h"

namespace heed::optim {

// The defaults are PyTorch's.
template <bool decoupled>
struct AdamFamilyOptions {
  double lr = 1e-3;      // the learning rate: about how far a step moves an element
  double beta1 = 0.9;    // how much of the mean of the gradients a step keeps
  double beta2 = 0.999;  // and how much of the mean of their squares
  double eps = 1e-8;     // keeps a gradient near 0 from being divided by nearly 0
  double weight_decay = decoupled ? 1e-2 : 0;  // how strongly weights are pulled to 0
  bool amsgrad = false;   // divides by the largest mean square so far
  bool maximize = false;  // climbs instead of descending
};
using AdamOptions = AdamFamilyOptions<false>;
using AdamWOptions = AdamFamilyOptions<true>;

// What Adam remembers of a parameter; the tensors are there from its first step on.
struct AdamMemory {
  std::int64_t step = 0;  // how many it has taken
  std::optional<Tensor> exp_avg, exp_avg_sq;
  std::optional<Tensor> max_exp_avg_sq;  // with amsgrad alone
};

// Step t of a parameter x with a gradient g (of the loss, or with `maximize` of its
// negative):
//   AdamW:  x -= lr weight_decay x          Adam:  g += weight_decay x
//   m = beta1 m + (1 - beta1) g             the running mean, exp_avg
//   v = beta2 v + (1 - beta2) g²            and mean square, exp_avg_sq
//   x -= lr m / (1 - beta1^t) / (√(v / (1 - beta2^t)) + eps)
// Both means begin at 0 and are too small at first; 1 - beta^t is what they have of their
// full weight, and dividing by it makes up for that. Adam's decay is a part of g, and so
// divided by the root too: it hardly reaches weights of large gradients. AdamW's pulls
// at all weights alike. With amsgrad v in the last line is the largest v so far,
// max_exp_avg_sq. In PyTorch's order, eps outside the root. Parameters without a gradient
// are left alone. (Kingma and Ba, 2015; Loshchilov and Hutter, 2019; Reddi, Kale and
// Kumar, 2018)
template <bool decoupled>
class AdamFamily {
 public:
  using Options = AdamFamilyOptions<decoupled>;
  using Group = optim::Group<Options>;

  // Throws Error when there are no parameters, one is given twice, does not require a
  // gradient or repeats elements, or an option is out of range: lr, eps and weight_decay
  // must not be negative, the betas from 0 to below 1.
  explicit AdamFamily(std::vector<Variable> parameters, Options options = {});
  explicit AdamFamily(const std::vector<Group>& groups);

  // Forgets the gradients of all parameters.
  void zero_grad() { groups_.zero_grad(); }
  // Moves the parameters; the gradients stay as they are. Throws Error, and changes
  // nothing, when an option is out of range or memory runs out.
  void step();

  std::size_t group_count() const { return groups_.all().size(); }
  // The options of a group, to read or to change between steps. Throws Error when there
  // is no such group.
  Options& options(std::size_t group = 0) { return groups_.options(group); }
  // What is remembered of a parameter. Throws Error for a Variable that is not among the
  // parameters.
  const AdamMemory& memory(const Variable& parameter) const {
    return groups_.memory("memory", parameter);
  }

  // Copies of all that is remembered, as "0.step", "0.exp_avg", "0.exp_avg_sq" and
  // "0.max_exp_avg_sq" of the first parameter: what another optimiser of equal parameters
  // needs to go on from here. The options are not among it.
  State state() const;
  // Continues from what state() returned. Throws Error, and changes nothing, for an entry
  // that does not fit the parameters.
  void load_state(const State& state);

 private:
  Groups<Options, AdamMemory> groups_;
};

using Adam = AdamFamily<false>;
using AdamW = AdamFamily<true>;

extern template class AdamFamily<false>;
extern template class AdamFamily<true>;

}  // namespace heed::optim

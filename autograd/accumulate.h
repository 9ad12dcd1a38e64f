// Adding gradients up. For backward.cpp, not for users.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "autograd/node.h"

namespace heed::detail {

// sum += g
void accumulate(std::optional<Variable>& sum, Variable g);
// The same for a slice of sum, if that can be done in place; else false.
bool accumulate_slice(const std::optional<Variable>& sum, const SliceGradient& part);

// The gradients that a backward pass leaves for users. They are added to the slots when
// the pass is over: all of them or, if it ends in an exception, none.
class Deposits {
 public:
  void add(std::shared_ptr<GradSlot> slot, const Variable& g);
  void commit();

 private:
  struct Deposit {
    std::shared_ptr<GradSlot> slot;
    Variable gradient;
    bool in_place = false;  // added to the gradient of the slot, else put in its place
  };
  std::vector<Deposit> deposits_;
};

}  // namespace heed::detail

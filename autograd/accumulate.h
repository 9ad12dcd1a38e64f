// Adding gradients up. For backward.cpp, not for users.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "autograd/node.h"

namespace heed::detail {

// The sum of the gradients that have arrived at a node.
class GradientSum {
 public:
  bool is_empty() const { return !sum_; }
  void add(Variable g);
  // Adds a gradient of `input` that is 0 except a slice, in place. False if that cannot
  // be done.
  bool add(const SliceGradient& part, const Node& input);
  // The sum; some gradient must have come.
  Variable get();
  void clear() { *this = {}; }

 private:
  // Sets to 0 what was left out.
  void complete();

  // Null before the first. Only few nodes have one at a time, so it is not kept in place.
  std::unique_ptr<Variable> sum_;
  // As long as all that came are slices side by side along dim_, such as those of chunk,
  // only [begin_, end_), where they lie, is set. Afterwards, and before the first, dim_
  // is -1.
  int dim_ = -1;
  std::int64_t begin_ = 0, end_ = 0;
};

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

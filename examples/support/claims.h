// What a program claims about its numbers, and whether it holds.
#pragma once

#include <string_view>

#include "tensor/core/tensor.h"

namespace heed::support {

// The claims of one program. Each is printed as it is made: "checked: ..." if it holds,
// otherwise "DOES NOT HOLD: ...".
class Claims {
 public:
  void expect(bool holds, std::string_view claim);
  // 0 if all held, 1 if one did not.
  int exit_code() const { return all_hold_ ? 0 : 1; }

 private:
  bool all_hold_ = true;
};

// Whether no element of a is further than `tolerance` from b's; never for NaN. Throws
// Error when the shapes or dtypes differ.
bool is_close(const Tensor& a, const Tensor& b, double tolerance);

// Whether shapes and elements are equal; never for NaN.
bool is_equal(const Tensor& a, const Tensor& b);

// Whether in every row of weights (..., keys) none is negative, and they sum to 1 up to
// rounding.
bool are_shares(const Tensor& weights);

}  // namespace heed::support

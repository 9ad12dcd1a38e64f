// The affine layer.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>

#include "autograd/variable.h"

namespace heed::nn {

struct LinearOptions {
  bool bias = true;
  DType dtype = float32;
};

// y = x Wᵀ + b        (..., in) -> (..., out)
//
// weight (out, in) and bias (out) are drawn uniformly from -1/√in to 1/√in, weight
// first, as PyTorch's nn.Linear draws them.
struct Linear {
  std::int64_t in_features, out_features;
  Variable weight;  // (out, in)
  Variable bias;    // (out); undefined, and not listed, if there is none

  // Throws Error unless both sizes are at least 1.
  Linear(Size in_features, Size out_features, LinearOptions options = {});
  // The same with {.bias = bias}.
  Linear(Size in_features, Size out_features, std::same_as<bool> auto bias)
      : Linear(in_features, out_features, LinearOptions{.bias = bias}) {}
  // Throws Error unless the last size of x is in_features, and its dtype the weight's.
  Variable operator()(const Variable& x) const;

  void visit(auto&& f) {
    f("weight", weight);
    if (bias.defined()) f("bias", bias);
  }
  std::string summary() const;
};

}  // namespace heed::nn

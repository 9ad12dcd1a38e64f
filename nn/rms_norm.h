// Root mean square normalisation.   (Zhang and Sennrich, 2019)
#pragma once

#include <optional>
#include <string>

#include "autograd/variable.h"

namespace heed::nn {

struct RMSNormOptions {
  std::optional<double> eps = {};  // as of rms_norm()
  bool elementwise_affine = true;  // false: no weight
  DType dtype = float32;
};

// The function rms_norm() as a layer. A weight that the options leave out is undefined,
// and not listed.
struct RMSNorm {
  Variable weight;  // normalized_shape; ones at the start
  Shape normalized_shape;
  std::optional<double> eps;
  bool elementwise_affine;

  // Throws Error for an empty shape, a size below 1, or an eps that is not positive.
  explicit RMSNorm(const Shape& normalized_shape, RMSNormOptions options = {});
  explicit RMSNorm(std::initializer_list<Integer> normalized_shape,
                   RMSNormOptions options = {})
      : RMSNorm(Shape(normalized_shape), options) {}
  explicit RMSNorm(Size features, RMSNormOptions options = {})
      : RMSNorm(Shape{features}, options) {}

  // (..., normalized_shape) -> the same. Throws Error when the shape does not end so.
  Variable operator()(const Variable& x) const;

  void visit(auto&& f) {
    if (elementwise_affine) f("weight", weight);
  }
  std::string summary() const;
};

}  // namespace heed::nn

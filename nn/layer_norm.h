// Layer normalisation.   (Ba, Kiros and Hinton, 2016)
#pragma once

#include <initializer_list>
#include <optional>
#include <string>

#include "autograd/variable.h"

namespace heed::nn {

struct LayerNormOptions {
  double eps = 1e-5;
  bool elementwise_affine = true;  // false: neither weight nor bias
  bool bias = true;
  DType dtype = float32;
};

// (x - mean) / √(variance + eps) * weight + bias, over the last dimensions, with the
// biased variance.
// What the options leave out is undefined, and not listed.
struct LayerNorm {
  Variable weight;  // normalized_shape; ones at the start
  Variable bias;    // normalized_shape; zeros at the start
  Shape normalized_shape;
  double eps;
  // Whether there is a weight: an undefined one is otherwise that of a layer that was
  // moved from, and any use of it an Error.
  bool elementwise_affine;

  // Throws Error for an empty shape, a size below 1, or an eps that is not positive.
  explicit LayerNorm(const Shape& normalized_shape, LayerNormOptions options = {});
  explicit LayerNorm(std::initializer_list<Integer> normalized_shape,
                     LayerNormOptions options = {})
      : LayerNorm(Shape(normalized_shape), options) {}
  explicit LayerNorm(Size features, LayerNormOptions options = {})
      : LayerNorm(Shape{features}, options) {}

  // (..., normalized_shape) -> the same. Throws Error when the shape does not end so.
  Variable operator()(const Variable& x) const;

  void visit(auto&& f) {
    if (elementwise_affine) f("weight", weight);
    if (bias.defined()) f("bias", bias);
  }
  std::string summary() const;
};

namespace detail {
// Throws Error, naming the layer, for an empty shape, a size below 1, or an eps that is
// not positive.
void check_norm(const char* layer, const Shape& normalized_shape,
                std::optional<double> eps);
}  // namespace detail

}  // namespace heed::nn

#include "nn/layer_norm.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "nn/functional.h"
#include "tensor/core/factories.h"

namespace heed::nn {

LayerNorm::LayerNorm(const Shape& normalized_shape, LayerNormOptions options)
    : normalized_shape(normalized_shape),
      eps(options.eps),
      elementwise_affine(options.elementwise_affine) {
  check(normalized_shape.rank() >= 1 &&
            *std::min_element(normalized_shape.begin(), normalized_shape.end()) >= 1,
        "LayerNorm: normalized_shape must have a size, all at least 1, got {}",
        normalized_shape);
  check(eps > 0 && std::isfinite(eps), "LayerNorm: eps must be positive, got {}", eps);
  if (!elementwise_affine) return;
  weight = Variable(ones(normalized_shape, options.dtype), true);
  if (options.bias) bias = Variable(zeros(normalized_shape, options.dtype), true);
}

Variable LayerNorm::operator()(const Variable& x) const {
  if (!elementwise_affine) return layer_norm(x, normalized_shape, eps);
  return bias.defined() ? layer_norm(x, normalized_shape, weight, bias, eps)
                        : layer_norm(x, normalized_shape, weight, eps);
}

std::string LayerNorm::summary() const {
  const auto text = [](bool x) { return x ? "True" : "False"; };
  return fmt::format("{}, eps={}, elementwise_affine={}, bias={}", normalized_shape, eps,
                     text(elementwise_affine), text(bias.defined()));
}

}  // namespace heed::nn

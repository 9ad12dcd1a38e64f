#include "nn/layer_norm.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "nn/functional.h"
#include "tensor/core/factories.h"

namespace heed::nn {

LayerNorm::LayerNorm(const Shape& normalized_shape, LayerNormOptions options)
    : eps(options.eps) {
  check(normalized_shape.rank() >= 1 &&
            *std::min_element(normalized_shape.begin(), normalized_shape.end()) >= 1,
        "LayerNorm: normalized_shape must have a size, all at least 1, got {}",
        normalized_shape);
  check(eps > 0 && std::isfinite(eps), "LayerNorm: eps must be positive, got {}", eps);
  weight = Variable(ones(normalized_shape, options.dtype), true);
  if (options.bias) bias = Variable(zeros(normalized_shape, options.dtype), true);
}

Variable LayerNorm::operator()(const Variable& x) const {
  return bias.defined() ? layer_norm(x, weight.shape(), weight, bias, eps)  // as x
                        : layer_norm(x, weight.shape(), weight, eps);
}

std::string LayerNorm::summary() const {
  return fmt::format("{}, eps={}, bias={}", weight.shape(), eps,
                     bias.defined() ? "True" : "False");
}

}  // namespace heed::nn

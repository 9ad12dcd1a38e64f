#include "nn/layer_norm.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "nn/functional.h"
#include "tensor/core/factories.h"

namespace heed::nn {

void detail::check_norm(const char* layer, const Shape& normalized_shape,
                        std::optional<double> eps) {
  check(normalized_shape.rank() >= 1 &&
            *std::min_element(normalized_shape.begin(), normalized_shape.end()) >= 1,
        "{}: normalized_shape must have a size, all at least 1, got {}", layer,
        normalized_shape);
  check(!eps || (*eps > 0 && std::isfinite(*eps)), "{}: eps must be positive, got {}",
        layer, eps.value_or(0));
}

LayerNorm::LayerNorm(const Shape& normalized_shape, LayerNormOptions options)
    : normalized_shape(normalized_shape),
      eps(options.eps),
      elementwise_affine(options.elementwise_affine) {
  detail::check_norm("LayerNorm", normalized_shape, eps);
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

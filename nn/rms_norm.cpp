#include "nn/rms_norm.h"

#include <fmt/format.h>

#include "nn/functional.h"
#include "nn/layer_norm.h"
#include "tensor/core/factories.h"

namespace heed::nn {

RMSNorm::RMSNorm(const Shape& normalized_shape, RMSNormOptions options)
    : normalized_shape(normalized_shape),
      eps(options.eps),
      elementwise_affine(options.elementwise_affine) {
  detail::check_norm("RMSNorm", normalized_shape, eps);
  if (elementwise_affine) weight = Variable(ones(normalized_shape, options.dtype), true);
}

Variable RMSNorm::operator()(const Variable& x) const {
  return elementwise_affine ? rms_norm(x, normalized_shape, weight, eps)
                            : rms_norm(x, normalized_shape, eps);
}

std::string RMSNorm::summary() const {
  return fmt::format("{}, eps={}, elementwise_affine={}", normalized_shape,
                     eps ? fmt::format("{}", *eps) : "None",
                     elementwise_affine ? "True" : "False");
}

}  // namespace heed::nn

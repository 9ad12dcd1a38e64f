#include "nn/rms_norm.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "autograd/elementwise.h"
#include "autograd/reductions.h"
#include "tensor/core/factories.h"

namespace heed::nn {

Variable rms_norm(const Variable& x, const Shape& normalized_shape,
                  std::optional<double> eps) {
  const int rank = normalized_shape.rank(), lead = x.dim() - rank;
  Dims last;
  bool fits = rank > 0 && lead >= 0;
  for (int i = 0; fits && i < rank; ++i) {
    fits = x.size(lead + i) == normalized_shape[i];
    last.push_back(lead + i);
  }
  check(fits, "rms_norm: the last sizes of the input must be {}, got {}",
        normalized_shape, x.shape());
  const double smallest = dispatch_floating("rms_norm", x.dtype(), []<class T>() {
    return static_cast<double>(std::numeric_limits<T>::epsilon());
  });
  return x * rsqrt(mean(square(x), last, true) + eps.value_or(smallest));
}

Variable rms_norm(const Variable& x, const Shape& normalized_shape,
                  const Variable& weight, std::optional<double> eps) {
  check(weight.shape() == normalized_shape,
        "rms_norm: weight must have the shape {}, got {}", normalized_shape,
        weight.shape());
  return rms_norm(x, normalized_shape, eps) * weight;
}

RMSNorm::RMSNorm(const Shape& normalized_shape, RMSNormOptions options)
    : normalized_shape(normalized_shape),
      eps(options.eps),
      elementwise_affine(options.elementwise_affine) {
  check(normalized_shape.rank() >= 1 &&
            *std::min_element(normalized_shape.begin(), normalized_shape.end()) >= 1,
        "RMSNorm: normalized_shape must have a size, all at least 1, got {}",
        normalized_shape);
  check(!eps || (*eps > 0 && std::isfinite(*eps)),
        "RMSNorm: eps must be positive, got {}", eps.value_or(0));
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

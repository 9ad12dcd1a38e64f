#include "nn/init.h"

#include <algorithm>
#include <cmath>

#include "tensor/core/factories.h"
#include "tensor/elementwise/elementwise.h"
#include "tensor/reduce/reductions.h"

namespace heed::nn::init {

// The formulas below keep PyTorch's order of operations: the last bits of the bounds, and
// so of every weight, depend on it.

Tensor& constant_(Tensor& w, double value) { return w.fill_(value); }

Tensor& zeros_(Tensor& w) { return w.fill_(0); }

Tensor& ones_(Tensor& w) { return w.fill_(1); }

Tensor& eye_(Tensor& w) {
  check(w.dim() == 2, "eye_: the weight must have two dimensions, got {}", w.shape());
  w.copy_(eye(w.size(0), w.size(1), w.dtype()));
  return w;
}

Fan fans(const Tensor& w) {
  check(w.dim() >= 2, "init: the weight must have at least two dimensions, got {}",
        w.shape());
  double field = 1;
  for (int d = 2; d < w.dim(); ++d) field *= static_cast<double>(w.shape()[d]);
  return {static_cast<double>(w.shape()[1]) * field,
          static_cast<double>(w.shape()[0]) * field};
}

Tensor& xavier_uniform_(Tensor& w, double gain) {
  const auto [in, out] = fans(w);
  const double std = gain * std::sqrt(2.0 / (in + out));
  const double bound = std::sqrt(3.0) * std;
  return uniform_(w, -bound, bound);
}

Tensor& xavier_normal_(Tensor& w, double gain) {
  const auto [in, out] = fans(w);
  return normal_(w, 0, gain * std::sqrt(2.0 / (in + out)));
}

double calculate_gain(Nonlinearity nonlinearity, double a) {
  switch (nonlinearity) {
    case Nonlinearity::tanh: return 5.0 / 3;
    case Nonlinearity::relu: return std::sqrt(2.0);
    case Nonlinearity::leaky_relu: return std::sqrt(2.0 / (1 + a * a));
    case Nonlinearity::selu: return 3.0 / 4;
    default: return 1;
  }
}

namespace {

double kaiming_std(const Tensor& w, const KaimingOptions& options) {
  const auto [in, out] = fans(w);
  return calculate_gain(options.nonlinearity, options.a) /
         std::sqrt(options.mode == FanMode::fan_in ? in : out);
}

}  // namespace

Tensor& kaiming_uniform_(Tensor& w, KaimingOptions options) {
  if (w.numel() == 0) return w;
  const double bound = std::sqrt(3.0) * kaiming_std(w, options);
  return uniform_(w, -bound, bound);
}

Tensor& kaiming_normal_(Tensor& w, KaimingOptions options) {
  if (w.numel() == 0) return w;
  return normal_(w, 0, kaiming_std(w, options));
}

Tensor& trunc_normal_(Tensor& w, double mean, double std, double a, double b) {
  check(std::isfinite(mean) && std::isfinite(std),
        "trunc_normal_: mean and std must be finite, got {} and {}", mean, std);
  check(std > 0 && a < b,
        "trunc_normal_: std must be positive and a below b, got {}, {} and {}", std, a,
        b);
  // Beyond 39 std from the mean the density is 0 in float64.
  check(
      a - mean <= 39 * std && mean - b <= 39 * std,
      "trunc_normal_: mean must be within 39 std of the range, got mean {}, std {}, a {} "
      "and b {}",
      mean, std, a, b);
  const auto cdf = [&](double x) {
    return (1 + std::erf((x - mean) / std / std::sqrt(2.0))) / 2;
  };
  if (cdf(b) - cdf(a) > 0.3) {
    normal_(w, mean, std);
    for (;;) {
      const Tensor beyond = (w < a) | (w > b);
      if (!any(beyond)) return w;
      w.copy_(where(beyond, empty_like(w).normal_(mean, std), w));
    }
  }
  // Beyond 39 std from the most likely number too.
  const double mode = std::clamp(mean, a, b);
  a = std::max(a, mode - 39 * std);
  b = std::min(b, mode + 39 * std);
  // Most normals would lie beyond. Uniform numbers instead, each kept with the
  // probability of its density over the highest one.
  const double peak = -0.5 * std::pow((mode - mean) / std, 2);
  Tensor pending = full(w.shape(), true, boolean);
  while (any(pending)) {
    const Tensor drawn = empty_like(w).uniform_(a, b);
    w.copy_(where(pending, drawn, w));
    const Tensor log_density = square((drawn - mean) / std) * -0.5 - peak;
    pending = pending & (log(empty_like(w).uniform_()) > log_density);
  }
  return w;
}

}  // namespace heed::nn::init

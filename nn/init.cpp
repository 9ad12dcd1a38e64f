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

double xavier_std(const char* op, const Tensor& w, double gain) {
  const auto [in, out] = fans(w);
  check(in + out > 0, "{}: the fans of the weight must not both be 0, got {}", op,
        w.shape());
  check(gain >= 0, "{}: gain must not be negative, got {}", op, gain);
  return gain * std::sqrt(2.0 / (in + out));
}

double kaiming_std(const Tensor& w, const KaimingOptions& options) {
  const auto [in, out] = fans(w);
  return calculate_gain(options.nonlinearity, options.a) /
         std::sqrt(options.mode == FanMode::fan_in ? in : out);
}

}  // namespace

Tensor& xavier_uniform_(Tensor& w, double gain) {
  const double bound = std::sqrt(3.0) * xavier_std("xavier_uniform_", w, gain);
  return uniform_(w, -bound, bound);
}

Tensor& xavier_normal_(Tensor& w, double gain) {
  return normal_(w, 0, xavier_std("xavier_normal_", w, gain));
}

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
  // Most normals would lie beyond. Uniform numbers instead, each kept with the
  // probability of its density over the highest one, that of the mode. At a distance t
  // from the mode the density has fallen as that of a normal, or where the mean is far
  // from the range as e^(-t / spread).
  const double mode = std::clamp(mean, a, b);
  const double spread = std * std::min(1.0, std / std::abs(mode - mean));
  if (b - a > 1e4 * spread) {
    // Of the whole range, which may be infinite, less than one number in 10^4 would be
    // kept. Beyond this reach the density over the highest one is 0 in float64.
    const double reach = std::min(39 * std, 750 * spread);
    a = std::max(a, mode - reach);
    b = std::min(b, mode + reach);
  }
  const auto log_density = [&](double x) { return -0.5 * std::pow((x - mean) / std, 2); };
  const double peak = log_density(mode);
  // Numbers of w's dtype may all lie where the density is next to nothing.
  const auto rounded = [&](double x) {
    return w.dtype() == float32 ? static_cast<double>(static_cast<float>(x)) : x;
  };
  const double likeliest = std::clamp(mean, rounded(a), rounded(b));
  check(log_density(likeliest) - peak > -40,
        "trunc_normal_: w must have numbers near the likeliest one of the range, {}; the "
        "nearest one of {} is {}, for std {}",
        mode, name(w.dtype()), likeliest, std);
  Tensor pending = full(w.shape(), true, boolean);
  while (any(pending)) {
    const Tensor drawn = empty_like(w).uniform_(a, b);
    w.copy_(where(pending, drawn, w));
    const Tensor log_chance = square((drawn - mean) / std) * -0.5 - peak;
    pending = pending & (log(empty_like(w).uniform_()) > log_chance);
  }
  return w;
}

}  // namespace heed::nn::init

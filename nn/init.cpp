#include "nn/init.h"

#include <cmath>

namespace heed::nn::init {

// The formulas below keep PyTorch's order of operations: the last bits of the bounds, and
// so of every weight, depend on it.

Tensor& constant_(Tensor& w, double value) { return w.fill_(value); }

Tensor& zeros_(Tensor& w) { return w.fill_(0); }

Tensor& ones_(Tensor& w) { return w.fill_(1); }

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

}  // namespace heed::nn::init

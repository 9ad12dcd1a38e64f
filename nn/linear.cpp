#include "nn/linear.h"

#include <cmath>

#include <fmt/format.h>

#include "nn/functional.h"
#include "nn/init.h"

namespace heed::nn {

Linear::Linear(Size in_features, Size out_features, LinearOptions options)
    : in_features(in_features), out_features(out_features) {
  check(in_features >= 1 && out_features >= 1,
        "Linear: both sizes must be at least 1, got {} and {}", in_features,
        out_features);
  // PyTorch's default: Kaiming's bound with the gain of a leaky relu of slope √5,
  // in exact arithmetic 1/√in. The last bit differs, so it is computed as PyTorch does.
  Tensor w = empty({out_features, in_features}, options.dtype);
  init::kaiming_uniform_(w, {.a = std::sqrt(5.0)});
  weight = Variable(w, true);
  if (options.bias) {
    Tensor b = empty({out_features}, options.dtype);
    const double bound = 1 / std::sqrt(static_cast<double>(in_features));
    init::uniform_(b, -bound, bound);
    bias = Variable(b, true);
  }
}

Variable Linear::operator()(const Variable& x) const {
  check(
      x.dim() >= 1 && x.size(-1) == weight.size(1),
      "Linear(in_features={}, out_features={}): the input's last size must be {}, got {}",
      weight.size(1), weight.size(0), weight.size(1), x.shape());
  check(x.dtype() == weight.dtype(),
        "Linear(in_features={}, out_features={}): the input must be {}, got {}; "
        "to(dtype) converts a tensor",
        weight.size(1), weight.size(0), name(weight.dtype()), name(x.dtype()));
  return linear(x, weight, bias);  // (..., out)
}

std::string Linear::summary() const {
  return fmt::format("in_features={}, out_features={}, bias={}", weight.size(1),
                     weight.size(0), bias.defined() ? "True" : "False");
}

}  // namespace heed::nn

#include "optim/clip.h"

#include <cmath>

#include "tensor/elementwise/elementwise.h"
#include "tensor/reduce/reductions.h"

namespace heed::optim {

double clip_grad_norm_(const std::vector<Variable>& parameters, double max_norm) {
  check(max_norm > 0, "clip_grad_norm_: max_norm must be positive, got {}", max_norm);
  double squares = 0;
  for (const Variable& parameter : parameters) {
    if (!parameter.has_grad()) continue;
    const double length = norm(parameter.grad().value()).item();
    squares += length * length;
  }
  const double total = std::sqrt(squares);
  const double factor = max_norm / (total + 1e-6);
  if (factor >= 1) return total;  // not so for NaN
  for (const Variable& parameter : parameters) {
    if (!parameter.has_grad()) continue;
    Tensor gradient = parameter.grad().value();
    mul_(gradient, factor);
  }
  return total;
}

void clip_grad_value_(const std::vector<Variable>& parameters, double clip_value) {
  check(clip_value > 0, "clip_grad_value_: clip_value must be positive, got {}",
        clip_value);
  for (const Variable& parameter : parameters) {
    if (!parameter.has_grad()) continue;
    Tensor gradient = parameter.grad().value();
    gradient.copy_(clamp(gradient, -clip_value, clip_value));
  }
}

}  // namespace heed::optim

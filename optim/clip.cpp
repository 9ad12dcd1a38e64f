#include "optim/clip.h"

#include <cmath>

#include "tensor/core/tensor_iterator.h"
#include "tensor/elementwise/elementwise.h"
#include "tensor/reduce/reductions.h"

namespace heed::optim {
namespace {

// All can be written, so that a change of one is not followed by an Error of the next.
std::vector<Tensor> writable_gradients(const char* op,
                                       const std::vector<Variable>& parameters) {
  std::vector<Tensor> gradients;
  for (const Variable& parameter : parameters) {
    check(parameter.defined(), "{}: a parameter is undefined", op);
    if (!parameter.has_grad()) continue;
    gradients.push_back(parameter.grad().value());
    check_distinct(op, gradients.back());
  }
  return gradients;
}

}  // namespace

double clip_grad_norm_(const std::vector<Variable>& parameters, double max_norm) {
  check(max_norm > 0, "clip_grad_norm_: max_norm must be positive, got {}", max_norm);
  const std::vector<Tensor> gradients = writable_gradients("clip_grad_norm_", parameters);
  double squares = 0;
  for (const Tensor& gradient : gradients) {
    const double length = norm(gradient).item();
    squares += length * length;
  }
  const double total = std::sqrt(squares);
  const double factor = max_norm / (total + 1e-6);
  if (factor >= 1) return total;  // not so for NaN
  for (Tensor gradient : gradients) mul_(gradient, factor);
  return total;
}

void clip_grad_value_(const std::vector<Variable>& parameters, double clip_value) {
  check(clip_value > 0, "clip_grad_value_: clip_value must be positive, got {}",
        clip_value);
  std::vector<Tensor> gradients = writable_gradients("clip_grad_value_", parameters);
  std::vector<Tensor> clipped;  // first all, as memory may run out
  for (const Tensor& gradient : gradients) {
    clipped.push_back(clamp(gradient, -clip_value, clip_value));
  }
  for (std::size_t i = 0; i < gradients.size(); ++i) gradients[i].copy_(clipped[i]);
}

}  // namespace heed::optim

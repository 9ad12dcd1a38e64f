// One step of an optimiser on the numbers of a parameter: one pass over memory, where
// plain ops would take a dozen, and no memory of its own: a step that has begun is not
// stopped half way by the lack of it.
#pragma once

#include <optional>

#include "tensor/core/tensor.h"

namespace heed {

struct AdamUpdate {
  double shrink;        // x is multiplied by it first
  double weight_decay;  // of x, added to the gradient
  double beta1, beta2, eps;
  double step_size;   // lr / (1 - beta1^t)
  double root_scale;  // √(1 - beta2^t)
  bool maximize;
};

// g = ±gradient + weight_decay x,  m = beta1 m + (1 - beta1) g,
// v = beta2 v + (1 - beta2) g²,  x -= step_size m / (√v / root_scale + eps);
// with `largest` the root is that of the largest v so far, which it holds. All contiguous
// and of x's shape and floating dtype, each in a storage of its own. Throws Error
// otherwise.
void adam_(Tensor& x, const Tensor& gradient, Tensor& m, Tensor& v,
           std::optional<Tensor>& largest, const AdamUpdate& update);

struct SgdUpdate {
  double lr, momentum, dampening;
  double weight_decay;  // of x, added to the gradient
  bool nesterov, maximize;
  bool first = false;  // of the steps with this velocity
};

// g = ±gradient + weight_decay x;  with a velocity v:
// v = momentum v + (1 - dampening) g, or g if `first`;  g = g + momentum v if nesterov,
// else v;  and with or without:  x -= lr g. Contiguous and so on, as for adam_. Throws
// Error otherwise.
void sgd_(Tensor& x, const Tensor& gradient, std::optional<Tensor>& velocity,
          const SgdUpdate& update);

}  // namespace heed

// The loop of a step of Adam: one pass over memory, where plain ops would take a dozen.
#pragma once

#include <cstdint>

namespace heed::kernels {

// The options of step t as numbers of a parameter's type, with the letters of adam.h.
template <class T>
struct AdamNumbers {
  T shrink;        // x is multiplied by it first: decoupled decay
  T weight_decay;  // of x, added to the gradient
  T beta1, beta2;
  T one_minus_beta1, one_minus_beta2;
  T eps;
  T step_size;   // lr / (1 - beta1^t)
  T root_scale;  // √(1 - beta2^t)
  bool maximize;
};

template <class T>
struct AdamKernels {
  // One step of n elements. `largest` is null without amsgrad.
  void (*step)(std::int64_t n, T* x, const T* gradient, T* m, T* v, T* largest,
               const AdamNumbers<T>& numbers);
};

}  // namespace heed::kernels

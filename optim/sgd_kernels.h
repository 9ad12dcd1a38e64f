// The loop of a step of SGD: one pass over memory.
#pragma once

#include <cstdint>

namespace heed::kernels {

// The options of a step as numbers of a parameter's type.
template <class T>
struct SGDNumbers {
  T lr, momentum, one_minus_dampening;
  T weight_decay;
  bool nesterov, maximize;
  bool first;  // of the steps with momentum
};

template <class T>
struct SGDKernels {
  // One step of n elements. `velocity` is null without momentum.
  void (*step)(std::int64_t n, T* x, const T* gradient, T* velocity,
               const SGDNumbers<T>& numbers);
};

}  // namespace heed::kernels

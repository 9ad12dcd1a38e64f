// The loop of a step of Sgd: one pass over memory.
#pragma once

#include <cstdint>

namespace heed::kernels {

// The options of a step as numbers of a parameter's type.
template <class T>
struct SgdNumbers {
  T lr, momentum, one_minus_dampening;
  T weight_decay;
  bool nesterov, maximize;
  bool first;  // of the steps with momentum
};

template <class T>
struct SgdKernels {
  // One step of n elements. `velocity` is null without momentum.
  void (*step)(std::int64_t n, T* x, const T* gradient, T* velocity,
               const SgdNumbers<T>& numbers);
};

}  // namespace heed::kernels

// The loops of the optimisers.
#pragma once

#include <cstdint>

namespace heed::kernels {

// The numbers of tensor/elementwise/updates.h as T.
template <class T>
struct AdamNumbers {
  T shrink, weight_decay, beta1, beta2, rest1, rest2, eps, step_size, root_scale;
  bool maximize;
};

template <class T>
struct SgdNumbers {
  T lr, momentum, undamped, weight_decay;  // undamped: 1 - dampening
  bool first, nesterov, maximize;
};

template <class T>
struct UpdateKernels {
  // One step on n numbers; largest may be null.
  void (*adam)(std::int64_t n, T* x, const T* gradient, T* m, T* v, T* largest,
               const AdamNumbers<T>& numbers);
  // The same; velocity may be null.
  void (*sgd)(std::int64_t n, T* x, const T* gradient, T* velocity,
              const SgdNumbers<T>& numbers);
};

}  // namespace heed::kernels

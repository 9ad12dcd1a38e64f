#include "tensor/elementwise/update_kernels.h"

#include "tensor/kernels/level.h"

namespace heed::kernels::HEED_KERNELS {
namespace {

float root(float x) { return __builtin_sqrtf(x); }
double root(double x) { return __builtin_sqrt(x); }

// Without a decay x is not read for it: 0 times infinity is NaN.
template <bool decays, bool keeps_largest, class T>
void adam_loop(std::int64_t n, T* x, const T* gradient, T* m, T* v, T* largest,
               const AdamNumbers<T>& numbers) {
  const AdamNumbers<T> k = numbers;
  const T sign = k.maximize ? T(-1) : T(1);
#pragma omp simd
  for (std::int64_t i = 0; i < n; ++i) {
    const T shrunk = x[i] * k.shrink;
    T g = sign * gradient[i];
    if constexpr (decays) g += k.weight_decay * shrunk;
    const T first = m[i] * k.beta1 + k.rest1 * g;
    T second = v[i] * k.beta2 + k.rest2 * g * g;
    m[i] = first;
    v[i] = second;
    if constexpr (keeps_largest) {
      second = largest[i] > second || largest[i] != largest[i] ? largest[i] : second;
      largest[i] = second;
    }
    x[i] = shrunk - k.step_size * (first / (root(second) / k.root_scale + k.eps));
  }
}

template <class T>
void adam(std::int64_t n, T* x, const T* gradient, T* m, T* v, T* largest,
          const AdamNumbers<T>& numbers) {
  const bool decays = numbers.weight_decay != T(0);
  const auto loop = decays
                        ? largest ? adam_loop<true, true, T> : adam_loop<true, false, T>
                    : largest ? adam_loop<false, true, T>
                              : adam_loop<false, false, T>;
  loop(n, x, gradient, m, v, largest, numbers);
}

template <bool decays, bool has_velocity, class T>
void sgd_loop(std::int64_t n, T* x, const T* gradient, T* velocity,
              const SgdNumbers<T>& numbers) {
  const SgdNumbers<T> k = numbers;
  const T sign = k.maximize ? T(-1) : T(1);
#pragma omp simd
  for (std::int64_t i = 0; i < n; ++i) {
    T g = sign * gradient[i];
    if constexpr (decays) g += k.weight_decay * x[i];
    if constexpr (has_velocity) {
      const T v = k.first ? g : velocity[i] * k.momentum + k.undamped * g;
      velocity[i] = v;
      g = k.nesterov ? g + k.momentum * v : v;
    }
    x[i] -= k.lr * g;
  }
}

template <class T>
void sgd(std::int64_t n, T* x, const T* gradient, T* velocity,
         const SgdNumbers<T>& numbers) {
  const bool decays = numbers.weight_decay != T(0);
  const auto loop = velocity ? decays ? sgd_loop<true, true, T> : sgd_loop<false, true, T>
                    : decays ? sgd_loop<true, false, T>
                             : sgd_loop<false, false, T>;
  loop(n, x, gradient, velocity, numbers);
}

template <class T>
constexpr UpdateKernels<T> kernels = {adam<T>, sgd<T>};

}  // namespace

template <>
const UpdateKernels<float>& get() {
  return kernels<float>;
}
template <>
const UpdateKernels<double>& get() {
  return kernels<double>;
}

}  // namespace heed::kernels::HEED_KERNELS

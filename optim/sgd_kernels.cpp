#include "optim/sgd_kernels.h"

#include "tensor/kernels/level.h"

namespace heed::kernels::HEED_KERNELS {
namespace {

using std::int64_t;

// Whether there is a decay is a template argument: a weight_decay of 0 times an infinite
// x would be NaN.
template <bool decays, bool has_velocity, class T>
void update(int64_t n, T* x, const T* gradient, T* velocity,
            const SGDNumbers<T>& numbers) {
  const SGDNumbers<T> k = numbers;
  const T sign = k.maximize ? T(-1) : T(1);
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) {
    T g = sign * gradient[i];
    if constexpr (decays) g += k.weight_decay * x[i];
    if constexpr (has_velocity) {
      const T v = k.first ? g : velocity[i] * k.momentum + k.one_minus_dampening * g;
      velocity[i] = v;
      g = k.nesterov ? g + k.momentum * v : v;
    }
    x[i] -= k.lr * g;
  }
}

template <class T>
void step(int64_t n, T* x, const T* gradient, T* velocity, const SGDNumbers<T>& numbers) {
  const bool decays = numbers.weight_decay != T(0);
  const auto loop = decays
                        ? (velocity ? update<true, true, T> : update<true, false, T>)
                        : (velocity ? update<false, true, T> : update<false, false, T>);
  loop(n, x, gradient, velocity, numbers);
}

template <class T>
constexpr SGDKernels<T> kernels = {step<T>};

}  // namespace

template <>
const SGDKernels<float>& get() {
  return kernels<float>;
}
template <>
const SGDKernels<double>& get() {
  return kernels<double>;
}

}  // namespace heed::kernels::HEED_KERNELS

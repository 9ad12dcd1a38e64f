#include "optim/adam_kernels.h"

#include "tensor/kernels/level.h"
#include "tensor/kernels/math.h"

namespace heed::kernels::HEED_KERNELS {
namespace {

// Whether there is a decay is a template argument: a weight_decay of 0 times an infinite
// x would be NaN.
template <bool decays, bool amsgrad, class T>
void update(int64_t n, T* x, const T* gradient, T* m, T* v, T* largest,
            const AdamNumbers<T>& numbers) {
  const AdamNumbers<T> k = numbers;
  const T sign = k.maximize ? T(-1) : T(1);
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) {
    const T shrunk = x[i] * k.shrink;
    T g = sign * gradient[i];
    if constexpr (decays) g += k.weight_decay * shrunk;
    const T mean = m[i] * k.beta1 + k.one_minus_beta1 * g;
    T square = v[i] * k.beta2 + k.one_minus_beta2 * g * g;
    m[i] = mean;
    v[i] = square;
    if constexpr (amsgrad) {
      square = largest[i] > square || largest[i] != largest[i] ? largest[i] : square;
      largest[i] = square;
    }
    x[i] = shrunk - k.step_size * (mean / (sqrt(square) / k.root_scale + k.eps));
  }
}

template <class T>
void step(int64_t n, T* x, const T* gradient, T* m, T* v, T* largest,
          const AdamNumbers<T>& numbers) {
  const bool decays = numbers.weight_decay != T(0);
  const auto loop = decays ? (largest ? update<true, true, T> : update<true, false, T>)
                           : (largest ? update<false, true, T> : update<false, false, T>);
  loop(n, x, gradient, m, v, largest, numbers);
}

template <class T>
constexpr AdamKernels<T> kernels = {step<T>};

}  // namespace

template <>
const AdamKernels<float>& get() {
  return kernels<float>;
}
template <>
const AdamKernels<double>& get() {
  return kernels<double>;
}

}  // namespace heed::kernels::HEED_KERNELS

// Multiply-adds in as many independent chains as hide their latency.
#include "benchmarks/probes.h"
#include "tensor/kernels/level.h"

namespace heed::kernels::HEED_KERNELS {

namespace {

#if defined(__AVX512F__)
constexpr int width = 16;
#elif defined(__AVX__)
constexpr int width = 8;
#else
constexpr int width = 4;
#endif
constexpr int chains = 12;  // two units, four to six cycles each
using Vector = float __attribute__((vector_size(width * sizeof(float))));

float multiply_add(std::int64_t steps) {
  Vector sums[chains] = {}, a = {}, b = {};
  a += 0.999f;
  b += 0.5f;
  for (int i = 0; i < chains; ++i) sums[i] += static_cast<float>(i);
  for (std::int64_t i = 0; i < steps; ++i) {
    for (Vector& sum : sums) sum = sum * a + b;  // fused: see meson.build
  }
  float total = 0;
  for (const Vector& sum : sums) total += sum[0];
  return total;
}

}  // namespace

template <>
const benchmarks::ProbeKernels& get() {
  static constexpr benchmarks::ProbeKernels kernels{chains * width, multiply_add};
  return kernels;
}

}  // namespace heed::kernels::HEED_KERNELS

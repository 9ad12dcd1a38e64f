// Multiply-adds in as many independent chains as hide their latency.
#include "benchmarks/probes.h"
#include "tensor/kernels/level.h"
#include "tensor/kernels/vector.h"

namespace heed::kernels::HEED_KERNELS {

namespace {

constexpr int width = lanes<float>;
constexpr int chains = 12;  // two units, four to six cycles each

float multiply_add(std::int64_t steps) {
  Vector<float> sums[chains] = {}, a = {}, b = {};
  a += 0.999f;
  b += 0.5f;
  for (int i = 0; i < chains; ++i) sums[i] += static_cast<float>(i);
  for (std::int64_t i = 0; i < steps; ++i) {
    for (Vector<float>& sum : sums) sum = sum * a + b;  // fused where there is FMA
  }
  float total = 0;
  for (const Vector<float>& sum : sums) total += sum[0];
  return total;
}

}  // namespace

template <>
const benchmarks::ProbeKernels& get() {
  static constexpr benchmarks::ProbeKernels kernels{chains * width, multiply_add};
  return kernels;
}

}  // namespace heed::kernels::HEED_KERNELS

#include "tensor/random/normal_kernels.h"

#include "tensor/kernels/level.h"

namespace heed::kernels::HEED_KERNELS {
namespace {

// Logarithm, sine and cosine with the polynomials of the Cephes library (S. Moshier) in
// single precision, rounded step by step as PyTorch's AVX2 kernels round them: otherwise
// the last bits of the float32 normals would differ. A multiply-add is fused here exactly
// where it is fused there; the C library does it where the processor cannot.
[[gnu::always_inline]] inline float fma(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}

// log x, 0 < x <= 1.
[[gnu::always_inline]] inline float log(float x) {
  const auto bits = __builtin_bit_cast(std::int32_t, x);
  auto exponent = static_cast<float>((bits >> 23) - 126);
  float m = __builtin_bit_cast(float, (bits & 0x7fffff) | 0x3f000000);  // in [0.5, 1)
  const bool low = m < 0.707106781186547524f;
  exponent = exponent - (low ? 1.0f : 0.0f);
  m = (m - 1) + (low ? m : 0.0f);
  const float square = m * m;
  float y = 7.0376836292e-2f;
  y = fma(y, m, -1.1514610310e-1f);
  y = fma(y, m, 1.1676998740e-1f);
  y = fma(y, m, -1.2420140846e-1f);
  y = fma(y, m, 1.4249322787e-1f);
  y = fma(y, m, -1.6668057665e-1f);
  y = fma(y, m, 2.0000714765e-1f);
  y = fma(y, m, -2.4999993993e-1f);
  y = fma(y, m, 3.3333331174e-1f);
  y = y * m;
  // log 2 in two parts, the larger one short enough for an exact product.
  y = fma(y, square, exponent * -2.12194440e-4f);
  y = fma(square, -0.5f, y);
  return fma(exponent, 0.693359375f, m + y);
}

// sin x and cos x, 0 <= x < 7.
[[gnu::always_inline]] inline void sin_cos(float x, float& sin, float& cos) {
  // The octant, made even, and x less that many times pi/4, which stands in three parts.
  const std::int32_t octant = (static_cast<std::int32_t>(x * 1.27323954473516f) + 1) & ~1;
  const auto turns = static_cast<float>(octant);
  x = fma(turns, -0.78515625f, x);
  x = fma(turns, -2.4187564849853515625e-4f, x);
  x = fma(turns, -3.77489497744594108e-8f, x);
  const float square = x * x;

  float cosine = fma(2.443315711809948e-5f, square, -1.388731625493765e-3f);
  cosine = fma(cosine, square, 4.166664568298827e-2f);
  cosine = cosine * square;
  cosine = fma(cosine, square, -(square * 0.5f)) + 1;

  float sine = fma(-1.9515295891e-4f, square, 8.3321608736e-3f);
  sine = fma(sine, square, -1.6666654611e-1f);
  sine = sine * square;
  sine = fma(sine, x, x);

  const bool swapped = (octant & 2) != 0;
  sin = swapped ? cosine : sine;
  cos = swapped ? sine : cosine;
  sin = (octant & 4) != 0 ? -sin : sin;
  cos = ((octant - 2) & 4) != 0 ? cos : -cos;
}

// The transform of Box and Muller (1958).
void transform(std::int64_t blocks, float* d, float mean, float std) {
  constexpr int half = normal_block / 2;
  constexpr float two_pi = 6.283185307179586f;
  for (std::int64_t i = 0; i < blocks; ++i, d += normal_block) {
#pragma omp simd
    for (int j = 0; j < half; ++j) {
      const float radius = __builtin_sqrtf(-2 * log(1 - d[j]));
      float sin, cos;
      sin_cos(two_pi * d[j + half], sin, cos);
      d[j] = fma(radius * cos, std, mean);
      d[j + half] = fma(radius * sin, std, mean);
    }
  }
}

constexpr NormalKernels kernels = {transform};

}  // namespace

template <>
const NormalKernels& get() {
  return kernels;
}

}  // namespace heed::kernels::HEED_KERNELS

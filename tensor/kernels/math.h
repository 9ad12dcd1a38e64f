// Elementary functions: of float32 without a branch, so that a loop over them vectorises;
// of float64 the C library's. And such loops: for_elements() and map().
//
// Each float32 function reduces x to a short interval, evaluates a polynomial there, and
// undoes the reduction. The errors are the largest found against double precision, at
// every level, in units in the last place (ulp); tests/tensor/math_test.cpp measures them
// again. The coefficients are fits of our own, by weighted least squares.
//
// Only the kernels include this file: each gets functions of its own (see level.h).
#pragma once

#include <cstdint>

#include "tensor/kernels/vector.h"

namespace heed::kernels::HEED_KERNELS {
namespace {

// a b + c, rounded once at levels with fused multiply-adds, twice at others: a call into
// the C library would cost more than the whole polynomial.
template <class T>
[[gnu::always_inline]] inline T fma(T a, T b, T c) {
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
  if constexpr (sizeof(T) == sizeof(float)) {
    return __builtin_fmaf(a, b, c);
  } else {
    return __builtin_fma(a, b, c);
  }
#else
  return a * b + c;
#endif
}

[[gnu::always_inline]] inline float sqrt(float x) { return __builtin_sqrtf(x); }
[[gnu::always_inline]] inline double sqrt(double x) { return __builtin_sqrt(x); }

// c[0] + c[1] x + c[2] x^2 + ...
[[gnu::always_inline]] inline float polynomial(float, float c) { return c; }
template <class... C>
[[gnu::always_inline]] inline float polynomial(float x, float c, C... rest) {
  return fma(polynomial(x, rest...), x, c);
}
// The same as (c[0] + c[1] x) + (c[2] + c[3] x) x^2 + ...: half as many steps that wait
// for the one before.
[[gnu::always_inline]] inline float in_pairs(float, float, float c) { return c; }
[[gnu::always_inline]] inline float in_pairs(float x, float, float c0, float c1) {
  return fma(c1, x, c0);
}
template <class... C>
[[gnu::always_inline]] inline float in_pairs(float x, float x2, float c0, float c1,
                                             C... rest) {
  return fma(in_pairs(x, x2, rest...), x2, fma(c1, x, c0));
}

[[gnu::always_inline]] inline std::uint32_t bits(float x) {
  return __builtin_bit_cast(std::uint32_t, x);
}
[[gnu::always_inline]] inline float from_bits(std::uint32_t x) {
  return __builtin_bit_cast(float, x);
}

inline constexpr float infinity = __builtin_inff();
inline constexpr float not_a_number = __builtin_nanf("");
inline constexpr std::uint32_t sign_bit = 0x80000000u;

[[gnu::always_inline]] inline float absolute(float x) {
  return from_bits(bits(x) & ~sign_bit);
}
// |x|, at most `end`; `end` for NaN. Floats from 0 on are in the order of their bits,
// taken for integers. These are compared, because for floats the compiler makes a branch
// with a copy of all that follows on either side, which takes a quarter longer. (tanh and
// erf compare floats, for they must keep a NaN.)
[[gnu::always_inline]] inline float absolute_up_to(float end, float x) {
  const std::uint32_t a = bits(absolute(x));
  return from_bits(a < bits(end) ? a : bits(end));
}
// The magnitude of x >= 0 with the sign of `sign`.
[[gnu::always_inline]] inline float with_sign(float x, float sign) {
  return from_bits(bits(x) | (bits(sign) & sign_bit));
}
// 2^n, where the lowest 8 bits of `exponent` are n + 127, from 1 to 254, the next one is
// 0, and the others are ignored.
[[gnu::always_inline]] inline float power_of_two(std::uint32_t exponent) {
  return from_bits(exponent << 23);
}

// The whole number n nearest to x * factor, for |n| <= 2^21: as a float, and n + `offset`
// in the lowest 22 bits of an integer. Adding 1.5 * 2^23 leaves no bit for a fraction.
// Converting to an integer would be undefined for NaN.
struct Rounded {
  float value;
  std::uint32_t bits;
};
[[gnu::always_inline]] inline Rounded rounded(float x, float factor, int offset) {
  const float magic = 0x1.8p23f + static_cast<float>(offset);
  const float shifted = fma(x, factor, magic);
  return {shifted - magic, bits(shifted)};
}

// ln 2 as the sum of a part of few bits, whose product with a small integer is exact, and
// the rest.
inline constexpr float ln2_high = 0x1.62e4p-1f;
inline constexpr float ln2_low = 0x1.7f7d1cp-20f;

// e^x = 2^n (1 + part), part = e^r - 1 with |r| <= ln(2)/2. The lowest bits of `exponent`
// are n + offset: with 127 power_of_two() makes 2^n of them; exp() takes 2 * 127 and
// halves the sum, for 2^n as a product of two powers.
struct ExpParts {
  float part;
  std::uint32_t exponent;
};
// With one float for ln 2, which is off by 1.9e-9, r is off by n times that, and without
// fused multiply-adds by a rounding of n ln 2. This is good enough for functions in which
// an error of e^x hardly counts where |n| is large.
enum class Ln2 { one_float, two_floats };
template <Ln2 ln2 = Ln2::two_floats>
[[gnu::always_inline]] inline ExpParts exp_parts(float x, int offset = 127) {
  const Rounded n = rounded(x, 0x1.715476p0f, offset);
  const float r = ln2 == Ln2::one_float
                      ? fma(n.value, -0x1.62e43p-1f, x)
                      : fma(n.value, -ln2_low, fma(n.value, -ln2_high, x));
  const float r2 = r * r;
  const float p = in_pairs(r, r2, 0.49999997f, 0.166665465f, 0.0416674353f,
                           0.00836625881f, 0.00138706504f);
  return {fma(p, r2, r), n.bits};
}

// 2^n (1 + part). The two forms are the same number; but without fused multiply-adds the
// first one's product may be denormal, and the kernels of softmax and attention take such
// numbers for 0 (flush.h).
[[gnu::always_inline]] inline float exp_of_parts(ExpParts e) {
  const float scale = power_of_two(e.exponent);
#if defined(__FMA__)
  return fma(scale, e.part, scale);
#else
  return scale * (1.f + e.part);
#endif
}
// The same less 1, of which nothing is lost where e^x is near 1.
[[gnu::always_inline]] inline float expm1_of_parts(ExpParts e) {
  const float scale = power_of_two(e.exponent);
  return fma(scale, e.part, scale - 1.f);
}

// From where on exp and expm1 no longer change. Variables that the compiler takes for
// changing (`used`): constants would give branches, as for absolute_up_to().
[[gnu::used]] float exp_low = -104.f, exp_high = 104.f;
[[gnu::used]] float expm1_low = -30.f, expm1_high = 89.f;

template <class T>
[[gnu::always_inline]] inline T clamp(T x, T low, T high) {
  x = x < low ? low : x;
  return x > high ? high : x;  // NaN stays
}

// 1.1 ulp, denormal results included.
[[gnu::always_inline]] inline float exp(float x) {
  const ExpParts e = exp_parts(clamp(x, exp_low, exp_high), 254);
  const std::uint32_t half = e.exponent >> 1;  // 2^n itself may be no float
  const float scale = power_of_two(half);
  return fma(scale, e.part, scale) * power_of_two(e.exponent - half);
}

// exp(x) for x <= 0, in less time without AVX-512. 0 below -87.3: from -87.34 on results
// are denormal. Valid up to 88, where n is 127: rounding may put x above 0.
[[gnu::always_inline]] inline float exp_nonpositive(float x) {
  const float y = exp_of_parts(exp_parts(x));
  return x < -87.3f ? 0.f : y;
}

#if defined(__AVX512F__)
// Of all lanes: g++ 12 warns of its own headers where an intrinsic has no mask.
constexpr __mmask16 all_lanes = 0xffff;

// The same functions of 16 numbers at a time, in two thirds of the time of a loop over
// the ones above; 1.0 ulp, denormal results included, for both. With |x| <= 104, e^x is
// 2^n 2^(j/16) e^r for a whole n, j = 0 to 15 and |r| <= ln(2)/32, so that a polynomial
// of three terms is e^r - 1. After 1.5 * 2^19 is added, 4 bits are left for a fraction
// (see rounded()): n + j/16 is rounded to sixteenths, and j is in the lowest 4 bits. One
// instruction, which looks at these alone, takes 2^(j/16) from a register of all 16.
// scalef(y, n + j/16) is y 2^n, for it rounds down, also where that is infinite, denormal
// or 0.
[[gnu::always_inline]] inline Vector<float> exp_of_bounded(Vector<float> x) {
  alignas(vector_bytes) static constexpr float powers[] = {
      0x1.000000p0f, 0x1.0b5586p0f, 0x1.172b84p0f, 0x1.2387a6p0f,
      0x1.306fe0p0f, 0x1.3dea64p0f, 0x1.4bfdaep0f, 0x1.5ab07ep0f,
      0x1.6a09e6p0f, 0x1.7a1148p0f, 0x1.8ace54p0f, 0x1.9c4918p0f,
      0x1.ae89fap0f, 0x1.c199bep0f, 0x1.d5818ep0f, 0x1.ea4afap0f};
  const Vector<float> magic = broadcast(0x1.8p19f);
  const Vector<float> shifted = multiply_add(x, broadcast(0x1.715476p0f), magic);
  const Vector<float> sixteenths = shifted - magic;  // n + j/16
  const Vector<float> r = multiply_add(sixteenths, broadcast(-ln2_low),
                                       multiply_add(sixteenths, broadcast(-ln2_high), x));
  const Vector<float> part =
      multiply_add(multiply_add(r, broadcast(0.16667f), broadcast(0.500016f)), r * r, r);
  const Vector<float> power =
      _mm512_maskz_permutexvar_ps(all_lanes, _mm512_castps_si512(shifted), load(powers));
  return _mm512_maskz_scalef_ps(all_lanes, multiply_add(power, part, power), sixteenths);
}
// max and min return their second argument if it is NaN.
[[gnu::always_inline]] inline Vector<float> exp_nonpositive(Vector<float> x) {
  return exp_of_bounded(_mm512_maskz_max_ps(all_lanes, broadcast(-104.f), x));
}
[[gnu::always_inline]] inline Vector<float> exp(Vector<float> x) {
  const Vector<float> bounded = _mm512_maskz_max_ps(all_lanes, broadcast(-104.f), x);
  return exp_of_bounded(_mm512_maskz_min_ps(all_lanes, broadcast(104.f), bounded));
}
#endif

// exp(x) - 1; 1.9 ulp. Half of it is formed, for 2^n itself may be no float; and x where
// it is the nearest float, -0 included.
[[gnu::always_inline]] inline float expm1(float x) {
  const ExpParts e = exp_parts(clamp(x, expm1_low, expm1_high), 126);
  const float half = power_of_two(e.exponent);
  const float y = 2.f * fma(half, e.part, half - 0.5f);
  return absolute(x) < 0x1p-25f ? x : y;
}

// ln(2^e (1 + f)) for -1/3 <= f <= 1/3.
[[gnu::always_inline]] inline float log_of_parts(float f, float e) {
  const float p = polynomial(f, 0.333332151f, -0.249998048f, 0.200104356f, -0.166802213f,
                             0.140055433f, -0.121874534f, 0.139855936f, -0.128792912f);
  const float square = f * f;
  const float tail = fma(e, ln2_low, fma(p * f, square, -0.5f * square));
  return fma(e, ln2_high, f + tail);
}

// 0.9 ulp.
[[gnu::always_inline]] inline float log(float x) {
  const bool tiny = x < 0x1p-126f;  // a denormal is scaled up to a normal number
  const std::uint32_t b = bits(tiny ? x * 0x1p23f : x);
  const auto e = static_cast<std::int32_t>(b - bits(2.f / 3)) >> 23;
  const float m = from_bits(b - (static_cast<std::uint32_t>(e) << 23));  // 2/3 to 4/3
  const float y = log_of_parts(m - 1.f, static_cast<float>(e - (tiny ? 23 : 0)));
  const float ends = x == 0.f ? -infinity : (x < 0.f ? not_a_number : x);
  return x > 0.f && x < infinity ? y : ends;
}

// 1.6 ulp. With 1 + x = 2^e (1 + f) it forms f = 2^-e x + (2^-e - 1) from x itself, so
// that nothing of a small x is lost. The 4, because from 2/3 2^127 on 2^-e would be
// denormal.
[[gnu::always_inline]] inline float log1p(float x) {
  const auto e = static_cast<std::int32_t>(bits(1.f + x) - bits(2.f / 3)) >> 23;
  const float scale = from_bits(bits(4.f) - (static_cast<std::uint32_t>(e) << 23));
  const float f = fma(x * scale, 0.25f, fma(scale, 0.25f, -1.f));
  const float y = log_of_parts(f, static_cast<float>(e));
  const float ends = x == -1.f ? -infinity : (x < -1.f ? not_a_number : x);
  return x > -1.f && x < infinity && x != 0.f ? y : ends;  // -0 stays -0
}

// 2.6 ulp. tanh |x| = t / (t + 2) with t = e^(2|x|) - 1, which has no cancellation.
[[gnu::always_inline]] inline float tanh(float x) {
  float a = absolute(x);
  a = a > 10.f ? 10.f : a;  // 1 from 9.01 on
  const float t = expm1_of_parts(exp_parts<Ln2::one_float>(a + a));
  return with_sign(t / (t + 2.f), x);
}

// 2.3 ulp, denormal results included: in the left tail e^x / (1 + e^x) loses nothing.
[[gnu::always_inline]] inline float sigmoid(float x) {
  const float e = exp(-absolute(x));
  return (x < 0.f ? e : 1.f) / (1.f + e);
}

// 1.3 ulp. A polynomial in x^2 near 0, and 1 - e^-g(|x|) beyond, where
// g(a) = -ln(1 - erf a) is nearly a parabola.
[[gnu::always_inline]] inline float erf(float x) {
  const float square = x * x;
  const float near =
      fma(x,
          polynomial(square, 0.128379166f, -0.376126289f, 0.112836257f, -0.0268557277f,
                     0.00519237714f, -0.000804917421f, 7.99279587e-05f),
          x);
  float a = absolute(x);
  const bool small = a < 0.921875f;
  a = a > 4.f ? 4.f : a;  // 1 from 3.92 on
  const float g =
      polynomial(a, -0.000175873531f, 1.12952077f, 0.633334875f, 0.108293533f,
                 -0.0251282286f, 0.00417443831f, -0.000435164868f, 2.11562256e-05f);
  const float far = 1.f - exp_of_parts(exp_parts<Ln2::one_float>(-g));
  return small ? near : with_sign(far, x);
}

// x Φ(x), with the normal distribution function Φ; an error of 6e-8 |x|, and a rounding;
// NaN at -infinity, as PyTorch has it. Φ's tail beyond |x| is e^-h / 2, where h is nearly
// a parabola.
[[gnu::always_inline]] inline float gelu(float x) {
  const float a = absolute_up_to(9.f, x);  // beyond, a times the tail is below 2e-18
  const float h =
      a * in_pairs(a, a * a, 0.797885299f, 0.318298876f, 0.0363875777f, -0.00489598978f,
                   9.49170426e-05f, 0.000129050313f, -2.72945363e-05f, 1.96501196e-06f);
  const float tail = exp_of_parts(exp_parts<Ln2::one_float>(-h, 126));  // e^-h / 2
  return fma(-a, tail, x < 0.f ? x * 0.f : x);
}

// The derivative of x Φ(x), which is Φ(x) + x φ(x), φ being the density; an absolute
// error of 1.6e-7. At -a = -|x| it is e^(-a²/2) times a smooth ratio(a), and its values
// at x and -x add up to 1. NaN at the infinities, as PyTorch has it.
[[gnu::always_inline]] inline float gelu_slope(float x) {
  const float a = absolute_up_to(13.f, x);  // beyond, tail is below 1e-31
  const float square = a * a;
  const float ratio =
      in_pairs(a, square, 0.5f, -0.797883451f, 0.24997738f, -0.132824913f, 0.061965134f,
               -0.0255248025f, 0.00904665701f, -0.00261228788f, 0.000571004173f,
               -8.62694578e-05f, 7.87952558e-06f, -3.23843722e-07f);
  const float tail = exp_of_parts(exp_parts<Ln2::one_float>(-0.5f * square)) * ratio;
  return fma(0.f, x, x < 0.f ? tail : 1.f - tail);
}

// Up to here sin and cos reduce their argument themselves; beyond it they are not valid.
inline constexpr float largest_angle = 65536.f;

// The sine of x + quarter_turns pi/2 for x >= 0. With n pi/2 the multiple of pi/2 nearest
// to x, r = x - n pi/2 is formed in double precision from pi/2 in two parts, the first so
// short that its product with n is exact: near a multiple r keeps its full precision.
[[gnu::always_inline]] inline float sine(float x, std::uint32_t quarter_turns) {
  const Rounded n = rounded(x, 0x1.45f306p-1f, 0);
  const double whole = n.value;
  const auto r = static_cast<float>((static_cast<double>(x) - whole * 0x1.921fb544p+0) -
                                    whole * 0x1.0b4611a626331p-34);
  const float square = r * r;
  const float sine_of_r = fma(
      r * square, polynomial(square, -0.166666538f, 0.00833209511f, -0.0001950554f), r);
  const float cosine_of_r =
      fma(square * square,
          polynomial(square, 0.0416666418f, -0.00138871302f, 2.44120856e-05f),
          fma(square, -0.5f, 1.f));
  const std::uint32_t quadrant = n.bits + quarter_turns;
  const float y = quadrant & 1u ? cosine_of_r : sine_of_r;
  return from_bits(bits(y) ^ (quadrant & 2u) << 30);
}

// 1.6 ulp for |x| <= largest_angle.
[[gnu::always_inline]] inline float sin(float x) {
  return from_bits(bits(sine(absolute(x), 0)) ^ (bits(x) & sign_bit));
}
[[gnu::always_inline]] inline float cos(float x) { return sine(absolute(x), 1); }

// 1.9 ulp. Above 20 the result is x to the last bit.
[[gnu::always_inline]] inline float softplus(float x) {
  const float y = log1p(exp(x));
  return x > 20.f ? x : y;
}

// --- float64

inline double exp(double x) { return __builtin_exp(x); }
inline double exp_nonpositive(double x) { return exp(x); }
inline double expm1(double x) { return __builtin_expm1(x); }
inline double log(double x) { return __builtin_log(x); }
inline double log1p(double x) { return __builtin_log1p(x); }
inline double tanh(double x) { return __builtin_tanh(x); }
inline double erf(double x) { return __builtin_erf(x); }
inline double sin(double x) { return __builtin_sin(x); }
inline double cos(double x) { return __builtin_cos(x); }
inline double sigmoid(double x) {
  const double e = exp(-__builtin_fabs(x));
  return (x < 0 ? e : 1) / (1 + e);
}
inline double softplus(double x) { return x > 20 ? x : log1p(exp(x)); }  // as PyTorch's

// --- both

// Calls f(i) for i < n, where f computes an exp, log or tanh of T: in vectors for
// float32, whose functions are written for it. The C library's do not vectorise.
template <class T, class Int, class F>
[[gnu::always_inline]] inline void for_elements(Int n, F&& f) {
  if constexpr (sizeof(T) == sizeof(float)) {
#pragma omp simd
    for (Int i = 0; i < n; ++i) f(i);
  } else {
    for (Int i = 0; i < n; ++i) f(i);
  }
}

// Sets y[i] to f(x[i]...) for i < n, where f computes exp() or exp_nonpositive(). f is
// called with numbers or, of floats with AVX-512, with Vector<float>s, in the last of
// which lanes may be 0 instead: its parameters are `auto`. (Attention's loops, where exp
// takes 2 % of the time, gain nothing by it.)
template <class T, class F, class... X>
[[gnu::always_inline]] inline void map(std::int64_t n, T* y, F f, const X*... x) {
#if defined(__AVX512F__)
  if constexpr (sizeof(T) == sizeof(float)) {
    std::int64_t i = 0;
    for (; i + lanes<T> <= n; i += lanes<T>) _mm512_storeu_ps(y + i, f(load(x + i)...));
    if (i < n) {
      const auto rest = static_cast<__mmask16>((1u << (n - i)) - 1);
      const auto load_rest = [&](const float* from) -> Vector<float> {
        return _mm512_maskz_loadu_ps(rest, from + i);
      };
      _mm512_mask_storeu_ps(y + i, rest, f(load_rest(x)...));
    }
    return;
  }
#endif
  for_elements<T>(n, [&](std::int64_t i) { y[i] = f(x[i]...); });
}

}  // namespace
}  // namespace heed::kernels::HEED_KERNELS

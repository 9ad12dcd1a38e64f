// The formulas of the elementwise ops. Only elementwise_kernels.cpp includes this file:
// it is compiled once for each instruction set, with the functions that math.h has for
// that set.
#pragma once

#include <cstdint>
#include <type_traits>

#include "tensor/elementwise/elementwise.h"
#include "tensor/kernels/math.h"

namespace heed::kernels::HEED_KERNELS {
namespace {

// bool is handled as the byte that it is, which vectorises.
using Bool = std::uint8_t;
using std::int64_t;
// Signed integers wrap around: the arithmetic is done on unsigned ones.
using Word = std::uint64_t;

// The formula of an op, and the element types that it takes.
template <Op op>
struct Formula;

template <class... T>
struct For {
  template <class U>
  static constexpr bool takes = (std::is_same_v<U, T> || ...);
  template <class U>
  static constexpr bool vectorises = true;
  static constexpr bool takes_vectors = false;  // as well as numbers, for map()
};
using Numeric = For<float, double, int64_t>;
using AnyType = For<float, double, int64_t, Bool>;
using Floating = For<float, double>;
using Logical = For<Bool>;
// Made of functions that math.h has for float32, and the C library for float64.
struct Elementary : Floating {
  template <class U>
  static constexpr bool vectorises = std::is_same_v<U, float>;
};

template <>
struct Formula<Op::add> : AnyType {
  Bool operator()(Bool a, Bool b) const { return a | b; }
  int64_t operator()(int64_t a, int64_t b) const {
    return static_cast<int64_t>(Word(a) + Word(b));
  }
  auto operator()(auto a, auto b) const { return a + b; }
};
template <>
struct Formula<Op::sub> : Numeric {
  int64_t operator()(int64_t a, int64_t b) const {
    return static_cast<int64_t>(Word(a) - Word(b));
  }
  auto operator()(auto a, auto b) const { return a - b; }
};
template <>
struct Formula<Op::mul> : AnyType {
  Bool operator()(Bool a, Bool b) const { return a & b; }
  int64_t operator()(int64_t a, int64_t b) const {
    return static_cast<int64_t>(Word(a) * Word(b));
  }
  auto operator()(auto a, auto b) const { return a * b; }
};
template <>
struct Formula<Op::div> : Floating {
  auto operator()(auto a, auto b) const { return a / b; }
};
template <>
struct Formula<Op::pow> : Numeric {
  template <class U>
  static constexpr bool vectorises = false;
  // For b < 0 the power is what is left of the fraction when it is rounded towards 0.
  int64_t operator()(int64_t a, int64_t b) const {
    if (b < 0) return a == 1 ? 1 : a == -1 ? (b % 2 == 0 ? 1 : -1) : 0;
    Word power = 1;
    for (Word square(a); b > 0; b /= 2, square *= square) {
      if (b % 2 == 1) power *= square;
    }
    return static_cast<int64_t>(power);
  }
  float operator()(float a, float b) const { return __builtin_powf(a, b); }
  double operator()(double a, double b) const { return __builtin_pow(a, b); }
};
template <>
struct Formula<Op::remainder> : Numeric {
  template <class U>
  static constexpr bool vectorises = false;
  // By -1 the processor's instruction would overflow for the lowest number.
  int64_t operator()(int64_t a, int64_t b) const {
    return b == -1 ? 0 : with_sign_of(b, a % b);
  }
  float operator()(float a, float b) const {
    return with_sign_of(b, __builtin_fmodf(a, b));
  }
  double operator()(double a, double b) const {
    return with_sign_of(b, __builtin_fmod(a, b));
  }
  // C's remainder has the sign of a.
  template <class T>
  static T with_sign_of(T b, T rest) {
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
  }
};
template <>
struct Formula<Op::maximum> : AnyType {
  auto operator()(auto a, auto b) const { return a > b || a != a ? a : b; }
};
template <>
struct Formula<Op::minimum> : AnyType {
  auto operator()(auto a, auto b) const { return a < b || a != a ? a : b; }
};

template <>
struct Formula<Op::eq> : AnyType {
  bool operator()(auto a, auto b) const { return a == b; }
};
template <>
struct Formula<Op::ne> : AnyType {
  bool operator()(auto a, auto b) const { return a != b; }
};
template <>
struct Formula<Op::lt> : AnyType {
  bool operator()(auto a, auto b) const { return a < b; }
};
template <>
struct Formula<Op::le> : AnyType {
  bool operator()(auto a, auto b) const { return a <= b; }
};
template <>
struct Formula<Op::gt> : AnyType {
  bool operator()(auto a, auto b) const { return a > b; }
};
template <>
struct Formula<Op::ge> : AnyType {
  bool operator()(auto a, auto b) const { return a >= b; }
};

template <>
struct Formula<Op::logical_and> : Logical {
  Bool operator()(Bool a, Bool b) const { return a & b; }
};
template <>
struct Formula<Op::logical_or> : Logical {
  Bool operator()(Bool a, Bool b) const { return a | b; }
};
template <>
struct Formula<Op::logical_xor> : Logical {
  Bool operator()(Bool a, Bool b) const { return a ^ b; }
};
template <>
struct Formula<Op::logical_not> : Logical {
  Bool operator()(Bool a) const { return a ^ 1; }
};

template <>
struct Formula<Op::isnan> : Floating {
  bool operator()(auto x) const { return x != x; }
};
template <>
struct Formula<Op::isinf> : Floating {
  bool operator()(auto x) const { return x == infinity || x == -infinity; }
};
template <>
struct Formula<Op::isfinite> : Floating {
  bool operator()(auto x) const { return x - x == 0; }
};

template <>
struct Formula<Op::neg> : Numeric {
  int64_t operator()(int64_t x) const { return static_cast<int64_t>(-Word(x)); }
  auto operator()(auto x) const { return -x; }
};
template <>
struct Formula<Op::abs> : Numeric {
  int64_t operator()(int64_t x) const {
    return x < 0 ? static_cast<int64_t>(-Word(x)) : x;
  }
  float operator()(float x) const { return __builtin_fabsf(x); }
  double operator()(double x) const { return __builtin_fabs(x); }
};
template <>
struct Formula<Op::sign> : Numeric {
  template <class T>
  T operator()(T x) const {
    const T sign = x < T{0} ? T(-1) : T{0};
    return x > T{0} ? T{1} : (x != x ? x : sign);
  }
};
template <>
struct Formula<Op::square> : Numeric {
  auto operator()(auto x) const { return Formula<Op::mul>{}(x, x); }
};
template <>
struct Formula<Op::reciprocal> : Floating {
  auto operator()(auto x) const { return 1 / x; }
};
template <>
struct Formula<Op::sqrt> : Floating {
  float operator()(float x) const { return __builtin_sqrtf(x); }
  double operator()(double x) const { return __builtin_sqrt(x); }
};
template <>
struct Formula<Op::rsqrt> : Floating {
  auto operator()(auto x) const { return 1 / Formula<Op::sqrt>{}(x); }
};
template <>
struct Formula<Op::floor> : Numeric {
  int64_t operator()(int64_t x) const { return x; }
  float operator()(float x) const { return __builtin_floorf(x); }
  double operator()(double x) const { return __builtin_floor(x); }
};
template <>
struct Formula<Op::ceil> : Numeric {
  int64_t operator()(int64_t x) const { return x; }
  float operator()(float x) const { return __builtin_ceilf(x); }
  double operator()(double x) const { return __builtin_ceil(x); }
};
template <>
struct Formula<Op::round> : Numeric {
  int64_t operator()(int64_t x) const { return x; }
  float operator()(float x) const { return __builtin_rintf(x); }
  double operator()(double x) const { return __builtin_rint(x); }
};
// The quotient rounded down.
template <>
struct Formula<Op::floor_divide> : Numeric {
  template <class U>
  static constexpr bool vectorises = false;
  int64_t operator()(int64_t a, int64_t b) const {
    if (b == -1) return Formula<Op::neg>{}(a);
    return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
  }
  float operator()(float a, float b) const { return floor(a, b, __builtin_fmodf(a, b)); }
  double operator()(double a, double b) const {
    return floor(a, b, __builtin_fmod(a, b));
  }
  // a / b alone may be rounded up to the next whole number; the remainder tells. A zero
  // has the sign of a / b.
  template <class T>
  static T floor(T a, T b, T rest) {
    if (b == 0) return a / b;
    T quotient = (a - rest) / b;
    if (rest != 0 && (rest < 0) != (b < 0)) quotient -= 1;
    return quotient == 0 ? a / b * 0 : Formula<Op::round>{}(quotient);
  }
};
template <>
struct Formula<Op::relu> : Numeric {
  auto operator()(auto x) const { return x < 0 ? 0 : x; }
};

template <>
struct Formula<Op::exp> : Elementary {
  static constexpr bool takes_vectors = true;
  auto operator()(auto x) const { return exp(x); }
};
template <>
struct Formula<Op::expm1> : Elementary {
  auto operator()(auto x) const { return expm1(x); }
};
template <>
struct Formula<Op::log> : Elementary {
  auto operator()(auto x) const { return log(x); }
};
template <>
struct Formula<Op::log1p> : Elementary {
  auto operator()(auto x) const { return log1p(x); }
};
template <>
struct Formula<Op::tanh> : Elementary {
  auto operator()(auto x) const { return tanh(x); }
};
template <>
struct Formula<Op::erf> : Elementary {
  auto operator()(auto x) const { return erf(x); }
};
// The polynomials' reduction of the angle is precise enough up to largest_angle; beyond
// it, and for float64, the C library computes them.
struct Angle : Elementary {
  static bool beyond(float x) { return __builtin_fabsf(x) > largest_angle; }
  static bool beyond(double) = delete;
};
template <>
struct Formula<Op::sin> : Angle {
  auto operator()(auto x) const { return sin(x); }
  static float library(float x) { return __builtin_sinf(x); }
};
template <>
struct Formula<Op::cos> : Angle {
  auto operator()(auto x) const { return cos(x); }
  static float library(float x) { return __builtin_cosf(x); }
};
template <>
struct Formula<Op::sigmoid> : Elementary {
  auto operator()(auto x) const { return sigmoid(x); }
};
template <>
struct Formula<Op::softplus> : Elementary {
  auto operator()(auto x) const { return softplus(x); }
};
template <>
struct Formula<Op::silu> : Elementary {
  auto operator()(auto x) const { return x * sigmoid(x); }
};
template <>
struct Formula<Op::gelu> : Elementary {
  float operator()(float x) const { return gelu(x); }
  double operator()(double x) const {
    return 0.5 * x * __builtin_erfc(x * -0x1.6a09e667f3bcdp-1);  // -1 / sqrt(2)
  }
};
// x (1 + tanh u) / 2 with u = √(2/π) (x + 0.044715 x³). (1 + tanh u) / 2 is sigmoid(2u),
// which does not cancel.
template <>
struct Formula<Op::gelu_tanh> : Elementary {
  template <class T>
  T operator()(T x) const {
    const T inner = x + static_cast<T>(0.044715) * x * x * x;
    return x * sigmoid(static_cast<T>(1.5957691216057308) * inner);  // 2 sqrt(2/pi)
  }
};

// g (Φ(x) + x φ(x)), with the normal distribution function and its density.
template <>
struct Formula<Op::gelu_backward> : Elementary {
  float operator()(float g, float x) const { return g * gelu_slope(x); }
  double operator()(double g, double x) const {
    const double density = 0x1.9884533d43651p-2 * exp(-0.5 * x * x);  // 1 / sqrt(2 pi)
    return g * (0.5 * __builtin_erfc(x * -0x1.6a09e667f3bcdp-1) + x * density);
  }
};
// g (s + x s (1 - s) 2u'), with s = sigmoid(2u) and the u of gelu_tanh.
template <>
struct Formula<Op::gelu_tanh_backward> : Elementary {
  template <class T>
  T operator()(T g, T x) const {
    const T c = static_cast<T>(0.044715), two_roots = static_cast<T>(1.5957691216057308);
    const T s = sigmoid(two_roots * (x + c * x * x * x));
    return g * (s + x * s * (1 - s) * (two_roots * (1 + 3 * c * x * x)));
  }
};

template <>
struct Formula<Op::add_scaled> : Numeric {
  template <class T>
  T operator()(T a, T b, T scale) const {
    return Formula<Op::add>{}(a, Formula<Op::mul>{}(scale, b));
  }
};
template <>
struct Formula<Op::clamp> : Numeric {
  auto operator()(auto x, auto low, auto high) const { return clamp(x, low, high); }
};
template <>
struct Formula<Op::where> : AnyType {
  auto operator()(Bool condition, auto a, auto b) const { return condition ? a : b; }
};

}  // namespace
}  // namespace heed::kernels::HEED_KERNELS

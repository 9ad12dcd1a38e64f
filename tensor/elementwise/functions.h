// The function objects of the elementwise loops: one for each op, for all its types.
// Only kernels/elementwise.cpp includes this file.
#pragma once

#include "tensor/kernels/math.h"

namespace heed::kernels::HEED_KERNELS {
namespace {

// bool is handled as the byte that it is, which vectorises.
using Bool = std::uint8_t;
using Int = std::int64_t;
// Signed integers wrap around: the arithmetic is done on unsigned ones.
using Word = std::uint64_t;

template <class T>
inline constexpr bool is_float = false;
template <>
inline constexpr bool is_float<float> = true;

// What is one or a few instructions for every type.
struct Plain {
  template <class T>
  static constexpr bool vectorises = true;
};
// What is written out for float32 in math.h and calls the C library for float64.
struct Elementary {
  template <class T>
  static constexpr bool vectorises = is_float<T>;
};

struct Add : Plain {
  Int operator()(Int a, Int b) const { return static_cast<Int>(Word(a) + Word(b)); }
  template <class T>
  T operator()(T a, T b) const {
    return a + b;
  }
};
struct Sub : Plain {
  Int operator()(Int a, Int b) const { return static_cast<Int>(Word(a) - Word(b)); }
  template <class T>
  T operator()(T a, T b) const {
    return a - b;
  }
};
struct Mul : Plain {
  Int operator()(Int a, Int b) const { return static_cast<Int>(Word(a) * Word(b)); }
  template <class T>
  T operator()(T a, T b) const {
    return a * b;
  }
};
struct Div : Plain {
  template <class T>
  T operator()(T a, T b) const {
    return a / b;
  }
};
struct Pow {
  template <class T>
  static constexpr bool vectorises = false;
  float operator()(float a, float b) const { return __builtin_powf(a, b); }
  double operator()(double a, double b) const { return __builtin_pow(a, b); }
};
struct Maximum : Plain {
  template <class T>
  T operator()(T a, T b) const {
    return a > b || a != a ? a : b;
  }
};
struct Minimum : Plain {
  template <class T>
  T operator()(T a, T b) const {
    return a < b || a != a ? a : b;
  }
};

struct Equal : Plain {
  template <class T>
  bool operator()(T a, T b) const {
    return a == b;
  }
};
struct NotEqual : Plain {
  template <class T>
  bool operator()(T a, T b) const {
    return a != b;
  }
};
struct Less : Plain {
  template <class T>
  bool operator()(T a, T b) const {
    return a < b;
  }
};
struct LessEqual : Plain {
  template <class T>
  bool operator()(T a, T b) const {
    return a <= b;
  }
};
struct Greater : Plain {
  template <class T>
  bool operator()(T a, T b) const {
    return a > b;
  }
};
struct GreaterEqual : Plain {
  template <class T>
  bool operator()(T a, T b) const {
    return a >= b;
  }
};

struct And : Plain {
  Bool operator()(Bool a, Bool b) const { return a & b; }
};
struct Or : Plain {
  Bool operator()(Bool a, Bool b) const { return a | b; }
};
struct Xor : Plain {
  Bool operator()(Bool a, Bool b) const { return a ^ b; }
};
struct Not : Plain {
  Bool operator()(Bool a) const { return a ^ 1; }
};

struct IsNan : Plain {
  template <class T>
  bool operator()(T x) const {
    return x != x;
  }
};
struct IsInf : Plain {
  template <class T>
  bool operator()(T x) const {
    return x == infinity || x == -infinity;
  }
};
struct IsFinite : Plain {
  template <class T>
  bool operator()(T x) const {
    return x - x == 0;
  }
};

struct Neg : Plain {
  Int operator()(Int x) const { return static_cast<Int>(-Word(x)); }
  template <class T>
  T operator()(T x) const {
    return -x;
  }
};
struct Abs : Plain {
  Int operator()(Int x) const { return x < 0 ? static_cast<Int>(-Word(x)) : x; }
  float operator()(float x) const { return __builtin_fabsf(x); }
  double operator()(double x) const { return __builtin_fabs(x); }
};
struct Sign : Plain {
  template <class T>
  T operator()(T x) const {
    const T sign = x < T{0} ? T(-1) : T{0};
    return x > T{0} ? T{1} : (x != x ? x : sign);
  }
};
struct Square : Plain {
  template <class T>
  T operator()(T x) const {
    return Mul{}(x, x);
  }
};
struct Reciprocal : Plain {
  template <class T>
  T operator()(T x) const {
    return 1 / x;
  }
};
struct Sqrt : Plain {
  float operator()(float x) const { return __builtin_sqrtf(x); }
  double operator()(double x) const { return __builtin_sqrt(x); }
};
struct Rsqrt : Plain {
  template <class T>
  T operator()(T x) const {
    return 1 / Sqrt{}(x);
  }
};
struct Relu : Plain {
  template <class T>
  T operator()(T x) const {
    return x < 0 ? 0 : x;
  }
};

struct Exp : Elementary {
  float operator()(float x) const { return exp(x); }
  double operator()(double x) const { return __builtin_exp(x); }
};
struct Log : Elementary {
  float operator()(float x) const { return log(x); }
  double operator()(double x) const { return __builtin_log(x); }
};
struct Log1p : Elementary {
  float operator()(float x) const { return log1p(x); }
  double operator()(double x) const { return __builtin_log1p(x); }
};
struct Tanh : Elementary {
  float operator()(float x) const { return tanh(x); }
  double operator()(double x) const { return __builtin_tanh(x); }
};
struct Erf : Elementary {
  float operator()(float x) const { return erf(x); }
  double operator()(double x) const { return __builtin_erf(x); }
};
// The polynomials' reduction of the angle is exact up to largest_angle; beyond it the C
// library takes over. float64 is the library's from the start.
struct Angle : Elementary {
  static bool beyond(float x) { return __builtin_fabsf(x) > largest_angle; }
  static bool beyond(double) = delete;
};
struct Sin : Angle {
  float operator()(float x) const { return sin(x); }
  double operator()(double x) const { return __builtin_sin(x); }
  static float library(float x) { return __builtin_sinf(x); }
};
struct Cos : Angle {
  float operator()(float x) const { return cos(x); }
  double operator()(double x) const { return __builtin_cos(x); }
  static float library(float x) { return __builtin_cosf(x); }
};
struct Sigmoid : Elementary {
  float operator()(float x) const { return sigmoid(x); }
  double operator()(double x) const {
    const double e = __builtin_exp(-__builtin_fabs(x));
    return (x < 0 ? e : 1) / (1 + e);
  }
};
struct Softplus : Elementary {
  float operator()(float x) const { return softplus(x); }
  double operator()(double x) const {
    return x > 20 ? x : __builtin_log1p(__builtin_exp(x));
  }
};
struct Silu : Elementary {
  template <class T>
  T operator()(T x) const {
    return x * Sigmoid{}(x);
  }
};
struct Gelu : Elementary {
  // The error is 1e-7 |x|; to the left 1 + erf cancels, as it does in PyTorch.
  float operator()(float x) const { return 0.5f * x * (1 + erf(x * 0x1.6a09e6p-1f)); }
  double operator()(double x) const {
    return 0.5 * x * __builtin_erfc(x * -0x1.6a09e667f3bcdp-1);
  }
};
// (1 + tanh u) / 2 is sigmoid(2u), which does not cancel.
struct GeluTanh : Elementary {
  template <class T>
  T operator()(T x) const {
    const T inner = x + static_cast<T>(0.044715) * x * x * x;
    return x * Sigmoid{}(static_cast<T>(1.5957691216057308) * inner);  // 2 sqrt(2/pi)
  }
};

// Φ(x) + x φ(x), with the normal distribution function and its density.
struct GeluSlope : Elementary {
  float operator()(float x) const {
    const float density = 0x1.988454p-2f * exp(-0.5f * x * x);  // 1/√(2π)
    return 0.5f * (1 + erf(x * 0x1.6a09e6p-1f)) + x * density;
  }
  double operator()(double x) const {
    const double density = 0x1.9884533d43651p-2 * __builtin_exp(-0.5 * x * x);
    return 0.5 * __builtin_erfc(x * -0x1.6a09e667f3bcdp-1) + x * density;
  }
};
// s + x s (1 - s) 2u', with s = sigmoid(2u) and u as above.
struct GeluTanhSlope : Elementary {
  template <class T>
  T operator()(T x) const {
    const T c = static_cast<T>(0.044715), two_roots = static_cast<T>(1.5957691216057308);
    const T s = Sigmoid{}(two_roots * (x + c * x * x * x));
    return s + x * s * (1 - s) * (two_roots * (1 + 3 * c * x * x));
  }
};

struct AddScaled : Plain {
  template <class T>
  T operator()(T a, T b, T scale) const {
    return Add{}(a, Mul{}(scale, b));
  }
};
struct Clamp : Plain {
  template <class T>
  T operator()(T x, T low, T high) const {
    const T held = x < low ? low : x;
    return held > high ? high : held;
  }
};
struct Where : Plain {
  template <class T>
  T operator()(Bool condition, T a, T b) const {
    return condition ? a : b;
  }
};

}  // namespace
}  // namespace heed::kernels::HEED_KERNELS

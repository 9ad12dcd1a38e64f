// The elementwise ops: the name of each and, for the kernels alone, its formula.
#pragma once

#include <cstdint>
#include <type_traits>

namespace heed::kernels {

enum class Op {
  // of one operand
  abs,
  cos,
  erf,
  exp,
  gelu,
  gelu_slope,
  gelu_tanh,
  gelu_tanh_slope,
  isfinite,
  isinf,
  isnan,
  log,
  log1p,
  logical_not,
  neg,
  reciprocal,
  relu,
  rsqrt,
  sigmoid,
  sign,
  silu,
  sin,
  softplus,
  sqrt,
  square,
  tanh,
  // of two
  add,
  div,
  eq,
  ge,
  gt,
  le,
  logical_and,
  logical_or,
  logical_xor,
  lt,
  maximum,
  minimum,
  mul,
  ne,
  pow,
  sub,
  // of three
  add_scaled,  // a + c b
  clamp,       // a held between b and c
  where,       // a (bool) ? b : c
};
inline constexpr int op_count = static_cast<int>(Op::where) + 1;

}  // namespace heed::kernels

// elementwise_kernels.cpp alone, which is compiled once a level, asks for the rest.
#ifdef HEED_FORMULAS

namespace heed::kernels::HEED_KERNELS {
namespace {

// bool is handled as the byte that it is, which vectorises.
using Bool = std::uint8_t;
using std::int64_t;
// Signed integers wrap around: the arithmetic is done on unsigned ones.
using Word = std::uint64_t;

// The formula of an op, and the element types that it takes.
template <Op op>
struct Function;

template <class... T>
struct For {
  template <class U>
  static constexpr bool takes = (std::is_same_v<U, T> || ...);
  template <class U>
  static constexpr bool vectorises = true;
};
using Numeric = For<float, double, int64_t>;
using Floating = For<float, double>;
using Logical = For<Bool>;
using AnyType = For<float, double, int64_t, Bool>;
// Made of functions that math.h has for float32, and the C library for float64.
struct Elementary : Floating {
  template <class U>
  static constexpr bool vectorises = std::is_same_v<U, float>;
};

template <>
struct Function<Op::add> : Numeric {
  int64_t operator()(int64_t a, int64_t b) const {
    return static_cast<int64_t>(Word(a) + Word(b));
  }
  auto operator()(auto a, auto b) const { return a + b; }
};
template <>
struct Function<Op::sub> : Numeric {
  int64_t operator()(int64_t a, int64_t b) const {
    return static_cast<int64_t>(Word(a) - Word(b));
  }
  auto operator()(auto a, auto b) const { return a - b; }
};
template <>
struct Function<Op::mul> : Numeric {
  int64_t operator()(int64_t a, int64_t b) const {
    return static_cast<int64_t>(Word(a) * Word(b));
  }
  auto operator()(auto a, auto b) const { return a * b; }
};
template <>
struct Function<Op::div> : Floating {
  auto operator()(auto a, auto b) const { return a / b; }
};
template <>
struct Function<Op::pow> : Floating {
  template <class U>
  static constexpr bool vectorises = false;
  float operator()(float a, float b) const { return __builtin_powf(a, b); }
  double operator()(double a, double b) const { return __builtin_pow(a, b); }
};
template <>
struct Function<Op::maximum> : Numeric {
  auto operator()(auto a, auto b) const { return a > b || a != a ? a : b; }
};
template <>
struct Function<Op::minimum> : Numeric {
  auto operator()(auto a, auto b) const { return a < b || a != a ? a : b; }
};

template <>
struct Function<Op::eq> : AnyType {
  bool operator()(auto a, auto b) const { return a == b; }
};
template <>
struct Function<Op::ne> : AnyType {
  bool operator()(auto a, auto b) const { return a != b; }
};
template <>
struct Function<Op::lt> : AnyType {
  bool operator()(auto a, auto b) const { return a < b; }
};
template <>
struct Function<Op::le> : AnyType {
  bool operator()(auto a, auto b) const { return a <= b; }
};
template <>
struct Function<Op::gt> : AnyType {
  bool operator()(auto a, auto b) const { return a > b; }
};
template <>
struct Function<Op::ge> : AnyType {
  bool operator()(auto a, auto b) const { return a >= b; }
};

template <>
struct Function<Op::logical_and> : Logical {
  Bool operator()(Bool a, Bool b) const { return a & b; }
};
template <>
struct Function<Op::logical_or> : Logical {
  Bool operator()(Bool a, Bool b) const { return a | b; }
};
template <>
struct Function<Op::logical_xor> : Logical {
  Bool operator()(Bool a, Bool b) const { return a ^ b; }
};
template <>
struct Function<Op::logical_not> : Logical {
  Bool operator()(Bool a) const { return a ^ 1; }
};

template <>
struct Function<Op::isnan> : Floating {
  bool operator()(auto x) const { return x != x; }
};
template <>
struct Function<Op::isinf> : Floating {
  bool operator()(auto x) const { return x == infinity || x == -infinity; }
};
template <>
struct Function<Op::isfinite> : Floating {
  bool operator()(auto x) const { return x - x == 0; }
};

template <>
struct Function<Op::neg> : Numeric {
  int64_t operator()(int64_t x) const { return static_cast<int64_t>(-Word(x)); }
  auto operator()(auto x) const { return -x; }
};
template <>
struct Function<Op::abs> : Numeric {
  int64_t operator()(int64_t x) const {
    return x < 0 ? static_cast<int64_t>(-Word(x)) : x;
  }
  float operator()(float x) const { return __builtin_fabsf(x); }
  double operator()(double x) const { return __builtin_fabs(x); }
};
template <>
struct Function<Op::sign> : Numeric {
  template <class T>
  T operator()(T x) const {
    const T sign = x < T{0} ? T(-1) : T{0};
    return x > T{0} ? T{1} : (x != x ? x : sign);
  }
};
template <>
struct Function<Op::square> : Numeric {
  auto operator()(auto x) const { return Function<Op::mul>{}(x, x); }
};
template <>
struct Function<Op::reciprocal> : Floating {
  auto operator()(auto x) const { return 1 / x; }
};
template <>
struct Function<Op::sqrt> : Floating {
  float operator()(float x) const { return __builtin_sqrtf(x); }
  double operator()(double x) const { return __builtin_sqrt(x); }
};
template <>
struct Function<Op::rsqrt> : Floating {
  auto operator()(auto x) const { return 1 / Function<Op::sqrt>{}(x); }
};
template <>
struct Function<Op::relu> : Floating {
  auto operator()(auto x) const { return x < 0 ? 0 : x; }
};

template <>
struct Function<Op::exp> : Elementary {
  float operator()(float x) const { return exp(x); }
  double operator()(double x) const { return __builtin_exp(x); }
};
template <>
struct Function<Op::log> : Elementary {
  float operator()(float x) const { return log(x); }
  double operator()(double x) const { return __builtin_log(x); }
};
template <>
struct Function<Op::log1p> : Elementary {
  float operator()(float x) const { return log1p(x); }
  double operator()(double x) const { return __builtin_log1p(x); }
};
template <>
struct Function<Op::tanh> : Elementary {
  float operator()(float x) const { return tanh(x); }
  double operator()(double x) const { return __builtin_tanh(x); }
};
template <>
struct Function<Op::erf> : Elementary {
  float operator()(float x) const { return erf(x); }
  double operator()(double x) const { return __builtin_erf(x); }
};
// The polynomials' reduction of the angle is exact up to largest_angle; beyond it the C
// library takes over. float64 is the library's from the start.
struct Angle : Elementary {
  static bool beyond(float x) { return __builtin_fabsf(x) > largest_angle; }
  static bool beyond(double) = delete;
};
template <>
struct Function<Op::sin> : Angle {
  float operator()(float x) const { return sin(x); }
  double operator()(double x) const { return __builtin_sin(x); }
  static float library(float x) { return __builtin_sinf(x); }
};
template <>
struct Function<Op::cos> : Angle {
  float operator()(float x) const { return cos(x); }
  double operator()(double x) const { return __builtin_cos(x); }
  static float library(float x) { return __builtin_cosf(x); }
};
template <>
struct Function<Op::sigmoid> : Elementary {
  float operator()(float x) const { return sigmoid(x); }
  double operator()(double x) const {
    const double e = __builtin_exp(-__builtin_fabs(x));
    return (x < 0 ? e : 1) / (1 + e);
  }
};
template <>
struct Function<Op::softplus> : Elementary {
  float operator()(float x) const { return softplus(x); }
  double operator()(double x) const {
    return x > 20 ? x : __builtin_log1p(__builtin_exp(x));
  }
};
template <>
struct Function<Op::silu> : Elementary {
  auto operator()(auto x) const { return x * Function<Op::sigmoid>{}(x); }
};
template <>
struct Function<Op::gelu> : Elementary {
  // The error is 1e-7 |x|; to the left 1 + erf cancels, as it does in PyTorch.
  float operator()(float x) const { return 0.5f * x * (1 + erf(x * 0x1.6a09e6p-1f)); }
  double operator()(double x) const {
    return 0.5 * x * __builtin_erfc(x * -0x1.6a09e667f3bcdp-1);
  }
};
// (1 + tanh u) / 2 is sigmoid(2u), which does not cancel.
template <>
struct Function<Op::gelu_tanh> : Elementary {
  template <class T>
  T operator()(T x) const {
    const T inner = x + static_cast<T>(0.044715) * x * x * x;
    return x * Function<Op::sigmoid>{}(static_cast<T>(1.5957691216057308) *
                                       inner);  // 2 sqrt(2/pi)
  }
};

// Φ(x) + x φ(x), with the normal distribution function and its density.
template <>
struct Function<Op::gelu_slope> : Elementary {
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
template <>
struct Function<Op::gelu_tanh_slope> : Elementary {
  template <class T>
  T operator()(T x) const {
    const T c = static_cast<T>(0.044715), two_roots = static_cast<T>(1.5957691216057308);
    const T s = Function<Op::sigmoid>{}(two_roots * (x + c * x * x * x));
    return s + x * s * (1 - s) * (two_roots * (1 + 3 * c * x * x));
  }
};

template <>
struct Function<Op::add_scaled> : Numeric {
  template <class T>
  T operator()(T a, T b, T scale) const {
    return Function<Op::add>{}(a, Function<Op::mul>{}(scale, b));
  }
};
template <>
struct Function<Op::clamp> : Numeric {
  template <class T>
  T operator()(T x, T low, T high) const {
    const T held = x < low ? low : x;
    return held > high ? high : held;
  }
};
template <>
struct Function<Op::where> : AnyType {
  auto operator()(Bool condition, auto a, auto b) const { return condition ? a : b; }
};

}  // namespace
}  // namespace heed::kernels::HEED_KERNELS

#endif  // HEED_FORMULAS

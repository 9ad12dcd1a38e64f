// Operations that work on each element by itself, or on pairs of elements (where() on
// three) after broadcasting. The result is a new tensor, except of the functions in place
// at the end.
#pragma once

#include <optional>
#include <string_view>

#include "tensor/core/tensor.h"

namespace heed::kernels {

// The names of the ops. Their formulas, in formulas.h, tell the number of operands and
// the dtypes.
enum class Op {
  // of one operand
  abs,
  ceil,
  cos,
  erf,
  exp,
  expm1,
  floor,
  gelu,
  gelu_tanh,
  isfinite,
  isinf,
  isnan,
  log,
  log1p,
  logical_not,
  neg,
  reciprocal,
  relu,
  round,
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
  floor_divide,
  ge,
  gelu_backward,
  gelu_tanh_backward,
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
  remainder,
  sub,
  // of three
  add_scaled,  // a + c b
  clamp,       // a held between b and c
  where,       // a (bool) ? b : c; the last op
};
inline constexpr int op_count = static_cast<int>(Op::where) + 1;

}  // namespace heed::kernels

namespace heed {

namespace detail {
// The op of each element of x, or of each pair of elements of a and b, which broadcast.
// Throw Error, naming `name`, for a dtype that the op does not take, and when a and b do
// not fit.
Tensor unary(std::string_view name, kernels::Op op, const Tensor& x);
Tensor binary(std::string_view name, kernels::Op op, const Tensor& a, const Tensor& b);
Tensor binary(std::string_view name, kernels::Op op, const Tensor& a, Number b);
Tensor binary(std::string_view name, kernels::Op op, Number a, const Tensor& b);
// Throws Error, naming `name`, when the op takes no elements of `dtype`.
void check_takes(std::string_view name, kernels::Op op, DType dtype);
// Throws Error, naming `op`, when a result of this dtype cannot be written to `target`.
void check_result(std::string_view op, const Tensor& target, DType result);
// heed::add_() under the name of `op`.
void add_(std::string_view op, Tensor& target, const Tensor& x, double alpha);
}  // namespace detail

// --- pairs: a and b broadcast, and are computed in the dtype that promote() gives. All
// throw Error when the shapes do not broadcast, and for float32 beside float64.

Tensor operator+(const Tensor& a, const Tensor& b);
// Throws Error for bools too; ^ tells where two of them differ.
Tensor operator-(const Tensor& a, const Tensor& b);
Tensor operator*(const Tensor& a, const Tensor& b);
// True division: of integers and bools in float32.
Tensor operator/(const Tensor& a, const Tensor& b);
Tensor operator+(const Tensor& a, Number b);
Tensor operator-(const Tensor& a, Number b);
Tensor operator*(const Tensor& a, Number b);
Tensor operator/(const Tensor& a, Number b);
Tensor operator+(Number a, const Tensor& b);
Tensor operator-(Number a, const Tensor& b);
Tensor operator*(Number a, const Tensor& b);
Tensor operator/(Number a, const Tensor& b);

// a to the power b. The numbers 0.5 and -0.5 mean sqrt and rsqrt, as in PyTorch: they
// differ from other powers in -0 and -infinity. Throws Error for integers to a number
// below 0, and for two bools.
Tensor pow(const Tensor& a, const Tensor& b);
Tensor pow(const Tensor& a, Number b);
Tensor pow(Number a, const Tensor& b);

// a - b floor(a / b), whose sign is that of b: the % of Python. NaN for a floating b of
// 0. Throws Error for bool, and when an integer b is 0.
Tensor remainder(const Tensor& a, const Tensor& b);
Tensor remainder(const Tensor& a, Number b);
// a / b rounded down to a whole number, of the dtype of remainder(): the // of Python.
// Throws Error as remainder() does.
Tensor floor_divide(const Tensor& a, const Tensor& b);
Tensor floor_divide(const Tensor& a, Number b);
inline Tensor operator%(const Tensor& a, const Tensor& b) { return remainder(a, b); }
inline Tensor operator%(const Tensor& a, Number b) { return remainder(a, b); }

// The larger and the smaller of each pair; NaN if either is NaN.
Tensor maximum(const Tensor& a, const Tensor& b);
Tensor minimum(const Tensor& a, const Tensor& b);
Tensor maximum(const Tensor& a, Number b);
Tensor minimum(const Tensor& a, Number b);
// All products of an element of a (m) and one of b (n): (m, n). Throws Error unless both
// are 1-D.
Tensor outer(const Tensor& a, const Tensor& b);

// --- comparisons: a bool tensor, broadcast like the pairs above.

Tensor operator==(const Tensor& a, const Tensor& b);
Tensor operator!=(const Tensor& a, const Tensor& b);
Tensor operator<(const Tensor& a, const Tensor& b);
Tensor operator<=(const Tensor& a, const Tensor& b);
Tensor operator>(const Tensor& a, const Tensor& b);
Tensor operator>=(const Tensor& a, const Tensor& b);
Tensor operator==(const Tensor& a, Number b);
Tensor operator!=(const Tensor& a, Number b);
Tensor operator<(const Tensor& a, Number b);
Tensor operator<=(const Tensor& a, Number b);
Tensor operator>(const Tensor& a, Number b);
Tensor operator>=(const Tensor& a, Number b);
inline Tensor operator==(Number a, const Tensor& b) { return b == a; }
inline Tensor operator!=(Number a, const Tensor& b) { return b != a; }
inline Tensor operator<(Number a, const Tensor& b) { return b > a; }
inline Tensor operator<=(Number a, const Tensor& b) { return b >= a; }
inline Tensor operator>(Number a, const Tensor& b) { return b < a; }
inline Tensor operator>=(Number a, const Tensor& b) { return b <= a; }

// Logic on bool tensors, broadcast. Throw Error for other dtypes.
inline Tensor logical_and(const Tensor& a, const Tensor& b) {
  return detail::binary("logical_and", kernels::Op::logical_and, a, b);
}
inline Tensor logical_or(const Tensor& a, const Tensor& b) {
  return detail::binary("logical_or", kernels::Op::logical_or, a, b);
}
inline Tensor logical_xor(const Tensor& a, const Tensor& b) {
  return detail::binary("logical_xor", kernels::Op::logical_xor, a, b);
}
inline Tensor logical_not(const Tensor& x) {
  return detail::unary("logical_not", kernels::Op::logical_not, x);
}
inline Tensor operator&(const Tensor& a, const Tensor& b) { return logical_and(a, b); }
inline Tensor operator|(const Tensor& a, const Tensor& b) { return logical_or(a, b); }
inline Tensor operator^(const Tensor& a, const Tensor& b) { return logical_xor(a, b); }
inline Tensor operator!(const Tensor& x) { return logical_not(x); }
inline Tensor operator~(const Tensor& x) { return logical_not(x); }

Tensor isnan(const Tensor& x);
Tensor isinf(const Tensor& x);
Tensor isfinite(const Tensor& x);

// --- single elements. neg, abs, sign, square, floor, ceil, round and relu have results
// of x's dtype and throw Error for bool; the others make integers and bools float32.

inline Tensor neg(const Tensor& x) { return detail::unary("neg", kernels::Op::neg, x); }
inline Tensor operator-(const Tensor& x) { return neg(x); }
inline Tensor abs(const Tensor& x) { return detail::unary("abs", kernels::Op::abs, x); }
// -1, 0 or 1; NaN stays NaN.
inline Tensor sign(const Tensor& x) {
  return detail::unary("sign", kernels::Op::sign, x);
}
inline Tensor square(const Tensor& x) {
  return detail::unary("square", kernels::Op::square, x);
}
inline Tensor exp(const Tensor& x) { return detail::unary("exp", kernels::Op::exp, x); }
inline Tensor log(const Tensor& x) { return detail::unary("log", kernels::Op::log, x); }
// exp(x) - 1, exact for small x.
inline Tensor expm1(const Tensor& x) {
  return detail::unary("expm1", kernels::Op::expm1, x);
}
// log(1 + x), exact for small x.
inline Tensor log1p(const Tensor& x) {
  return detail::unary("log1p", kernels::Op::log1p, x);
}
inline Tensor sqrt(const Tensor& x) {
  return detail::unary("sqrt", kernels::Op::sqrt, x);
}
// 1 / sqrt(x)
inline Tensor rsqrt(const Tensor& x) {
  return detail::unary("rsqrt", kernels::Op::rsqrt, x);
}
// 1 / x
inline Tensor reciprocal(const Tensor& x) {
  return detail::unary("reciprocal", kernels::Op::reciprocal, x);
}
inline Tensor sin(const Tensor& x) { return detail::unary("sin", kernels::Op::sin, x); }
inline Tensor cos(const Tensor& x) { return detail::unary("cos", kernels::Op::cos, x); }
inline Tensor tanh(const Tensor& x) {
  return detail::unary("tanh", kernels::Op::tanh, x);
}
// 1 / (1 + exp(-x))
inline Tensor sigmoid(const Tensor& x) {
  return detail::unary("sigmoid", kernels::Op::sigmoid, x);
}
// The error function, 2/sqrt(pi) times the integral of exp(-t^2) from 0 to x.
inline Tensor erf(const Tensor& x) { return detail::unary("erf", kernels::Op::erf, x); }
// max(x, 0)
inline Tensor relu(const Tensor& x) {
  return detail::unary("relu", kernels::Op::relu, x);
}
// x sigmoid(x)
inline Tensor silu(const Tensor& x) {
  return detail::unary("silu", kernels::Op::silu, x);
}
// log(1 + exp(x)); x itself above 20, where float32 cannot tell them apart.
inline Tensor softplus(const Tensor& x) {
  return detail::unary("softplus", kernels::Op::softplus, x);
}

// Down, up, and to the nearest whole number, the even one of two equally near.
inline Tensor floor(const Tensor& x) {
  return detail::unary("floor", kernels::Op::floor, x);
}
inline Tensor ceil(const Tensor& x) {
  return detail::unary("ceil", kernels::Op::ceil, x);
}
inline Tensor round(const Tensor& x) {
  return detail::unary("round", kernels::Op::round, x);
}
// x where x > 0, else slope x.     (Maas, Hannun and Ng, 2013)
Tensor leaky_relu(const Tensor& x, double slope = 0.01);
// x where x > 0, else alpha (exp(x) - 1).     (Clevert, Unterthiner and Hochreiter, 2016)
Tensor elu(const Tensor& x, double alpha = 1);
// log sigmoid(x), which does not overflow.
Tensor logsigmoid(const Tensor& x);

enum class Gelu { exact, tanh };
// x Phi(x) with Phi the normal distribution function, or its tanh approximation
// 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))  (Hendrycks and Gimpel, 2016).
Tensor gelu(const Tensor& x, Gelu form = Gelu::exact);
// g gelu'(x), in one pass, for the gradient g of gelu(x), of x's dtype.
Tensor gelu_backward(const Tensor& g, const Tensor& x, Gelu form = Gelu::exact);

// x held between two bounds, either of which may be missing; NaN stays NaN. A bound of
// NaN makes every element NaN; with min > max every element is max. Throws Error for
// bool, and for a bound that is a fraction beside int64.
Tensor clamp(const Tensor& x, std::optional<double> min, std::optional<double> max);
inline Tensor clamp_min(const Tensor& x, double min) { return clamp(x, min, {}); }
inline Tensor clamp_max(const Tensor& x, double max) { return clamp(x, {}, max); }

// --- choosing

// a where `condition` (bool) holds, else b; all three broadcast. An element that is not
// chosen has no effect, not even if it is NaN. Throws Error for a condition that is not
// bool, and as the pairs above do.
Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b);
Tensor where(const Tensor& condition, const Tensor& a, Number b);
Tensor where(const Tensor& condition, Number a, const Tensor& b);
// Of two numbers: int64 if both are whole, bool if both are bools, else float32.
Tensor where(const Tensor& condition, Number a, Number b);
// x with `value` where `mask` (bool, broadcast to x's shape) holds. Throws Error when the
// mask is not bool or does not broadcast to x, or x's dtype cannot hold `value`.
Tensor masked_fill(const Tensor& x, const Tensor& mask, Number value);

// --- in place, for optimisers and the accumulation of gradients

// target += alpha x, where x broadcasts to target's shape. Throws Error when it does not,
// when the sum has another dtype than `target` (see promote()), for bools with another
// alpha than 1, and when `target` repeats elements, as expand() does.
void add_(Tensor& target, const Tensor& x, double alpha = 1);
// target *= factor. Throws Error when the dtype cannot hold `factor`, and when `target`
// repeats elements.
void mul_(Tensor& target, double factor);

}  // namespace heed

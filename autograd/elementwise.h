// The elementwise operations of tensor/elementwise/elementwise.h on Variables: the same
// names, shapes, values and errors, each with its derivative. A Tensor argument is a
// constant.
#pragma once

#include <optional>

#include "autograd/variable.h"
#include "tensor/elementwise/elementwise.h"
#include "tensor/reduce/comparing.h"

namespace heed {

Variable operator+(const Variable& a, const Variable& b);
Variable operator-(const Variable& a, const Variable& b);
Variable operator*(const Variable& a, const Variable& b);
Variable operator/(const Variable& a, const Variable& b);
Variable operator+(const Variable& a, Number b);
Variable operator-(const Variable& a, Number b);
Variable operator*(const Variable& a, Number b);
Variable operator/(const Variable& a, Number b);
Variable operator+(Number a, const Variable& b);
Variable operator-(Number a, const Variable& b);
Variable operator*(Number a, const Variable& b);
Variable operator/(Number a, const Variable& b);
Variable operator-(const Variable& x);
Variable pow(const Variable& a, const Variable& b);
Variable pow(const Variable& a, Number b);
Variable pow(Number a, const Variable& b);
Variable remainder(const Variable& a, const Variable& b);
Variable remainder(const Variable& a, Number b);
// Has no derivative.
Variable floor_divide(const Variable& a, const Variable& b);
Variable floor_divide(const Variable& a, Number b);
inline Variable operator%(const Variable& a, const Variable& b) {
  return remainder(a, b);
}
inline Variable operator%(const Variable& a, Number b) { return remainder(a, b); }
Variable maximum(const Variable& a, const Variable& b);
Variable minimum(const Variable& a, const Variable& b);
Variable maximum(const Variable& a, Number b);
Variable minimum(const Variable& a, Number b);

// Comparisons have no derivative: backward() from one throws Error, and other ops take it
// as a constant.
Variable operator==(const Variable& a, const Variable& b);
Variable operator!=(const Variable& a, const Variable& b);
Variable operator<(const Variable& a, const Variable& b);
Variable operator<=(const Variable& a, const Variable& b);
Variable operator>(const Variable& a, const Variable& b);
Variable operator>=(const Variable& a, const Variable& b);
Variable operator==(const Variable& a, Number b);
Variable operator!=(const Variable& a, Number b);
Variable operator<(const Variable& a, Number b);
Variable operator<=(const Variable& a, Number b);
Variable operator>(const Variable& a, Number b);
Variable operator>=(const Variable& a, Number b);
inline Variable operator==(Number a, const Variable& b) { return b == a; }
inline Variable operator!=(Number a, const Variable& b) { return b != a; }
inline Variable operator<(Number a, const Variable& b) { return b > a; }
inline Variable operator<=(Number a, const Variable& b) { return b >= a; }
inline Variable operator>(Number a, const Variable& b) { return b < a; }
inline Variable operator>=(Number a, const Variable& b) { return b <= a; }
// Logic gives constants: bools have no gradients.
inline Variable operator&(const Variable& a, const Variable& b) {
  return a.value() & b.value();
}
inline Variable operator|(const Variable& a, const Variable& b) {
  return a.value() | b.value();
}
inline Variable operator^(const Variable& a, const Variable& b) {
  return a.value() ^ b.value();
}
inline Variable operator!(const Variable& x) { return !x.value(); }
inline Variable operator~(const Variable& x) { return !x.value(); }
inline Variable logical_and(const Variable& a, const Variable& b) { return a & b; }
inline Variable logical_or(const Variable& a, const Variable& b) { return a | b; }
inline Variable logical_xor(const Variable& a, const Variable& b) { return a ^ b; }
inline Variable logical_not(const Variable& x) { return !x; }
inline Variable isnan(const Variable& x) { return isnan(x.value()); }
inline Variable isinf(const Variable& x) { return isinf(x.value()); }
inline Variable isfinite(const Variable& x) { return isfinite(x.value()); }
// Whether elements, or all of them, are equal or nearly so, as for Tensors
// (tensor/reduce/comparing.h); constants too.
inline Variable isclose(const Variable& a, const Variable& b, double rtol = 1e-5,
                        double atol = 1e-8, bool equal_nan = false) {
  return isclose(a.value(), b.value(), rtol, atol, equal_nan);
}
inline bool allclose(const Variable& a, const Variable& b, double rtol = 1e-5,
                     double atol = 1e-8, bool equal_nan = false) {
  return allclose(a.value(), b.value(), rtol, atol, equal_nan);
}
inline bool equal(const Variable& a, const Variable& b) {
  return equal(a.value(), b.value());
}

Variable neg(const Variable& x);
// The derivative at 0 is taken as 0.
Variable abs(const Variable& x);
// Has no derivative.
Variable sign(const Variable& x);
// Steps: their derivative is 0.
Variable floor(const Variable& x);
Variable ceil(const Variable& x);
Variable round(const Variable& x);
Variable square(const Variable& x);
Variable exp(const Variable& x);
Variable expm1(const Variable& x);
Variable log(const Variable& x);
Variable log1p(const Variable& x);
Variable sqrt(const Variable& x);
Variable rsqrt(const Variable& x);
Variable reciprocal(const Variable& x);
Variable sin(const Variable& x);
Variable cos(const Variable& x);
Variable tanh(const Variable& x);
Variable sigmoid(const Variable& x);
Variable erf(const Variable& x);
// The derivative at 0 is taken as 0.
Variable relu(const Variable& x);
Variable silu(const Variable& x);
Variable leaky_relu(const Variable& x, double slope = 0.01);
Variable elu(const Variable& x, double alpha = 1);
Variable logsigmoid(const Variable& x);
Variable softplus(const Variable& x);
Variable gelu(const Variable& x, Gelu form = Gelu::exact);
// The gradient also passes where x equals a bound.
Variable clamp(const Variable& x, std::optional<double> min, std::optional<double> max);
inline Variable clamp_min(const Variable& x, double min) { return clamp(x, min, {}); }
inline Variable clamp_max(const Variable& x, double max) { return clamp(x, {}, max); }

Variable where(const Variable& condition, const Variable& a, const Variable& b);
Variable where(const Variable& condition, const Variable& a, Number b);
Variable where(const Variable& condition, Number a, const Variable& b);
inline Variable where(const Variable& condition, Number a, Number b) {
  return where(condition.value(), a, b);
}
Variable masked_fill(const Variable& x, const Variable& mask, Number value);

// x as another dtype; its gradient is converted back to x's. Throws Error when x requires
// a gradient and `dtype` is not floating.
Variable to(const Variable& x, DType dtype);

}  // namespace heed

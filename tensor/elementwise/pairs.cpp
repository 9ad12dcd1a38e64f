// The ops of pairs of elements among those of tensor/elementwise/elementwise.h.
#include <algorithm>
#include <cmath>

#include "tensor/core/factories.h"
#include "tensor/core/views.h"
#include "tensor/elementwise/elementwise.h"

namespace heed {

using detail::binary;
using kernels::Op;

namespace {

// As in PyTorch bools are refused, also beside a number: a ^ b or !a is meant.
void check_no_bools(const Tensor& x) {
  check(
      x.dtype() != boolean,
      "sub: the dtype must not be bool, got {}; a ^ b tells where two differ, !a negates",
      x.dtype());
}

}  // namespace

Tensor operator+(const Tensor& a, const Tensor& b) {
  return binary("add", Op::add, a, b);
}
Tensor operator-(const Tensor& a, const Tensor& b) {
  check_no_bools(a);
  check_no_bools(b);
  return binary("sub", Op::sub, a, b);
}
Tensor operator*(const Tensor& a, const Tensor& b) {
  return binary("mul", Op::mul, a, b);
}
Tensor operator/(const Tensor& a, const Tensor& b) {
  return binary("div", Op::div, a, b);
}
Tensor operator+(const Tensor& a, Number b) { return binary("add", Op::add, a, b); }
Tensor operator-(const Tensor& a, Number b) {
  check_no_bools(a);
  return binary("sub", Op::sub, a, b);
}
Tensor operator*(const Tensor& a, Number b) { return binary("mul", Op::mul, a, b); }
Tensor operator/(const Tensor& a, Number b) {
  // By a power of two, multiplication has the same bits and takes a fifth of the time.
  int exponent = 0;
  if (is_floating(a.dtype()) && std::abs(std::frexp(b.real(), &exponent)) == 0.5 &&
      -100 < exponent && exponent < 100) {
    return binary("div", Op::mul, a, 1 / b.real());
  }
  return binary("div", Op::div, a, b);
}
Tensor operator+(Number a, const Tensor& b) { return binary("add", Op::add, a, b); }
Tensor operator-(Number a, const Tensor& b) {
  check_no_bools(b);
  return binary("sub", Op::sub, a, b);
}
Tensor operator*(Number a, const Tensor& b) { return binary("mul", Op::mul, a, b); }
Tensor operator/(Number a, const Tensor& b) { return binary("div", Op::div, a, b); }

Tensor pow(const Tensor& a, const Tensor& b) { return binary("pow", Op::pow, a, b); }
Tensor pow(Number a, const Tensor& b) { return binary("pow", Op::pow, a, b); }
Tensor pow(const Tensor& a, Number b) {
  const DType dtype = promote(a.dtype(), b);
  if (dtype != a.dtype()) return pow(a.to(dtype), b);
  check(is_floating(dtype) || b.real() >= 0,
        "pow: integers have no powers below 0, got {}; to(float32) converts a tensor",
        b.real());
  detail::check_takes("pow", Op::pow, dtype);
  if (b.real() == -2) return reciprocal(square(a));
  if (b.real() == -1) return reciprocal(a);
  if (b.real() == -0.5) return rsqrt(a);
  if (b.real() == 0) return ones_like(a);
  if (b.real() == 0.5) return sqrt(a);
  if (b.real() == 1) return a.clone();
  if (b.real() == 2) return square(a);
  if (b.real() == 3) return square(a) * a;
  return binary("pow", Op::pow, a, b);
}

namespace {

void check_divisor(std::string_view op, const Tensor& a, const Tensor& b) {
  if (is_floating(a.dtype()) || is_floating(b.dtype())) return;
  const Tensor zeros = b == 0;
  const bool* const is_zero = zeros.data<bool>();
  check(std::count(is_zero, is_zero + zeros.numel(), true) == 0,
        "{}: an integer cannot be divided by 0", op);
}
void check_divisor(std::string_view op, const Tensor& a, Number b) {
  check(is_floating(promote(a.dtype(), b)) || b.real() != 0,
        "{}: an integer cannot be divided by 0", op);
}

}  // namespace

Tensor remainder(const Tensor& a, const Tensor& b) {
  check_divisor("remainder", a, b);
  return binary("remainder", Op::remainder, a, b);
}
Tensor remainder(const Tensor& a, Number b) {
  check_divisor("remainder", a, b);
  return binary("remainder", Op::remainder, a, b);
}
Tensor floor_divide(const Tensor& a, const Tensor& b) {
  check_divisor("floor_divide", a, b);
  return binary("floor_divide", Op::floor_divide, a, b);
}
Tensor floor_divide(const Tensor& a, Number b) {
  check_divisor("floor_divide", a, b);
  return binary("floor_divide", Op::floor_divide, a, b);
}

Tensor maximum(const Tensor& a, const Tensor& b) {
  return binary("maximum", Op::maximum, a, b);
}
Tensor minimum(const Tensor& a, const Tensor& b) {
  return binary("minimum", Op::minimum, a, b);
}
Tensor maximum(const Tensor& a, Number b) { return binary("maximum", Op::maximum, a, b); }
Tensor minimum(const Tensor& a, Number b) { return binary("minimum", Op::minimum, a, b); }

Tensor outer(const Tensor& a, const Tensor& b) {
  check(a.dim() == 1 && b.dim() == 1, "outer: both must be 1-D, got {} and {}", a.shape(),
        b.shape());
  return binary("outer", Op::mul, unsqueeze(a, 1), b);
}

Tensor& Tensor::operator+=(const Tensor& x) & {
  heed::add_(*this, x);
  return *this;
}
Tensor& Tensor::operator-=(const Tensor& x) & {
  check_no_bools(*this);
  check_no_bools(x);
  detail::add_("sub_", *this, x, -1);
  return *this;
}
namespace {

// `result`, which is to be written over `target`: it must have its dtype.
const Tensor& of_same_dtype(std::string_view op, const Tensor& target,
                            const Tensor& result) {
  detail::check_result(op, target, result.dtype());
  return result;
}

}  // namespace

Tensor& Tensor::operator*=(const Tensor& x) & {
  return overwrite("mul_", of_same_dtype("mul_", *this, *this * x));
}
Tensor& Tensor::operator/=(const Tensor& x) & {
  return overwrite("div_", of_same_dtype("div_", *this, *this / x));
}
Tensor& Tensor::operator+=(Number x) & {
  return overwrite("add_", of_same_dtype("add_", *this, *this + x));
}
Tensor& Tensor::operator-=(Number x) & {
  return overwrite("sub_", of_same_dtype("sub_", *this, *this - x));
}
Tensor& Tensor::operator*=(Number x) & {
  return overwrite("mul_", of_same_dtype("mul_", *this, *this * x));
}
Tensor& Tensor::operator/=(Number x) & {
  return overwrite("div_", of_same_dtype("div_", *this, *this / x));
}

// --- comparisons

Tensor operator==(const Tensor& a, const Tensor& b) { return binary("eq", Op::eq, a, b); }
Tensor operator!=(const Tensor& a, const Tensor& b) { return binary("ne", Op::ne, a, b); }
Tensor operator<(const Tensor& a, const Tensor& b) { return binary("lt", Op::lt, a, b); }
Tensor operator<=(const Tensor& a, const Tensor& b) { return binary("le", Op::le, a, b); }
Tensor operator>(const Tensor& a, const Tensor& b) { return binary("gt", Op::gt, a, b); }
Tensor operator>=(const Tensor& a, const Tensor& b) { return binary("ge", Op::ge, a, b); }
Tensor operator==(const Tensor& a, Number b) { return binary("eq", Op::eq, a, b); }
Tensor operator!=(const Tensor& a, Number b) { return binary("ne", Op::ne, a, b); }
Tensor operator<(const Tensor& a, Number b) { return binary("lt", Op::lt, a, b); }
Tensor operator<=(const Tensor& a, Number b) { return binary("le", Op::le, a, b); }
Tensor operator>(const Tensor& a, Number b) { return binary("gt", Op::gt, a, b); }
Tensor operator>=(const Tensor& a, Number b) { return binary("ge", Op::ge, a, b); }

}  // namespace heed

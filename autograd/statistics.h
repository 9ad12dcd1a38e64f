// More of PyTorch's functions as composed.h has them: of pairs of numbers, of variables
// that were observed, and of several shapes.
#pragma once

#include <cstdlib>
#include <limits>
#include <optional>
#include <vector>

#include "autograd/composed.h"

namespace heed {

template <Array X>
bool is_floating_point(const X& x) {
  return is_floating(x.dtype());
}
template <Array X>
std::int64_t numel(const X& x) {
  return x.numel();
}

// --- elementwise

// x + value a / b
template <Array X, Array A, Array B>
Joint<X, Joint<A, B>> addcdiv(const X& x, const A& a, const B& b, Number value = 1) {
  return x + value * (a / b);
}
// What division towards zero leaves, of the sign of a; b may be a number.
template <Array A, class B>
Joint<A, B> fmod(const A& a, const B& b) {
  using std::abs;  // of a number; that of an array is found by its type
  // Below 0, where the lowest integer is in reach too.
  const auto divisor = -abs(b);
  return where(a < 0, remainder(a, divisor), -remainder(-a, divisor));
}
// What is behind the point, of the sign of x.
template <Array X>
X frac(const X& x) {
  return x - trunc(x);
}
// √(a² + b²). The squares are those of numbers up to 1, as those of a and b may be beyond
// what the dtype holds. An infinity counts more than NaN.
template <Array A, Array B>
Joint<A, B> hypot(const A& a, const B& b) {
  const Tensor largest = maximum(abs(detail::value_of(a)), abs(detail::value_of(b)));
  const Tensor scale = masked_fill(largest, (largest == 0) | ~isfinite(largest), 1);
  const Joint<A, B> y = scale * sqrt(square(a / scale) + square(b / scale));
  return masked_fill(y, isinf(a) | isinf(b), std::numeric_limits<double>::infinity());
}
template <Array X>
X deg2rad(const X& x) {
  return x * (std::numbers::pi / 180);
}
template <Array X>
X rad2deg(const X& x) {
  return x * (180 / std::numbers::pi);
}
// log(exp a + exp b), which does not overflow. Its derivative at +infinity is NaN.
template <Array A, Array B>
Joint<A, B> logaddexp(const A& a, const B& b) {
  using Y = Joint<A, B>;
  const Shape shape = broadcast("logaddexp", a.shape(), b.shape());
  const DType dtype = promote("logaddexp", a.dtype(), b.dtype());
  return logsumexp(stack({Y(expand(a, shape).to(dtype)), Y(expand(b, shape).to(dtype))}),
                   0);
}
// log(x / (1 - x)), the inverse of sigmoid; with eps x is held between eps and 1 - eps.
// Throws Error for an eps above 0.5.
template <Array X>
X logit(const X& x, std::optional<double> eps = {}) {
  check(!eps || *eps <= 0.5, "logit: eps must be at most 0.5, got {}", eps.value_or(0));
  if (!is_floating(x.dtype())) return logit(x.to(float32), eps);
  const X p = eps ? clamp(x, *eps, 1 - *eps) : x;
  return log(p / (1 - p));
}

// --- of observations

// The covariance matrix of the rows of x (variables, observations), as a scalar for one
// row (observations). Throws Error for other ranks.
template <Array X>
X cov(const X& x, Integer correction = 1);
// The matrix of correlation coefficients; 1 for a vector.
template <Array X>
X corrcoef(const X& x);

// Whether each element of x is among those of `among`; NaN never is. With `invert`
// whether it is not. That the elements differ (assume_unique) is of no use here.
template <Array X>
Tensor isin(const X& x, const Tensor& among, bool assume_unique = false,
            bool invert = false);

// --- of several shapes

Shape broadcast_shapes(const std::vector<Shape>& shapes);
template <Array X>
std::vector<X> broadcast_tensors(const std::vector<X>& tensors);
inline std::vector<Tensor> broadcast_tensors(std::initializer_list<Tensor> tensors) {
  return broadcast_tensors(std::vector(tensors));
}
inline std::vector<Variable> broadcast_tensors(std::initializer_list<Variable> tensors) {
  return broadcast_tensors(std::vector(tensors));
}

}  // namespace heed

#include "autograd/statistics.h"

#include <algorithm>
#include <cmath>

#include "tensor/reduce/counting.h"

namespace heed {

template <Array X>
X detail::norm_of_last(const char* op, const X& x, double p, Flag keepdim) {
  check(p > 0, "{}: p must be positive, got {}", op, p);
  if (p == 2) return norm(x, {-1}, keepdim);
  if (p == 1 || x.numel() == 0) return sum(abs(x), -1, keepdim);
  if (std::isinf(p)) return amax(abs(x), -1, keepdim);
  // The powers are kept from 0, where they may have no derivative.
  const Tensor zeros = detail::value_of(x) == 0;
  const X powers =
      sum(masked_fill(pow(masked_fill(abs(x), zeros, 1), p), zeros, 0), -1, keepdim);
  const Tensor is_zero = detail::value_of(powers) == 0;
  return masked_fill(pow(masked_fill(powers, is_zero, 1), 1 / p), is_zero, 0);
}

template <Array X>
X cov(const X& x, Integer correction) {
  check(x.dim() <= 2,
        "cov: x must be (observations) or (variables, observations), got {}", x.shape());
  if (!is_floating(x.dtype())) return cov(x.to(float32), correction);
  if (x.dim() == 0) return cov(unsqueeze(x, 0), correction);
  if (x.dim() == 2 && x.size(0) == 1) return cov(select(x, 0, 0), correction);
  const double degrees = std::max(0.0, static_cast<double>(x.size(-1)) - correction);
  const X rest = x - mean(x, -1, true);
  return (x.dim() == 1 ? dot(rest, rest) : matmul(rest, transpose(rest, 0, 1))) / degrees;
}

template <Array X>
X corrcoef(const X& x) {
  const X c = cov(x);
  if (c.dim() == 0) return c / c;
  const X deviation = sqrt(diag(c));
  return clamp(c / unsqueeze(deviation, 1) / deviation, -1, 1);
}

template <Array X>
Tensor isin(const X& x, const Tensor& among, bool, bool invert) {
  const DType dtype = promote("isin", x.dtype(), among.dtype());
  const Tensor elements = detail::value_of(x).to(dtype);
  const Tensor numbers = masked_select(among, among == among).to(dtype);  // without NaN
  const Tensor sorted = sort(numbers).values;
  const Tensor found =
      (searchsorted(sorted, elements, true) > searchsorted(sorted, elements)) &
      (elements == elements);
  return invert ? !found : found;
}

Shape broadcast_shapes(const std::vector<Shape>& shapes) {
  Shape joint;
  for (const Shape& shape : shapes) joint = broadcast("broadcast_shapes", joint, shape);
  return joint;
}

template <Array X>
std::vector<X> broadcast_tensors(const std::vector<X>& tensors) {
  Shape joint;
  for (const X& x : tensors) joint = broadcast("broadcast_tensors", joint, x.shape());
  std::vector<X> wide;
  for (const X& x : tensors) wide.push_back(expand(x, joint));
  return wide;
}

// For both kinds.
template Tensor detail::norm_of_last(const char*, const Tensor&, double, Flag);
template Variable detail::norm_of_last(const char*, const Variable&, double, Flag);
template Tensor cov(const Tensor&, Integer);
template Variable cov(const Variable&, Integer);
template Tensor corrcoef(const Tensor&);
template Variable corrcoef(const Variable&);
template Tensor isin(const Tensor&, const Tensor&, bool, bool);
template Tensor isin(const Variable&, const Tensor&, bool, bool);
template std::vector<Tensor> broadcast_tensors(const std::vector<Tensor>&);
template std::vector<Variable> broadcast_tensors(const std::vector<Variable>&);

}  // namespace heed

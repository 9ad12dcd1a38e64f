// More members of Tensor and Variable: those of functions of autograd/statistics.h,
// index_put.h and other headers.
#include "autograd/angles.h"
#include "autograd/factories.h"
#include "autograd/index_put.h"
#include "autograd/products.h"
#include "autograd/shapes.h"
#include "autograd/statistics.h"
#include "tensor/core/methods.h"

namespace heed {

template <class Self>
bool Methods<Self>::is_floating_point() const {
  return heed::is_floating_point(self());
}
template <class Self>
Self Methods<Self>::addcmul(const Self& a, const Self& b, Number value) const {
  return heed::addcmul(self(), a, b, value);
}
template <class Self>
Self Methods<Self>::addcdiv(const Self& a, const Self& b, Number value) const {
  return heed::addcdiv(self(), a, b, value);
}
template <class Self>
Self Methods<Self>::maximum(const Self& other) const {
  return heed::maximum(self(), other);
}
template <class Self>
Self Methods<Self>::minimum(const Self& other) const {
  return heed::minimum(self(), other);
}
template <class Self>
Self Methods<Self>::fmod(const Self& other) const {
  return heed::fmod(self(), other);
}
template <class Self>
Self Methods<Self>::fmod(Number other) const {
  return heed::fmod(self(), other);
}
template <class Self>
Self Methods<Self>::remainder(const Self& other) const {
  return heed::remainder(self(), other);
}
template <class Self>
Self Methods<Self>::remainder(Number other) const {
  return heed::remainder(self(), other);
}
template <class Self>
Self Methods<Self>::logaddexp(const Self& other) const {
  return heed::logaddexp(self(), other);
}
template <class Self>
Self Methods<Self>::logical_and(const Self& other) const {
  return heed::logical_and(self(), other);
}
template <class Self>
Self Methods<Self>::logical_or(const Self& other) const {
  return heed::logical_or(self(), other);
}
template <class Self>
Self Methods<Self>::where(const Self& condition, const Self& other) const {
  return heed::where(condition, self(), other);
}
template <class Self>
Self Methods<Self>::where(const Self& condition, Number other) const {
  return heed::where(condition, self(), other);
}
template <class Self>
Self Methods<Self>::isclose(const Self& other, double rtol, double atol,
                            bool equal_nan) const {
  return heed::isclose(self(), other, rtol, atol, equal_nan);
}
template <class Self>
bool Methods<Self>::allclose(const Self& other, double rtol, double atol,
                             bool equal_nan) const {
  return heed::allclose(self(), other, rtol, atol, equal_nan);
}
template <class Self>
bool Methods<Self>::equal(const Self& other) const {
  return heed::equal(self(), other);
}
template <class Self>
Self Methods<Self>::expm1() const {
  return heed::expm1(self());
}
template <class Self>
Self Methods<Self>::log1p() const {
  return heed::log1p(self());
}
template <class Self>
Self Methods<Self>::exp2() const {
  return heed::exp2(self());
}
template <class Self>
Self Methods<Self>::erf() const {
  return heed::erf(self());
}
template <class Self>
Self Methods<Self>::logit(std::optional<double> eps) const {
  return heed::logit(self(), eps);
}
template <class Self>
Self Methods<Self>::nan_to_num(double nan, std::optional<double> posinf,
                               std::optional<double> neginf) const {
  return heed::nan_to_num(self(), nan, posinf, neginf);
}
template <class Self>
Self Methods<Self>::clamp_min(double min) const {
  return heed::clamp_min(self(), min);
}
template <class Self>
Self Methods<Self>::clamp_max(double max) const {
  return heed::clamp_max(self(), max);
}
template <class Self>
Self Methods<Self>::outer(const Self& other) const {
  return heed::outer(self(), other);
}
template <class Self>
Self Methods<Self>::cov(Integer correction) const {
  return heed::cov(self(), correction);
}
template <class Self>
Self Methods<Self>::corrcoef() const {
  return heed::corrcoef(self());
}
template <class Self>
WithIndices<Self> Methods<Self>::cummax(Dim dim) const {
  return heed::cummax(self(), dim);
}
template <class Self>
WithIndices<Self> Methods<Self>::cummin(Dim dim) const {
  return heed::cummin(self(), dim);
}
template <class Self>
Self Methods<Self>::view_as(const Self& other) const {
  return heed::view(self(), other.shape());
}
template <class Self>
Self Methods<Self>::reshape_as(const Self& other) const {
  return heed::reshape(self(), other.shape());
}
template <class Self>
Self Methods<Self>::expand_as(const Self& other) const {
  return heed::expand(self(), other.shape());
}
template <class Self>
Self Methods<Self>::type_as(const Self& other) const {
  return self().to(other.dtype());
}
template <class Self>
Self Methods<Self>::index_fill(Dim dim, const Tensor& index, Number value) const {
  return heed::index_fill(self(), dim, index, value);
}
template <class Self>
Self Methods<Self>::index_put(const Indices& indices, const Self& values,
                              bool accumulate) const {
  return heed::index_put(self(), indices, values, accumulate);
}
template <class Self>
Tensor Methods<Self>::new_zeros(const Shape& shape, std::optional<DType> dtype) const {
  return heed::zeros(shape, dtype.value_or(self().dtype()));
}
template <class Self>
Tensor Methods<Self>::new_ones(const Shape& shape, std::optional<DType> dtype) const {
  return heed::ones(shape, dtype.value_or(self().dtype()));
}
template <class Self>
Tensor Methods<Self>::new_empty(const Shape& shape, std::optional<DType> dtype) const {
  return heed::empty(shape, dtype.value_or(self().dtype()));
}
template <class Self>
Tensor Methods<Self>::new_full(const Shape& shape, Number value,
                               std::optional<DType> dtype) const {
  return heed::full(shape, value, dtype.value_or(self().dtype()));
}

template <class Self>
Self Methods<Self>::fliplr() const {
  return heed::fliplr(self());
}
template <class Self>
Self Methods<Self>::flipud() const {
  return heed::flipud(self());
}
template <class Self>
Self Methods<Self>::frac() const {
  return heed::frac(self());
}
template <class Self>
Self Methods<Self>::asin() const {
  return heed::asin(self());
}
template <class Self>
Self Methods<Self>::acos() const {
  return heed::acos(self());
}
template <class Self>
Self Methods<Self>::atan() const {
  return heed::atan(self());
}
template <class Self>
Self Methods<Self>::sinh() const {
  return heed::sinh(self());
}
template <class Self>
Self Methods<Self>::cosh() const {
  return heed::cosh(self());
}
template <class Self>
Self Methods<Self>::kron(const Self& other) const {
  return heed::kron(self(), other);
}
template <class Self>
Self Methods<Self>::cross(const Self& other, std::optional<Dim> dim) const {
  return heed::cross(self(), other, dim);
}
template <class Self>
Self Methods<Self>::matrix_power(Integer n) const {
  return heed::matrix_power(self(), n);
}
template <class Self>
Self Methods<Self>::repeat_interleave(const Tensor& repeats) const {
  return heed::repeat_interleave(self(), repeats);
}
template <class Self>
Self Methods<Self>::repeat_interleave(const Tensor& repeats, Dim dim) const {
  return heed::repeat_interleave(self(), repeats, dim);
}
template <class Self>
std::vector<Self> Methods<Self>::tensor_split(Integer sections, Dim dim) const {
  return heed::tensor_split(self(), sections, dim);
}

template class Methods<Tensor>;
template class Methods<Variable>;

}  // namespace heed

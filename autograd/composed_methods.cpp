// The members of Tensor and Variable that are functions of autograd/composed.h, and some
// of other headers.
#include "autograd/composed.h"
#include "tensor/core/methods.h"
#include "tensor/reduce/counting.h"

namespace heed {

template <class Self>
Self Methods<Self>::add(const Self& other) const {
  return heed::add(self(), other);
}
template <class Self>
Self Methods<Self>::sub(const Self& other) const {
  return heed::sub(self(), other);
}
template <class Self>
Self Methods<Self>::mul(const Self& other) const {
  return heed::mul(self(), other);
}
template <class Self>
Self Methods<Self>::div(const Self& other) const {
  return heed::div(self(), other);
}
template <class Self>
Self Methods<Self>::eq(const Self& other) const {
  return heed::eq(self(), other);
}
template <class Self>
Self Methods<Self>::ne(const Self& other) const {
  return heed::ne(self(), other);
}
template <class Self>
Self Methods<Self>::lt(const Self& other) const {
  return heed::lt(self(), other);
}
template <class Self>
Self Methods<Self>::le(const Self& other) const {
  return heed::le(self(), other);
}
template <class Self>
Self Methods<Self>::gt(const Self& other) const {
  return heed::gt(self(), other);
}
template <class Self>
Self Methods<Self>::ge(const Self& other) const {
  return heed::ge(self(), other);
}
template <class Self>
Self Methods<Self>::add(Number other) const {
  return heed::add(self(), other);
}
template <class Self>
Self Methods<Self>::sub(Number other) const {
  return heed::sub(self(), other);
}
template <class Self>
Self Methods<Self>::mul(Number other) const {
  return heed::mul(self(), other);
}
template <class Self>
Self Methods<Self>::div(Number other) const {
  return heed::div(self(), other);
}
template <class Self>
Self Methods<Self>::eq(Number other) const {
  return heed::eq(self(), other);
}
template <class Self>
Self Methods<Self>::ne(Number other) const {
  return heed::ne(self(), other);
}
template <class Self>
Self Methods<Self>::lt(Number other) const {
  return heed::lt(self(), other);
}
template <class Self>
Self Methods<Self>::le(Number other) const {
  return heed::le(self(), other);
}
template <class Self>
Self Methods<Self>::gt(Number other) const {
  return heed::gt(self(), other);
}
template <class Self>
Self Methods<Self>::ge(Number other) const {
  return heed::ge(self(), other);
}
template <class Self>
Self Methods<Self>::neg() const {
  return heed::neg(self());
}
template <class Self>
Self Methods<Self>::reciprocal() const {
  return heed::reciprocal(self());
}
template <class Self>
Self Methods<Self>::rsqrt() const {
  return heed::rsqrt(self());
}
template <class Self>
Self Methods<Self>::log2() const {
  return heed::log2(self());
}
template <class Self>
Self Methods<Self>::log10() const {
  return heed::log10(self());
}
template <class Self>
Self Methods<Self>::tan() const {
  return heed::tan(self());
}
template <class Self>
Self Methods<Self>::trunc() const {
  return heed::trunc(self());
}
template <class Self>
Self Methods<Self>::round(Integer decimals) const {
  return heed::round(self(), decimals);
}
template <class Self>
Self Methods<Self>::clip(std::optional<double> min, std::optional<double> max) const {
  return heed::clip(self(), min, max);
}
template <class Self>
Self Methods<Self>::isnan() const {
  return heed::isnan(self());
}
template <class Self>
Self Methods<Self>::isinf() const {
  return heed::isinf(self());
}
template <class Self>
Self Methods<Self>::isfinite() const {
  return heed::isfinite(self());
}
template <class Self>
Self Methods<Self>::logical_not() const {
  return heed::logical_not(self());
}
template <class Self>
Self Methods<Self>::lerp(const Self& end, double weight) const {
  return heed::lerp(self(), end, weight);
}
template <class Self>
Self Methods<Self>::mm(const Self& other) const {
  return heed::mm(self(), other);
}
template <class Self>
Self Methods<Self>::bmm(const Self& other) const {
  return heed::bmm(self(), other);
}
template <class Self>
Self Methods<Self>::mv(const Self& vector) const {
  return heed::mv(self(), vector);
}
template <class Self>
Self Methods<Self>::dot(const Self& other) const {
  return heed::dot(self(), other);
}
template <class Self>
Self Methods<Self>::trace() const {
  return heed::trace(self());
}
template <class Self>
Self Methods<Self>::diag(Integer diagonal) const {
  return heed::diag(self(), diagonal);
}
template <class Self>
Self Methods<Self>::diagonal() const {
  return heed::diagonal(self());
}
template <class Self>
Self Methods<Self>::count_nonzero(const Dims& dims) const {
  return heed::count_nonzero(self(), dims);
}
template <class Self>
Self Methods<Self>::nansum(const Dims& dims, Flag keepdim) const {
  return heed::nansum(self(), dims, keepdim);
}
template <class Self>
Self Methods<Self>::nanmean(const Dims& dims, Flag keepdim) const {
  return heed::nanmean(self(), dims, keepdim);
}
template <class Self>
Self Methods<Self>::median() const {
  return heed::median(self());
}
template <class Self>
WithIndices<Self> Methods<Self>::median(Dim dim, Flag keepdim) const {
  return heed::median(self(), dim, keepdim);
}
template <class Self>
WithIndices<Self> Methods<Self>::kthvalue(Integer k, Dim dim, Flag keepdim) const {
  return heed::kthvalue(self(), k, dim, keepdim);
}
template <class Self>
Self Methods<Self>::quantile(double q) const {
  return heed::quantile(self(), q);
}
template <class Self>
Self Methods<Self>::quantile(double q, Dim dim, Flag keepdim) const {
  return heed::quantile(self(), q, dim, keepdim);
}
template <class Self>
Self Methods<Self>::cumprod(Dim dim) const {
  return heed::cumprod(self(), dim);
}
template <class Self>
Self Methods<Self>::diff(Integer n, Dim dim) const {
  return heed::diff(self(), n, dim);
}
template <class Self>
std::vector<Self> Methods<Self>::unbind(Dim dim) const {
  return heed::unbind(self(), dim);
}
template <class Self>
Self Methods<Self>::tile(const Shape& repeats) const {
  return heed::tile(self(), repeats);
}
template <class Self>
Self Methods<Self>::movedim(const Dims& source, const Dims& destination) const {
  return heed::movedim(self(), source, destination);
}
template <class Self>
Self Methods<Self>::swapaxes(Dim a, Dim b) const {
  return heed::swapaxes(self(), a, b);
}
template <class Self>
Self Methods<Self>::unflatten(Dim dim, const Shape& sizes) const {
  return heed::unflatten(self(), dim, sizes);
}
template <class Self>
Self Methods<Self>::narrow(Dim dim, Integer start, Size length) const {
  return heed::narrow(self(), dim, start, length);
}
template <class Self>
Self Methods<Self>::ravel() const {
  return heed::ravel(self());
}
template <class Self>
Self Methods<Self>::broadcast_to(const Shape& shape) const {
  return heed::broadcast_to(self(), shape);
}
template <class Self>
Self Methods<Self>::roll(Integer shift) const {
  return heed::roll(self(), shift);
}
template <class Self>
Self Methods<Self>::roll(Integer shift, Dim dim) const {
  return heed::roll(self(), shift, dim);
}
template <class Self>
Self Methods<Self>::take(const Tensor& index) const {
  return heed::take(self(), index);
}
template <class Self>
Self Methods<Self>::scatter(Dim dim, const Tensor& index, const Self& source) const {
  return heed::scatter(self(), dim, index, source);
}
template <class Self>
Self Methods<Self>::scatter(Dim dim, const Tensor& index, Number value) const {
  return heed::scatter(self(), dim, index, value);
}
template <class Self>
Self Methods<Self>::scatter_add(Dim dim, const Tensor& index, const Self& source) const {
  return heed::scatter_add(self(), dim, index, source);
}
template <class Self>
Self Methods<Self>::index_add(Dim dim, const Tensor& index, const Self& source,
                              Number alpha) const {
  return heed::index_add(self(), dim, index, source, alpha);
}
template <class Self>
Tensor Methods<Self>::nonzero() const {
  return heed::nonzero(detail::value_of(self()));
}
template <class Self>
Tensor Methods<Self>::unique() const {
  return heed::unique(detail::value_of(self()));
}

template class Methods<Tensor>;
template class Methods<Variable>;

}  // namespace heed

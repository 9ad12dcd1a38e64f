// The members of Tensor and Variable that write over the elements.
#include "autograd/index_put.h"
#include "autograd/statistics.h"
#include "tensor/core/methods.h"
#include "tensor/core/tensor_iterator.h"

namespace heed {

template <class Self>
Self& Methods<Self>::write(const char* name, const Self& result) {
  Self& x = static_cast<Self&>(*this);
  detail::check_writes_over(name, detail::value_of(x), detail::value_of(result));
  if (x.numel() > 0) check_distinct(name, detail::value_of(x));
  if constexpr (std::same_as<Self, Variable>) {
    Tensor target = x.writable(name);
    check(!grad_enabled() || !result.requires_grad(), "{}: {}", name,
          detail::unrecorded_write);
    target.copy_(result.value());
  } else {
    x.copy_(result);
  }
  return x;
}

template <class Self>
Self& Methods<Self>::add_(const Self& other, Number alpha) {
  return write("add_", heed::add(self(), other, alpha));
}
template <class Self>
Self& Methods<Self>::add_(Number other) {
  return write("add_", heed::add(self(), other));
}
template <class Self>
Self& Methods<Self>::sub_(const Self& other, Number alpha) {
  return write("sub_", heed::sub(self(), other, alpha));
}
template <class Self>
Self& Methods<Self>::sub_(Number other) {
  return write("sub_", heed::sub(self(), other));
}
template <class Self>
Self& Methods<Self>::mul_(const Self& other) {
  return write("mul_", heed::mul(self(), other));
}
template <class Self>
Self& Methods<Self>::mul_(Number other) {
  return write("mul_", heed::mul(self(), other));
}
template <class Self>
Self& Methods<Self>::div_(const Self& other) {
  return write("div_", heed::div(self(), other));
}
template <class Self>
Self& Methods<Self>::div_(Number other) {
  return write("div_", heed::div(self(), other));
}
template <class Self>
Self& Methods<Self>::addcmul_(const Self& a, const Self& b, Number value) {
  return write("addcmul_", heed::addcmul(self(), a, b, value));
}
template <class Self>
Self& Methods<Self>::addcdiv_(const Self& a, const Self& b, Number value) {
  return write("addcdiv_", heed::addcdiv(self(), a, b, value));
}
template <class Self>
Self& Methods<Self>::lerp_(const Self& end, double weight) {
  return write("lerp_", heed::lerp(self(), end, weight));
}
template <class Self>
Self& Methods<Self>::clamp_(std::optional<double> min, std::optional<double> max) {
  return write("clamp_", heed::clamp(self(), min, max));
}
template <class Self>
Self& Methods<Self>::clamp_min_(double min) {
  return write("clamp_min_", heed::clamp_min(self(), min));
}
template <class Self>
Self& Methods<Self>::clamp_max_(double max) {
  return write("clamp_max_", heed::clamp_max(self(), max));
}
template <class Self>
Self& Methods<Self>::neg_() {
  return write("neg_", heed::neg(self()));
}
template <class Self>
Self& Methods<Self>::exp_() {
  return write("exp_", heed::exp(self()));
}
template <class Self>
Self& Methods<Self>::sqrt_() {
  return write("sqrt_", heed::sqrt(self()));
}
template <class Self>
Self& Methods<Self>::relu_() {
  return write("relu_", heed::relu(self()));
}
template <class Self>
Self& Methods<Self>::index_fill_(Dim dim, const Tensor& index, Number value) {
  return write("index_fill_", heed::index_fill(self(), dim, index, value));
}
template <class Self>
Self& Methods<Self>::index_add_(Dim dim, const Tensor& index, const Self& source,
                                Number alpha) {
  return write("index_add_", heed::index_add(self(), dim, index, source, alpha));
}
template <class Self>
Self& Methods<Self>::index_put_(const Indices& indices, const Self& values,
                                bool accumulate) {
  return write("index_put_", heed::index_put(self(), indices, values, accumulate));
}
template <class Self>
Self& Methods<Self>::scatter_(Dim dim, const Tensor& index, const Self& source) {
  return write("scatter_", heed::scatter(self(), dim, index, source));
}
template <class Self>
Self& Methods<Self>::scatter_(Dim dim, const Tensor& index, Number value) {
  return write("scatter_", heed::scatter(self(), dim, index, value));
}
template <class Self>
Self& Methods<Self>::scatter_add_(Dim dim, const Tensor& index, const Self& source) {
  return write("scatter_add_", heed::scatter_add(self(), dim, index, source));
}
template <class Self>
Self& Methods<Self>::fill_diagonal_(Number value) {
  check(self().dim() == 2, "fill_diagonal_: it must be a matrix, got the shape {}",
        self().shape());
  const auto [rows, columns] = self().shape().template sizes<2>();
  const Tensor diagonal = eye(rows, columns, boolean);
  return write("fill_diagonal_", heed::masked_fill(self(), diagonal, value));
}

template class Methods<Tensor>;
template class Methods<Variable>;

}  // namespace heed

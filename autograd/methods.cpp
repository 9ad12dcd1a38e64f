// The members of Tensor and Variable that are functions of the same name.
#include "tensor/core/methods.h"

#include "autograd/elementwise.h"
#include "autograd/index_put.h"
#include "autograd/indexing.h"
#include "autograd/joining.h"
#include "autograd/matmul.h"
#include "autograd/reductions.h"
#include "autograd/softmax.h"
#include "autograd/sorting.h"
#include "autograd/views.h"

namespace heed {

template <class Self>
Self Methods<Self>::sum(const Dims& dims, Flag keepdim) const {
  return heed::sum(self(), dims, keepdim);
}
template <class Self>
Self Methods<Self>::mean(const Dims& dims, Flag keepdim) const {
  return heed::mean(self(), dims, keepdim);
}
template <class Self>
Self Methods<Self>::prod(const Dims& dims, Flag keepdim) const {
  return heed::prod(self(), dims, keepdim);
}
template <class Self>
Self Methods<Self>::var(const Dims& dims, Integer correction, Flag keepdim) const {
  return heed::var(self(), dims, correction, keepdim);
}
template <class Self>
Self Methods<Self>::std(const Dims& dims, Integer correction, Flag keepdim) const {
  return heed::std(self(), dims, correction, keepdim);
}
template <class Self>
Self Methods<Self>::norm(const Dims& dims, Flag keepdim) const {
  return heed::norm(self(), dims, keepdim);
}
template <class Self>
Self Methods<Self>::any(const Dims& dims, Flag keepdim) const {
  return heed::any(self(), dims, keepdim);
}
template <class Self>
Self Methods<Self>::all(const Dims& dims, Flag keepdim) const {
  return heed::all(self(), dims, keepdim);
}
template <class Self>
Self Methods<Self>::max() const {
  return heed::max(self());
}
template <class Self>
Self Methods<Self>::min() const {
  return heed::min(self());
}
template <class Self>
WithIndices<Self> Methods<Self>::max(Dim dim, Flag keepdim) const {
  return heed::max(self(), dim, keepdim);
}
template <class Self>
WithIndices<Self> Methods<Self>::min(Dim dim, Flag keepdim) const {
  return heed::min(self(), dim, keepdim);
}
template <class Self>
Self Methods<Self>::argmax() const {
  return heed::argmax(self());
}
template <class Self>
Self Methods<Self>::argmin() const {
  return heed::argmin(self());
}
template <class Self>
Self Methods<Self>::argmax(Dim dim, Flag keepdim) const {
  return heed::argmax(self(), dim, keepdim);
}
template <class Self>
Self Methods<Self>::argmin(Dim dim, Flag keepdim) const {
  return heed::argmin(self(), dim, keepdim);
}
template <class Self>
Self Methods<Self>::amax(const Dims& dims, Flag keepdim) const {
  return heed::amax(self(), dims, keepdim);
}
template <class Self>
Self Methods<Self>::amin(const Dims& dims, Flag keepdim) const {
  return heed::amin(self(), dims, keepdim);
}
template <class Self>
WithIndices<Self> Methods<Self>::sort(Dim dim, bool descending) const {
  return heed::sort(self(), dim, descending);
}
template <class Self>
Self Methods<Self>::argsort(Dim dim, bool descending) const {
  return heed::argsort(self(), dim, descending);
}
template <class Self>
WithIndices<Self> Methods<Self>::topk(Size k, Dim dim, bool largest) const {
  return heed::topk(self(), k, dim, largest);
}
template <class Self>
Self Methods<Self>::reshape(const Shape& shape) const {
  return heed::reshape(self(), shape);
}
template <class Self>
Self Methods<Self>::view(const Shape& shape) const {
  return heed::view(self(), shape);
}
template <class Self>
Self Methods<Self>::flatten(Dim start, Dim end) const {
  return heed::flatten(self(), start, end);
}
template <class Self>
Self Methods<Self>::transpose(Dim a, Dim b) const {
  return heed::transpose(self(), a, b);
}
template <class Self>
Self Methods<Self>::t() const {
  check(self().dim() == 2, "t: it must be a matrix, got {}", self().shape());
  return heed::transpose(self(), 0, 1);
}
template <class Self>
Self Methods<Self>::permute(const Dims& dims) const {
  return heed::permute(self(), dims);
}
template <class Self>
Self Methods<Self>::expand(const Shape& shape) const {
  return heed::expand(self(), shape);
}
template <class Self>
Self Methods<Self>::squeeze() const {
  return heed::squeeze(self());
}
template <class Self>
Self Methods<Self>::squeeze(Dim dim) const {
  return heed::squeeze(self(), dim);
}
template <class Self>
Self Methods<Self>::unsqueeze(Dim dim) const {
  return heed::unsqueeze(self(), dim);
}
template <class Self>
Self Methods<Self>::repeat(const Shape& repeats) const {
  return heed::repeat(self(), repeats);
}
template <class Self>
Self Methods<Self>::repeat_interleave(Integer repeats) const {
  return heed::repeat_interleave(self(), repeats);
}
template <class Self>
Self Methods<Self>::repeat_interleave(Integer repeats, Dim dim) const {
  return heed::repeat_interleave(self(), repeats, dim);
}
template <class Self>
Self Methods<Self>::flip(const Dims& dims) const {
  return heed::flip(self(), dims);
}
template <class Self>
Self Methods<Self>::tril(Integer diagonal) const {
  return heed::tril(self(), diagonal);
}
template <class Self>
Self Methods<Self>::triu(Integer diagonal) const {
  return heed::triu(self(), diagonal);
}
template <class Self>
Self Methods<Self>::abs() const {
  return heed::abs(self());
}
template <class Self>
Self Methods<Self>::exp() const {
  return heed::exp(self());
}
template <class Self>
Self Methods<Self>::log() const {
  return heed::log(self());
}
template <class Self>
Self Methods<Self>::sqrt() const {
  return heed::sqrt(self());
}
template <class Self>
Self Methods<Self>::square() const {
  return heed::square(self());
}
template <class Self>
Self Methods<Self>::sign() const {
  return heed::sign(self());
}
template <class Self>
Self Methods<Self>::floor() const {
  return heed::floor(self());
}
template <class Self>
Self Methods<Self>::ceil() const {
  return heed::ceil(self());
}
template <class Self>
Self Methods<Self>::round() const {
  return heed::round(self());
}
template <class Self>
Self Methods<Self>::pow(Number exponent) const {
  return heed::pow(self(), exponent);
}
template <class Self>
Self Methods<Self>::sin() const {
  return heed::sin(self());
}
template <class Self>
Self Methods<Self>::cos() const {
  return heed::cos(self());
}
template <class Self>
Self Methods<Self>::tanh() const {
  return heed::tanh(self());
}
template <class Self>
Self Methods<Self>::sigmoid() const {
  return heed::sigmoid(self());
}
template <class Self>
Self Methods<Self>::relu() const {
  return heed::relu(self());
}
template <class Self>
Self Methods<Self>::clamp(std::optional<double> min, std::optional<double> max) const {
  return heed::clamp(self(), min, max);
}
template <class Self>
Self Methods<Self>::softmax(Dim dim) const {
  return heed::softmax(self(), dim);
}
template <class Self>
Self Methods<Self>::log_softmax(Dim dim) const {
  return heed::log_softmax(self(), dim);
}
template <class Self>
Self Methods<Self>::logsumexp(const Dims& dims, Flag keepdim) const {
  return heed::logsumexp(self(), dims, keepdim);
}
template <class Self>
Self Methods<Self>::cumsum(Dim dim) const {
  return heed::cumsum(self(), dim);
}
template <class Self>
Self Methods<Self>::matmul(const Self& other) const {
  return heed::matmul(self(), other);
}
template <class Self>
Self Methods<Self>::operator[](Integer i) const {
  return heed::select(self(), 0, i);
}
template <class Self>
Self Methods<Self>::operator[](const Tensor& index) const {
  if (index.dtype() != boolean) return heed::index(self(), {index});
  const Shape& shape = self().shape();
  bool fits = 0 < index.dim() && index.dim() <= shape.rank();
  for (int d = 0; fits && d < index.dim(); ++d) fits = index.size(d) == shape[d];
  check(fits, "x[mask]: the mask must have the first sizes of x, got {} and {}", shape,
        index.shape());
  return flatten(0, index.dim() - 1)
      .index_select(0, heed::nonzero(index.reshape({-1})).reshape({-1}));
}
template <class Self>
Self Methods<Self>::slice(Dim dim, Integer start, Integer stop, Integer step) const {
  return heed::slice(self(), dim, start, stop, step);
}
template <class Self>
std::vector<Self> Methods<Self>::split(Size size, Dim dim) const {
  return heed::split(self(), size, dim);
}
template <class Self>
std::vector<Self> Methods<Self>::split(std::initializer_list<Integer> sizes,
                                       Dim dim) const {
  return split(std::vector<std::int64_t>(sizes.begin(), sizes.end()), dim);
}
template <class Self>
std::vector<Self> Methods<Self>::split(const std::vector<std::int64_t>& sizes,
                                       Dim dim) const {
  return heed::split_with_sizes(self(), sizes, dim);
}
template <class Self>
std::vector<Self> Methods<Self>::chunk(Size chunks, Dim dim) const {
  return heed::chunk(self(), chunks, dim);
}
template <class Self>
Self Methods<Self>::select(Dim dim, Integer index) const {
  return heed::select(self(), dim, index);
}
template <class Self>
Self Methods<Self>::index_select(Dim dim, const Tensor& index) const {
  return heed::index_select(self(), dim, index);
}
template <class Self>
Self Methods<Self>::gather(Dim dim, const Tensor& index) const {
  return heed::gather(self(), dim, index);
}
template <class Self>
Self Methods<Self>::masked_select(const Tensor& mask) const {
  return heed::masked_select(self(), mask);
}
template <class Self>
Self Methods<Self>::masked_fill(const Self& mask, Number value) const {
  return heed::masked_fill(self(), mask, value);
}

template class Methods<Tensor>;
template class Methods<Variable>;

}  // namespace heed

// The functions that PyTorch's programs call as members: x.sum() is sum(x).
#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <vector>

#include "tensor/core/dtype.h"
#include "tensor/core/number.h"
#include "tensor/core/shape.h"

namespace heed {

class Tensor;
class Indices;
template <class T>
struct WithIndices;

// The place of a loop over the first dimension, for (Tensor row : x). It holds the
// tensor, so that x may be a temporary.
template <class Self>
class RowIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = Self;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = Self;

  RowIterator(const Self& x, std::int64_t row) : x_(x), row_(row) {}
  Self operator*() const { return x_[row_]; }
  RowIterator& operator++() {
    ++row_;
    return *this;
  }
  bool operator==(const RowIterator& other) const { return row_ == other.row_; }

 private:
  Self x_;
  std::int64_t row_;
};

// The base of Tensor and of Variable, so that both have one list. What a member does, and
// throws, is said where the function of its name is declared. The members are defined in
// autograd/methods.cpp and the other *methods.cpp there; they call that function.
template <class Self>
class [[nodiscard]] Methods {
 public:
  Self sum(const Dims& dims = {}, Flag keepdim = false) const;
  Self mean(const Dims& dims = {}, Flag keepdim = false) const;
  Self prod(const Dims& dims = {}, Flag keepdim = false) const;
  Self var(const Dims& dims = {}, Integer correction = 1, Flag keepdim = false) const;
  Self std(const Dims& dims = {}, Integer correction = 1, Flag keepdim = false) const;
  Self norm(const Dims& dims = {}, Flag keepdim = false) const;
  template <std::integral T>
  Self norm(T power_or_dim, Flag keepdim = false) const = delete;
  Self any(const Dims& dims = {}, Flag keepdim = false) const;
  Self all(const Dims& dims = {}, Flag keepdim = false) const;
  Self max() const;
  Self min() const;
  WithIndices<Self> max(Dim dim, Flag keepdim = false) const;
  WithIndices<Self> min(Dim dim, Flag keepdim = false) const;
  Self argmax() const;
  Self argmin() const;
  Self argmax(Dim dim, Flag keepdim = false) const;
  Self argmin(Dim dim, Flag keepdim = false) const;
  Self amax(const Dims& dims = {}, Flag keepdim = false) const;
  Self amin(const Dims& dims = {}, Flag keepdim = false) const;
  WithIndices<Self> sort(Dim dim = -1, bool descending = false) const;
  Self argsort(Dim dim = -1, bool descending = false) const;
  WithIndices<Self> topk(Size k, Dim dim = -1, bool largest = true) const;

  Self reshape(const Shape& shape) const;
  Self view(const Shape& shape) const;
  Self flatten(Dim start = 0, Dim end = -1) const;
  Self transpose(Dim a, Dim b) const;
  Self t() const;  // of a matrix
  Self permute(const Dims& dims) const;
  Self expand(const Shape& shape) const;
  Self squeeze() const;
  Self squeeze(Dim dim) const;
  Self unsqueeze(Dim dim) const;
  Self repeat(const Shape& repeats) const;
  Self repeat_interleave(Integer repeats) const;
  Self repeat_interleave(Integer repeats, Dim dim) const;
  Self repeat_interleave(const Tensor& repeats) const;
  Self repeat_interleave(const Tensor& repeats, Dim dim) const;
  std::vector<Self> tensor_split(Integer sections, Dim dim = 0) const;
  Self flip(const Dims& dims) const;
  Self fliplr() const;
  Self flipud() const;
  Self tril(Integer diagonal = 0) const;
  Self triu(Integer diagonal = 0) const;

  Self abs() const;
  Self exp() const;
  Self log() const;
  Self sqrt() const;
  Self square() const;
  Self sign() const;
  Self floor() const;
  Self ceil() const;
  Self round() const;
  Self pow(Number exponent) const;
  Self sin() const;
  Self cos() const;
  Self tanh() const;
  Self sigmoid() const;
  Self relu() const;
  Self clamp(std::optional<double> min, std::optional<double> max = {}) const;
  Self softmax(Dim dim) const;
  Self log_softmax(Dim dim) const;
  Self logsumexp(const Dims& dims, Flag keepdim = false) const;
  Self cumsum(Dim dim) const;
  Self matmul(const Self& other) const;

  // Element i of the first dimension, a view: select(x, 0, i).
  Self operator[](Integer i) const;
  // x[index] of an int64 tensor: the elements of the first dimension with these numbers,
  // negative ones from the end, (index's shape, the other dimensions). x[mask] of a bool
  // tensor, whose sizes are the first of x: what is there where the mask holds, (number,
  // the other dimensions). A copy in both cases. Throws Error for other dtypes, for a
  // mask of other sizes, and as index() does.
  Self operator[](const Tensor& index) const;
  Self slice(Dim dim, Integer start, Integer stop = to_end, Integer step = 1) const;
  std::vector<Self> split(Size size, Dim dim = 0) const;
  std::vector<Self> split(std::initializer_list<Integer> sizes, Dim dim = 0) const;
  std::vector<Self> split(const std::vector<std::int64_t>& sizes, Dim dim = 0) const;
  std::vector<Self> chunk(Size chunks, Dim dim = 0) const;
  Self select(Dim dim, Integer index) const;
  Self index_select(Dim dim, const Tensor& index) const;
  Self gather(Dim dim, const Tensor& index) const;
  Self masked_select(const Tensor& mask) const;
  Self masked_fill(const Self& mask, Number value) const;

  // Those of autograd/composed.h, defined in autograd/composed_methods.cpp.
  Self add(const Self& other) const;
  Self sub(const Self& other) const;
  Self mul(const Self& other) const;
  Self div(const Self& other) const;
  Self eq(const Self& other) const;
  Self ne(const Self& other) const;
  Self lt(const Self& other) const;
  Self le(const Self& other) const;
  Self gt(const Self& other) const;
  Self ge(const Self& other) const;
  Self add(Number other) const;
  Self sub(Number other) const;
  Self mul(Number other) const;
  Self div(Number other) const;
  Self eq(Number other) const;
  Self ne(Number other) const;
  Self lt(Number other) const;
  Self le(Number other) const;
  Self gt(Number other) const;
  Self ge(Number other) const;
  Self neg() const;
  Self reciprocal() const;
  Self rsqrt() const;
  Self log2() const;
  Self log10() const;
  Self tan() const;
  Self trunc() const;
  Self round(Integer decimals) const;
  Self clip(std::optional<double> min, std::optional<double> max = {}) const;
  Self isnan() const;
  Self isinf() const;
  Self isfinite() const;
  Self logical_not() const;
  Self lerp(const Self& end, double weight) const;
  Self mm(const Self& other) const;
  Self bmm(const Self& other) const;
  Self mv(const Self& vector) const;
  Self dot(const Self& other) const;
  Self trace() const;
  Self diag(Integer diagonal = 0) const;
  Self diagonal() const;
  Self count_nonzero(const Dims& dims = {}) const;
  Self nansum(const Dims& dims = {}, Flag keepdim = false) const;
  Self nanmean(const Dims& dims = {}, Flag keepdim = false) const;
  Self median() const;
  WithIndices<Self> median(Dim dim, Flag keepdim = false) const;
  WithIndices<Self> kthvalue(Integer k, Dim dim = -1, Flag keepdim = false) const;
  Self quantile(double q) const;
  Self quantile(double q, Dim dim, Flag keepdim = false) const;
  Self cumprod(Dim dim) const;
  Self diff(Integer n = 1, Dim dim = -1) const;
  std::vector<Self> unbind(Dim dim = 0) const;
  Self tile(const Shape& repeats) const;
  Self movedim(const Dims& source, const Dims& destination) const;
  Self swapaxes(Dim a, Dim b) const;
  Self unflatten(Dim dim, const Shape& sizes) const;
  Self narrow(Dim dim, Integer start, Size length) const;
  Self ravel() const;
  Self broadcast_to(const Shape& shape) const;
  Self roll(Integer shift) const;
  Self roll(Integer shift, Dim dim) const;
  Self take(const Tensor& index) const;
  Self scatter(Dim dim, const Tensor& index, const Self& source) const;
  Self scatter(Dim dim, const Tensor& index, Number value) const;
  Self scatter_add(Dim dim, const Tensor& index, const Self& source) const;
  Self index_add(Dim dim, const Tensor& index, const Self& source,
                 Number alpha = 1) const;
  Tensor nonzero() const;
  Tensor unique() const;

  // Those of autograd/more_methods.cpp.
  bool is_floating_point() const;
  int ndim() const { return self().dim(); }
  Self addcmul(const Self& a, const Self& b, Number value = 1) const;
  Self addcdiv(const Self& a, const Self& b, Number value = 1) const;
  Self maximum(const Self& other) const;
  Self minimum(const Self& other) const;
  Self fmod(const Self& other) const;
  Self fmod(Number other) const;
  Self remainder(const Self& other) const;
  Self remainder(Number other) const;
  Self logaddexp(const Self& other) const;
  Self logical_and(const Self& other) const;
  Self logical_or(const Self& other) const;
  Self where(const Self& condition, const Self& other) const;
  Self where(const Self& condition, Number other) const;
  Self isclose(const Self& other, double rtol = 1e-5, double atol = 1e-8,
               bool equal_nan = false) const;
  bool allclose(const Self& other, double rtol = 1e-5, double atol = 1e-8,
                bool equal_nan = false) const;
  bool equal(const Self& other) const;
  Self expm1() const;
  Self log1p() const;
  Self exp2() const;
  Self frac() const;
  Self asin() const;
  Self acos() const;
  Self atan() const;
  Self sinh() const;
  Self cosh() const;
  Self erf() const;
  Self logit(std::optional<double> eps = {}) const;
  Self nan_to_num(double nan = 0, std::optional<double> posinf = {},
                  std::optional<double> neginf = {}) const;
  Self clamp_min(double min) const;
  Self clamp_max(double max) const;
  Self outer(const Self& other) const;
  Self kron(const Self& other) const;
  Self cross(const Self& other, std::optional<Dim> dim = {}) const;
  Self matrix_power(Integer n) const;
  Self cov(Integer correction = 1) const;
  Self corrcoef() const;
  WithIndices<Self> cummax(Dim dim) const;
  WithIndices<Self> cummin(Dim dim) const;
  Self view_as(const Self& other) const;
  Self reshape_as(const Self& other) const;
  Self expand_as(const Self& other) const;
  Self type_as(const Self& other) const;
  Self index_fill(Dim dim, const Tensor& index, Number value) const;
  Self index_put(const Indices& indices, const Self& values,
                 bool accumulate = false) const;
  // Tensors of another shape, with the dtype of this one unless another is given.
  Tensor new_zeros(const Shape& shape, std::optional<DType> dtype = {}) const;
  Tensor new_ones(const Shape& shape, std::optional<DType> dtype = {}) const;
  Tensor new_empty(const Shape& shape, std::optional<DType> dtype = {}) const;
  Tensor new_full(const Shape& shape, Number value,
                  std::optional<DType> dtype = {}) const;

  // In place, and chained: p.mul_(0.99).add_(q, 0.01). Each writes what the function of
  // its name without the underscore returns, and returns what it is called on: a
  // reference that lives no longer than that. Throws Error as that function does, where
  // shape or dtype would change, when elements share memory as after expand(), and, for a
  // Variable, while ops are recorded and the result would require a gradient.
  Self& add_(const Self& other, Number alpha = 1);
  Self& add_(Number other);
  Self& sub_(const Self& other, Number alpha = 1);
  Self& sub_(Number other);
  Self& mul_(const Self& other);
  Self& mul_(Number other);
  Self& div_(const Self& other);
  Self& div_(Number other);
  Self& addcmul_(const Self& a, const Self& b, Number value = 1);
  Self& addcdiv_(const Self& a, const Self& b, Number value = 1);
  Self& lerp_(const Self& end, double weight);
  Self& clamp_(std::optional<double> min, std::optional<double> max = {});
  Self& clamp_min_(double min);
  Self& clamp_max_(double max);
  Self& neg_();
  Self& exp_();
  Self& sqrt_();
  Self& relu_();
  Self& index_fill_(Dim dim, const Tensor& index, Number value);
  Self& index_add_(Dim dim, const Tensor& index, const Self& source, Number alpha = 1);
  Self& index_put_(const Indices& indices, const Self& values, bool accumulate = false);
  Self& scatter_(Dim dim, const Tensor& index, const Self& source);
  Self& scatter_(Dim dim, const Tensor& index, Number value);
  Self& scatter_add_(Dim dim, const Tensor& index, const Self& source);
  // Writes `value` on the diagonal of a matrix.
  Self& fill_diagonal_(Number value);

  // for (Tensor row : x): x[0], x[1], ... Throw Error for a scalar.
  RowIterator<Self> begin() const { return {self(), 0}; }
  RowIterator<Self> end() const { return {self(), self().size(0)}; }

 private:
  const Self& self() const { return static_cast<const Self&>(*this); }
  // Writes what the op `name` made of this value over it.
  Self& write(const char* name, const Self& result);
};

}  // namespace heed

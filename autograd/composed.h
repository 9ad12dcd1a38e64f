// PyTorch's functions that are a few others put together, with PyTorch's names, order of
// arguments and results. One text serves Tensors and Variables, and a Variable beside a
// Tensor; a derivative is that of the parts. All throw Error as their parts do.
#pragma once

#include <concepts>
#include <limits>
#include <numbers>
#include <optional>
#include <utility>
#include <vector>

#include "autograd/elementwise.h"
#include "autograd/indexing.h"
#include "autograd/joining.h"
#include "autograd/matmul.h"
#include "autograd/reductions.h"
#include "autograd/sorting.h"
#include "autograd/variable.h"
#include "autograd/views.h"
#include "tensor/core/factories.h"

namespace heed {

template <class T>
concept Array = std::same_as<T, Tensor> || std::same_as<T, Variable>;

// What becomes of an A and a B, either of which may be a number.
template <class A, class B>
using Joint = std::conditional_t<std::same_as<A, Variable> || std::same_as<B, Variable>,
                                 Variable, Tensor>;

namespace detail {

inline const Tensor& value_of(const Tensor& x) { return x; }
inline const Tensor& value_of(const Variable& x) { return x.value(); }

void check_ranks(const char* op, const Tensor& a, int rank_of_a, const Tensor& b,
                 int rank_of_b);

// beta x + alpha product, where x broadcasts to the product.
template <Array X, Array P>
Joint<X, P> add_product(const char* op, const X& x, const P& product, Number beta,
                        Number alpha) {
  check(broadcasts_to(x.shape(), product.shape()),
        "{}: x must broadcast to the product {}, got {}", op, product.shape(), x.shape());
  if (beta.real() == 0) return expand(alpha * product, product.shape());
  return beta * x + alpha * product;
}

// The p-norm along the last dimension.
template <Array X>
X norm_of_last(const char* op, const X& x, double p, Flag keepdim = false);

// log x / log base by way of float64, so that log2 of 8 is 3.
template <Array X>
X log_to(const X& x, double log_base);

// For each element of `shape` one more than the place of the number in `index` that
// sends scatter() there, the last one of several; 0 for none.
Tensor origins(const char* op, const Shape& shape, Dim dim, const Tensor& index);
// The part of x, from index 0 on, that has these sizes. Throws Error, naming `op`, for a
// smaller x.
template <Array X>
X corner(const char* op, X x, const Shape& sizes) {
  for (int d = 0; d < sizes.rank(); ++d) {
    check(x.dim() == sizes.rank() && sizes[d] <= x.size(d),
          "{}: the index must be no larger than the source, got {} and {}", op, sizes,
          x.shape());
    x = slice(x, d, 0, sizes[d]);
  }
  return x;
}

}  // namespace detail

// --- products

template <Array A, Array B>
Joint<A, B> mm(const A& a, const B& b) {
  detail::check_ranks("mm", detail::value_of(a), 2, detail::value_of(b), 2);
  return matmul(a, b);
}
template <Array A, Array B>
Joint<A, B> mv(const A& matrix, const B& vector) {
  detail::check_ranks("mv", detail::value_of(matrix), 2, detail::value_of(vector), 1);
  return matmul(matrix, vector);
}
template <Array A, Array B>
Joint<A, B> dot(const A& a, const B& b) {
  detail::check_ranks("dot", detail::value_of(a), 1, detail::value_of(b), 1);
  return matmul(a, b);
}
// beta x + alpha a b; with a beta of 0 a NaN in x has no effect. x must broadcast to the
// product.
template <Array X, Array A, Array B>
Joint<X, Joint<A, B>> addmm(const X& x, const A& a, const B& b, Number beta = 1,
                            Number alpha = 1) {
  return detail::add_product("addmm", x, mm(a, b), beta, alpha);
}
// The same of batches: a (b, m, k), b (b, k, n).
template <Array X, Array A, Array B>
Joint<X, Joint<A, B>> baddbmm(const X& x, const A& a, const B& b, Number beta = 1,
                              Number alpha = 1) {
  return detail::add_product("baddbmm", x, bmm(a, b), beta, alpha);
}
template <Array X>
X trace(const X& x) {
  return sum(diagonal(x));
}
// The square matrix with a vector on its diagonal, or the diagonal of a matrix; 1 means
// the diagonal above the main one.
template <Array X>
X diag(const X& x, Integer diagonal = 0);
// Distances of rows, (..., n, d) and (..., m, d) to (..., n, m), by the p-norm. The
// derivative where one is 0 is taken as 0, as in PyTorch. Throws Error unless p > 0 and
// the shapes fit.
template <Array A, Array B>
Joint<A, B> cdist(const A& a, const B& b, double p = 2) {
  check(a.dim() >= 2 && b.dim() >= 2 && a.size(-1) == b.size(-1),
        "cdist: the operands must be (..., n, d) and (..., m, d), got {} and {}",
        a.shape(), b.shape());
  return detail::norm_of_last("cdist", unsqueeze(a, -2) - unsqueeze(b, -3), p);
}
template <Array A, Array B>
Joint<A, B> dist(const A& a, const B& b) {
  return norm(a - b);
}

// --- shapes

template <Array X>
std::vector<X> unbind(const X& x, Dim dim = 0);
// Pieces of these sizes: split_with_sizes().
template <Array X>
std::vector<X> split(const X& x, const std::vector<std::int64_t>& sizes, Dim dim = 0) {
  return split_with_sizes(x, sizes, dim);
}
template <Array X>
std::vector<X> split(const X& x, std::initializer_list<Integer> sizes, Dim dim = 0) {
  return split_with_sizes(x, std::vector<std::int64_t>(sizes.begin(), sizes.end()), dim);
}
template <Array X>
X hstack(const std::vector<X>& parts);
template <Array X>
X vstack(const std::vector<X>& parts);
inline Tensor hstack(std::initializer_list<Tensor> parts) {
  return hstack(std::vector(parts));
}
inline Variable hstack(std::initializer_list<Variable> parts) {
  return hstack(std::vector(parts));
}
inline Tensor vstack(std::initializer_list<Tensor> parts) {
  return vstack(std::vector(parts));
}
inline Variable vstack(std::initializer_list<Variable> parts) {
  return vstack(std::vector(parts));
}
template <Array X>
X tile(const X& x, Shape repeats);
// Dimension source[i] moved to destination[i], the others in their order.
template <Array X>
X movedim(const X& x, const Dims& source, const Dims& destination);
template <Array X>
X swapaxes(const X& x, Dim a, Dim b) {
  return transpose(x, a, b);
}
// Dimension dim as several; one of their sizes may be -1.
template <Array X>
X unflatten(const X& x, Dim dim, const Shape& sizes);
template <Array X>
X narrow(const X& x, Dim dim, Integer start, Size length);
template <Array X>
X ravel(const X& x) {
  return flatten(x);
}
template <Array X>
X broadcast_to(const X& x, const Shape& shape) {
  return expand(x, shape);
}
template <Array X>
X fliplr(const X& x) {
  return flip(x, {1});
}
template <Array X>
X flipud(const X& x) {
  return flip(x, {0});
}
// The flattened elements moved on by `shift` places, in x's shape.
template <Array X>
X roll(const X& x, Integer shift);

// --- elementwise. b may be a number.

template <Array A, Array B>
Joint<A, B> add(const A& a, const B& b, Number alpha = 1) {
  return alpha.real() == 1 ? a + b : a + alpha * b;
}
template <Array A>
A add(const A& a, Number b) {
  return a + b;
}
template <Array A, Array B>
Joint<A, B> sub(const A& a, const B& b, Number alpha = 1) {
  return alpha.real() == 1 ? a - b : a - alpha * b;
}
template <Array A>
A sub(const A& a, Number b) {
  return a - b;
}
template <Array A, class B>
Joint<A, B> mul(const A& a, const B& b) {
  return a * b;
}
template <Array A, class B>
Joint<A, B> div(const A& a, const B& b) {
  return a / b;
}
template <Array A, class B>
Joint<A, B> eq(const A& a, const B& b) {
  return a == b;
}
template <Array A, class B>
Joint<A, B> ne(const A& a, const B& b) {
  return a != b;
}
template <Array A, class B>
Joint<A, B> lt(const A& a, const B& b) {
  return a < b;
}
template <Array A, class B>
Joint<A, B> le(const A& a, const B& b) {
  return a <= b;
}
template <Array A, class B>
Joint<A, B> gt(const A& a, const B& b) {
  return a > b;
}
template <Array A, class B>
Joint<A, B> ge(const A& a, const B& b) {
  return a >= b;
}
// x + value a b
template <Array X, Array A, Array B>
Joint<X, Joint<A, B>> addcmul(const X& x, const A& a, const B& b, Number value = 1) {
  return x + value * (a * b);
}
// From start (weight 0) to end (weight 1), exact at both.
template <Array A, Array B>
Joint<A, B> lerp(const A& start, const B& end, double weight) {
  const Joint<A, B> way = end - start;
  return weight < 0.5 ? start + weight * way : end - (1 - weight) * way;
}
template <Array A, Array B, Array W>
Joint<Joint<A, B>, W> lerp(const A& start, const B& end, const W& weight) {
  const Joint<A, B> way = end - start;
  return where(weight < 0.5, start + weight * way, end - (1 - weight) * way);
}
template <Array X>
X log2(const X& x) {
  return detail::log_to(x, std::numbers::ln2);
}
template <Array X>
X log10(const X& x) {
  return detail::log_to(x, std::numbers::ln10);
}
template <Array X>
X exp2(const X& x) {
  return pow(2.0, x);
}
template <Array X>
X tan(const X& x) {
  return sin(x) / cos(x);
}
// Towards zero; its derivative is 0.
template <Array X>
X trunc(const X& x) {
  return where(x < 0, ceil(x), floor(x));
}
// Rounded to so many digits after the point, or to tens for -1.
template <Array X>
X round(const X& x, Integer decimals);
template <Array X>
X clip(const X& x, std::optional<double> min, std::optional<double> max = {}) {
  return clamp(x, min, max);
}
// Other numbers for NaN, infinity (by default the largest of the dtype) and -infinity.
template <Array X>
X nan_to_num(const X& x, double nan = 0, std::optional<double> posinf = {},
             std::optional<double> neginf = {});

// --- reductions

template <Array X>
X count_nonzero(const X& x, const Dims& dims = {});
template <Array X>
std::pair<X, X> std_mean(const X& x, const Dims& dims = {}, Integer correction = 1,
                         Flag keepdim = false) {
  return {heed::std(x, dims, correction, keepdim), mean(x, dims, keepdim)};
}
template <Array X>
std::pair<X, X> var_mean(const X& x, const Dims& dims = {}, Integer correction = 1,
                         Flag keepdim = false) {
  return {var(x, dims, correction, keepdim), mean(x, dims, keepdim)};
}
template <Array X>
struct Aminmax {
  X min, max;
};
// The smallest and the largest, of all or along `dim`; equal ones share the gradient.
template <Array X>
Aminmax<X> aminmax(const X& x, const Dims& dims = {}, Flag keepdim = false) {
  return {amin(x, dims, keepdim), amax(x, dims, keepdim)};
}
// Without the NaN elements, whose gradient is 0.
template <Array X>
X nansum(const X& x, const Dims& dims = {}, Flag keepdim = false);
// Throws Error for whole numbers, as mean() does.
template <Array X>
X nanmean(const X& x, const Dims& dims = {}, Flag keepdim = false);
// The k-th smallest along `dim`, counted from 1, and its index. NaN is the largest.
template <Array X>
WithIndices<X> kthvalue(const X& x, Integer k, Dim dim = -1, Flag keepdim = false);
// The lower of the two in the middle, or NaN if there is one.
template <Array X>
WithIndices<X> median(const X& x, Dim dim, Flag keepdim = false);
// Of all; NaN of none. Equal ones share the gradient.
template <Array X>
X median(const X& x);
// The numbers at the fractions q (of one dimension, or one number) of the way through the
// sorted elements, of all or along `dim`; between two elements by lerp. Several q are the
// first dimension of the result. NaN where there is one.
template <Array X>
X quantile(const X& x, const Tensor& q, std::optional<Dim> dim = {},
           Flag keepdim = false);
template <Array X>
X quantile(const X& x, double q, std::optional<Dim> dim = {}, Flag keepdim = false);
// Running products along `dim`, of float32 in float64: an op in the graph for each step,
// as products of pieces could overflow where these do not.
template <Array X>
X cumprod(const X& x, Dim dim);
// The largest, or smallest, element so far along `dim`, and its index: the last of
// equals.
template <Array X>
WithIndices<X> cummax(const X& x, Dim dim);
template <Array X>
WithIndices<X> cummin(const X& x, Dim dim);
// Each element less the one before it, n times; of bools whether they differ.
template <Array X>
X diff(const X& x, Integer n = 1, Dim dim = -1);

// --- indexing

// x with the elements that `index` names along `dim` replaced by `value`, or by those of
// `source`, of x's dtype, at the index's places. Of several for one element the last
// counts.
template <Array X>
X scatter(const X& x, Dim dim, const Tensor& index, Number value) {
  return masked_fill(x, detail::origins("scatter", x.shape(), dim, index) > 0, value);
}
template <Array X, Array S>
Joint<X, S> scatter(const X& x, Dim dim, const Tensor& index, const S& source) {
  check_same_dtype("scatter", detail::value_of(x), detail::value_of(source));
  const Tensor from = detail::origins("scatter", x.shape(), dim, index);
  const S sources = flatten(detail::corner("scatter", source, index.shape()));
  if (index.numel() == 0) return Joint<X, S>(x).clone();
  const Tensor places = flatten(clamp_min(from - 1, 0));
  return where(from > 0, reshape(index_select(sources, 0, places), x.shape()), x);
}
template <Array X, Array S>
Joint<X, S> scatter_add(const X& x, Dim dim, const Tensor& index, const S& source) {
  check_same_dtype("scatter_add", detail::value_of(x), detail::value_of(source));
  const S sources = detail::corner("scatter_add", source, index.shape());
  return x + scatter_add(x.shape(), dim, index, sources);
}
// x with alpha times the slices of `source` added at those that `index` names.
template <Array X, Array S>
Joint<X, S> index_add(const X& x, Dim dim, const Tensor& index, const S& source,
                      Number alpha = 1) {
  check_same_dtype("index_add", detail::value_of(x), detail::value_of(source));
  return add(x, index_add(x.shape(), dim, index, source), alpha);
}
// The elements of the flattened x; here a negative index counts from the end.
template <Array X>
X take(const X& x, const Tensor& index);
// gather() with x and index broadcast but along `dim`; without one, of both flattened.
template <Array X>
X take_along_dim(const X& x, const Tensor& index, std::optional<Dim> dim = {});
// All pairs, triples, ... of elements of the vectors: (n m ..., vectors), of one vector
// the vector itself.
template <Array X>
X cartesian_prod(const std::vector<X>& vectors);
inline Tensor cartesian_prod(std::initializer_list<Tensor> vectors) {
  return cartesian_prod(std::vector(vectors));
}
inline Variable cartesian_prod(std::initializer_list<Variable> vectors) {
  return cartesian_prod(std::vector(vectors));
}

}  // namespace heed

// Operations that shrink dimensions to one value: sums, means, extremes.
//
// `dims` lists the dimensions to reduce, negative ones from the end, or is just one of
// them; an empty list means all. With `keepdim` they stay, with size 1. All throw Error
// when a dimension is out of range or named twice.
#pragma once

#include <concepts>

#include "tensor/core/tensor.h"
#include "tensor/reduce/sorting.h"

namespace heed {

// The sum; int64 for bool and int64 tensors. 0 over nothing.
Tensor sum(const Tensor& x, const Dims& dims = {}, Flag keepdim = false);
// The product; int64 for bool and int64 tensors. 1 over nothing.
Tensor prod(const Tensor& x, const Dims& dims = {}, Flag keepdim = false);
// The mean; floating dtypes. NaN over nothing.
Tensor mean(const Tensor& x, const Dims& dims = {}, Flag keepdim = false);
// The sum of squared distances from the mean, over n - correction; floating dtypes.
// correction 1 is the unbiased estimate, 0 the biased one; a bool does not compile there,
// because it would be taken for keepdim.
Tensor var(const Tensor& x, const Dims& dims = {}, Integer correction = 1,
           Flag keepdim = false);
// sqrt(var). Under `using namespace heed` it is heed::std(x), to tell it from namespace
// std.
Tensor std(const Tensor& x, const Dims& dims = {}, Integer correction = 1,
           Flag keepdim = false);
// The Euclidean norm, sqrt(sum(x^2)); floating dtypes. A dimension stands in braces,
// norm(x, {1}): without them PyTorch's norm(x, 1) is the sum of the absolute values.
Tensor norm(const Tensor& x, const Dims& dims = {}, Flag keepdim = false);
template <std::integral T>
Tensor norm(const Tensor& x, T power_or_dim, Flag keepdim = false) = delete;
// log(sum(exp(x))) without overflow; floating dtypes.
Tensor logsumexp(const Tensor& x, const Dims& dims, Flag keepdim = false);

// The largest and the smallest; NaN if any is NaN. Throw Error over nothing.
Tensor amax(const Tensor& x, const Dims& dims = {}, Flag keepdim = false);
Tensor amin(const Tensor& x, const Dims& dims = {}, Flag keepdim = false);
Tensor max(const Tensor& x);
Tensor min(const Tensor& x);
// The extremes along `dim`, each with the index (int64) of its first place.
WithIndices<Tensor> max(const Tensor& x, Dim dim, Flag keepdim = false);
WithIndices<Tensor> min(const Tensor& x, Dim dim, Flag keepdim = false);
// The index (int64) of the first largest or smallest; of the flattened tensor without a
// dim. The first NaN wins. Throw Error over nothing.
Tensor argmax(const Tensor& x);
Tensor argmin(const Tensor& x);
Tensor argmax(const Tensor& x, Dim dim, Flag keepdim = false);
Tensor argmin(const Tensor& x, Dim dim, Flag keepdim = false);

// Whether any, or every, element differs from zero: a bool tensor. false and true over
// nothing.
Tensor any(const Tensor& x, const Dims& dims = {}, Flag keepdim = false);
Tensor all(const Tensor& x, const Dims& dims = {}, Flag keepdim = false);
// Whether no element is NaN or infinite; reads x in place.
bool all_finite(const Tensor& x);

// x summed over the dimensions that broadcasting `shape` to x's shape repeats: the way
// back for gradients. Throws Error when `shape` does not broadcast to x's.
Tensor sum_to(const Tensor& x, const Shape& shape);

}  // namespace heed

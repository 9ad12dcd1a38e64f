// Order along one dimension: sorting, the largest few, running sums.
#pragma once

#include "tensor/core/tensor.h"

namespace heed {

// Values and where they came from. Converts to the values alone, so that
// `Tensor x = sort(y)` reads as it should.
template <class T>
struct WithIndices {
  T values;
  Tensor indices;  // int64, along the dimension worked on

  operator T() const { return values; }
};

// The elements along `dim` in rising (or falling) order; equal ones keep their order, NaN
// counts as the largest. values and indices have x's shape. Throws Error out of range.
WithIndices<Tensor> sort(const Tensor& x, Dim dim = -1, bool descending = false);
// sort(x, dim, descending).indices
Tensor argsort(const Tensor& x, Dim dim = -1, bool descending = false);
// The k largest (or smallest) along `dim`, in order. Throws Error unless k is from 0 to
// the size of `dim`; of a scalar, which has no empty part, k must be 1.
WithIndices<Tensor> topk(const Tensor& x, std::int64_t k, Dim dim = -1,
                         bool largest = true);
// Running sums along `dim`; int64 for bool tensors.
Tensor cumsum(const Tensor& x, Dim dim);

}  // namespace heed

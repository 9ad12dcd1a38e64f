// Elements counted: which there are, how many of each, how many below others.
#pragma once

#include "tensor/core/number.h"
#include "tensor/core/tensor.h"

namespace heed {

// The distinct elements of x, in rising order. Each NaN is one of its own.
struct Unique {
  Tensor output;           // (n)
  Tensor inverse_indices;  // x's shape: x = output[inverse_indices]
  Tensor counts;           // (n), how often each occurs
};
struct UniqueOptions {
  bool return_inverse = false;
  bool return_counts = false;
};
Tensor unique(const Tensor& x);
Unique unique(const Tensor& x, UniqueOptions options);  // what is not asked is undefined
// How often 0, 1, ... occur in x (n), int64: as many numbers as the largest element asks
// for, but at least minlength. With weights (n) the sums of these, in float64 where they
// are whole. Throws Error for another x, a negative element or minlength, and weights of
// another shape.
Tensor bincount(const Tensor& x, const Tensor& weights = {}, Size minlength = 0);
// How many elements of x, which is floating, lie in each of `bins` equal parts of the
// range from min to max, or, where these are equal, of that of the elements: (bins), of
// x's dtype. Throws Error for another dtype, bins < 1, min > max, and a range that is not
// finite.
Tensor histc(const Tensor& x, Size bins = 100, double min = 0, double max = 0);
// For each value how many elements of the sorted sequence (n), or (..., n) for values
// (..., m), are below it, or with `right` not above it: where it could be inserted. int64
// of the values' shape. Throws Error when the shapes do not fit or the dtypes differ.
Tensor searchsorted(const Tensor& sorted_sequence, const Tensor& values,
                    bool right = false);
Tensor searchsorted(const Tensor& sorted_sequence, Number value, bool right = false);
// The same with the operands in the other order.
inline Tensor bucketize(const Tensor& x, const Tensor& boundaries, bool right = false) {
  return searchsorted(boundaries, x, right);
}

}  // namespace heed

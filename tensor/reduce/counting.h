// Elements counted: which there are, how many of each, how many below others.
#pragma once

#include "tensor/core/number.h"
#include "tensor/core/tensor.h"

namespace heed {

// The elements of x that differ, in rising order. Each NaN is one of its own.
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
// How often 0, 1, ... occur in the vector x (int64, none negative), or the sums of their
// weights, in float64 where these are whole: as many numbers as the largest element asks
// for, but at least minlength.
Tensor bincount(const Tensor& x, const Tensor& weights = {}, Size minlength = 0);
// How many elements lie in each of `bins` parts of the range from min to max, or, where
// these are equal, of that of the elements. Throws Error for a range that is not finite.
Tensor histc(const Tensor& x, Size bins = 100, double min = 0, double max = 0);
// For each value how many elements of the sorted sequence (a vector, or of the values'
// leading sizes) are below it, or with `right` not above it: where it could be inserted.
Tensor searchsorted(const Tensor& sorted_sequence, const Tensor& values,
                    bool right = false);
Tensor searchsorted(const Tensor& sorted_sequence, Number value, bool right = false);
inline Tensor bucketize(const Tensor& x, const Tensor& boundaries, bool right = false) {
  return searchsorted(boundaries, x, right);
}

}  // namespace heed

// Elements at the places that several index tensors name, one for each of the first
// dimensions of x: what x[rows, columns] is in Python.
#pragma once

#include <vector>

#include "autograd/composed.h"

namespace heed {

// x[indices[0], indices[1], ...]: the int64 indices broadcast to a shape s, and the
// result has the sizes of s, then those of x's other dimensions. A negative index counts
// from the end. A number is an index tensor of rank 0: {2, columns}. A mask (bool) stands
// for the indices of its trues, one of each of its dimensions. Throws Error for other
// dtypes, more indices than dimensions, indices that do not broadcast or are out of
// range, and a mask whose sizes are not those of x.
template <Array X>
X index(const X& x, const Indices& indices);
// x with the elements that index() reads replaced by `values`, broadcast to them, or with
// `accumulate` with these added. Of several values for one element the last counts.
template <Array X, Array V>
Joint<X, V> index_put(const X& x, const Indices& indices, const V& values,
                      bool accumulate = false);
template <Array X>
X index_put(const X& x, const Indices& indices, Number value, bool accumulate = false);
// x with `value` in the slices along `dim` that the index (int64, a vector or a scalar)
// names. Throws Error as scatter() does.
template <Array X>
X index_fill(const X& x, Dim dim, const Tensor& index, Number value);

}  // namespace heed

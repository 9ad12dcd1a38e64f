// Picking elements by index, mask or place, and the ways back.
#pragma once

#include "tensor/core/tensor.h"
#include "tensor/indexing/joining.h"

namespace heed {

// Index tensors are int64, masks bool. Indices run from 0: a negative one, or one that is
// too large, is an Error, here and below, as is a wrong dtype or shape.

// Slices of x along `dim`, in the order of the 1-D (or 0-d) `index`.
Tensor index_select(const Tensor& x, Dim dim, const Tensor& index);
// out[i][j][k] = x[index[i][j][k]][j][k] for dim 0, and so on. `index` has x's rank and
// is no larger than x but along `dim`; the result has its shape.
Tensor gather(const Tensor& x, Dim dim, const Tensor& index);
// The elements where `mask` holds, as one dimension. mask and x broadcast.
Tensor masked_select(const Tensor& x, const Tensor& mask);

// The three ways back, for gradients: zeros of `shape` with x added where the op above
// took its element. Sums go in the order of `dim`. masked_scatter broadcasts the mask to
// `shape`; it throws Error unless x has as many elements as the mask has trues.
Tensor index_add(const Shape& shape, Dim dim, const Tensor& index, const Tensor& x);
Tensor scatter_add(const Shape& shape, Dim dim, const Tensor& index, const Tensor& x);
Tensor masked_scatter(const Shape& shape, const Tensor& mask, const Tensor& x);
// The ways back for slice and select: zeros of `shape` with x at the elements that
// slice(., dim, start, ., step) reads, or at `index` of `dim`. Throw Error where x does
// not fit.
Tensor slice_scatter(const Shape& shape, const Tensor& x, Dim dim, std::int64_t start,
                     std::int64_t step = 1);
Tensor select_scatter(const Shape& shape, const Tensor& x, Dim dim, std::int64_t index);

// The last two dimensions with zeros below (triu) or above (tril) the diagonal; 1 means
// the diagonal above the main one. A NaN there becomes 0 too. Throw Error below
// rank 2.
Tensor triu(const Tensor& x, std::int64_t diagonal = 0);
Tensor tril(const Tensor& x, std::int64_t diagonal = 0);

}  // namespace heed

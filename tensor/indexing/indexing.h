// Picking elements by index, mask or place, and the ways back.
#pragma once

#include <optional>

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

// The indices of the elements that are not 0, in row-major order: (count, x.dim()).
Tensor nonzero(const Tensor& x);
// A row of `classes` numbers for each id, 1 at the id's place, else 0: (ids..., classes),
// int64. Without `classes` there are as many as the largest id asks for. Throws Error for
// an id that is negative or not below `classes`.
Tensor one_hot(const Tensor& ids, std::optional<Size> classes = {});

// The three ways back, for gradients: zeros of `shape` with x added where the op above
// took its element. Sums go in the order of `dim`. masked_scatter broadcasts the mask to
// `shape`; it throws Error unless x has as many elements as the mask has trues.
Tensor index_add(const Shape& shape, Dim dim, const Tensor& index, const Tensor& x);
Tensor scatter_add(const Shape& shape, Dim dim, const Tensor& index, const Tensor& x);
Tensor masked_scatter(const Shape& shape, const Tensor& mask, const Tensor& x);
// The ways back for slice and select: zeros of `shape` with x at the elements that
// slice(., dim, start, ., step) reads, or at `index` of `dim`. Throw Error where x does
// not fit.
Tensor slice_scatter(const Shape& shape, const Tensor& x, Dim dim, Integer start,
                     Integer step = 1);
Tensor select_scatter(const Shape& shape, const Tensor& x, Dim dim, Integer index);

// The last two dimensions with zeros below (triu) or above (tril) the diagonal; 1 means
// the diagonal above the main one. A NaN there becomes 0 too. Throw Error below
// rank 2.
Tensor triu(const Tensor& x, Integer diagonal = 0);
Tensor tril(const Tensor& x, Integer diagonal = 0);
// The rows and columns of the elements that tril() and triu() keep of a matrix (rows,
// columns): int64 (2, number). Throw Error for a negative size.
Tensor tril_indices(Size rows, Size columns, Integer offset = 0);
Tensor triu_indices(Size rows, Size columns, Integer offset = 0);
// Every choice of r of the numbers 0 to n - 1, each rising, in order: int64 (choices, r).
// Throws Error for a negative size and for more choices than a tensor holds.
Tensor combination_indices(Size n, Size r);
// The diagonal of a matrix, as a copy. Throws Error for other ranks.
Tensor diagonal(const Tensor& x);

}  // namespace heed

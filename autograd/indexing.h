// Picking elements on Variables: the names, shapes, values and errors of
// tensor/indexing/indexing.h, with derivatives. Indices and masks are constants.
#pragma once

#include "autograd/variable.h"
#include "tensor/indexing/indexing.h"

namespace heed {

Variable index_select(const Variable& x, Dim dim, const Tensor& index);
Variable gather(const Variable& x, Dim dim, const Tensor& index);
Variable masked_select(const Variable& x, const Tensor& mask);
Variable index_add(const Shape& shape, Dim dim, const Tensor& index, const Variable& x);
Variable scatter_add(const Shape& shape, Dim dim, const Tensor& index, const Variable& x);
Variable masked_scatter(const Shape& shape, const Tensor& mask, const Variable& x);
Variable slice_scatter(const Shape& shape, const Variable& x, Dim dim, Integer start,
                       Integer step = 1);
Variable select_scatter(const Shape& shape, const Variable& x, Dim dim, Integer index);

Variable triu(const Variable& x, Integer diagonal = 0);
Variable tril(const Variable& x, Integer diagonal = 0);
Variable diagonal(const Variable& x);

}  // namespace heed

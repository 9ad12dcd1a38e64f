// The views of tensor/core/views.h on Variables: the same names, shapes, values and
// errors, each with its derivative.
#pragma once

#include <vector>

#include "autograd/variable.h"
#include "tensor/core/views.h"

namespace heed {

Variable reshape(const Variable& x, const Shape& shape);
Variable view(const Variable& x, const Shape& shape);
Variable flatten(const Variable& x, Dim start = 0, Dim end = -1);
Variable transpose(const Variable& x, Dim a, Dim b);
Variable permute(const Variable& x, const Dims& dims);
Variable expand(const Variable& x, const Shape& shape);
Variable squeeze(const Variable& x);
Variable squeeze(const Variable& x, Dim dim);
Variable unsqueeze(const Variable& x, Dim dim);
Variable slice(const Variable& x, Dim dim, Integer start, Integer stop = to_end,
               Integer step = 1);
Variable select(const Variable& x, Dim dim, Integer index);
std::vector<Variable> split(const Variable& x, Size size, Dim dim = 0);
std::vector<Variable> split_with_sizes(const Variable& x,
                                       const std::vector<std::int64_t>& sizes,
                                       Dim dim = 0);
std::vector<Variable> chunk(const Variable& x, Size chunks, Dim dim = 0);

}  // namespace heed

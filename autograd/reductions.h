// The reductions of tensor/reduce/reductions.h on Variables: the same names, shapes,
// values and errors, each with its derivative.
#pragma once

#include <concepts>

#include "autograd/variable.h"
#include "tensor/reduce/reductions.h"

namespace heed {

Variable sum(const Variable& x, const Dims& dims = {}, Flag keepdim = false);
Variable prod(const Variable& x, const Dims& dims = {}, Flag keepdim = false);
Variable mean(const Variable& x, const Dims& dims = {}, Flag keepdim = false);
Variable var(const Variable& x, const Dims& dims = {}, Integer correction = 1,
             Flag keepdim = false);
// The derivative where the standard deviation or the norm is 0 is taken as 0.
Variable std(const Variable& x, const Dims& dims = {}, Integer correction = 1,
             Flag keepdim = false);
Variable norm(const Variable& x, const Dims& dims = {}, Flag keepdim = false);
template <std::integral T>
Variable norm(const Variable& x, T power_or_dim, Flag keepdim = false) = delete;
Variable logsumexp(const Variable& x, const Dims& dims, Flag keepdim = false);
// Equal extremes share the gradient evenly.
Variable amax(const Variable& x, const Dims& dims = {}, Flag keepdim = false);
Variable amin(const Variable& x, const Dims& dims = {}, Flag keepdim = false);
Variable max(const Variable& x);
Variable min(const Variable& x);
// The element whose index is returned gets the whole gradient.
WithIndices<Variable> max(const Variable& x, Dim dim, Flag keepdim = false);
WithIndices<Variable> min(const Variable& x, Dim dim, Flag keepdim = false);
// Without derivatives.
Variable argmax(const Variable& x);
Variable argmin(const Variable& x);
Variable argmax(const Variable& x, Dim dim, Flag keepdim = false);
Variable argmin(const Variable& x, Dim dim, Flag keepdim = false);
Variable any(const Variable& x, const Dims& dims = {}, Flag keepdim = false);
Variable all(const Variable& x, const Dims& dims = {}, Flag keepdim = false);

Variable sum_to(const Variable& x, const Shape& shape);

}  // namespace heed

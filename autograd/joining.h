// Joining, repeating and reversing Variables: the names, shapes, values and errors of
// tensor/indexing/joining.h, with derivatives.
#pragma once

#include <span>

#include "autograd/variable.h"
#include "tensor/indexing/joining.h"

namespace heed {

Variable cat(std::span<const Variable> parts, Dim dim = 0);
Variable cat(std::initializer_list<Variable> parts, Dim dim = 0);
Variable stack(std::span<const Variable> parts, Dim dim = 0);
Variable stack(std::initializer_list<Variable> parts, Dim dim = 0);

Variable repeat(const Variable& x, const Shape& repeats);
Variable repeat_interleave(const Variable& x, Integer repeats);
Variable repeat_interleave(const Variable& x, Integer repeats, Dim dim);
Variable repeat_interleave(const Variable& x, const Tensor& repeats, Dim dim);
Variable flip(const Variable& x, const Dims& dims);
Variable roll(const Variable& x, Integer shift, Dim dim);

}  // namespace heed

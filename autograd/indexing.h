// Indexing, joining and ordering on Variables: the names, shapes, values and errors of
// tensor/indexing.h and tensor/sorting.h, with derivatives. Indices and masks are
// constants.
#pragma once

#include <span>
#include <vector>

#include "autograd/variable.h"
#include "tensor/indexing.h"
#include "tensor/sorting.h"

namespace heed {

Variable index_select(const Variable& x, std::int64_t dim, const Tensor& index);
Variable gather(const Variable& x, std::int64_t dim, const Tensor& index);
Variable masked_select(const Variable& x, const Tensor& mask);
Variable index_add(const Shape& shape, std::int64_t dim, const Tensor& index,
                   const Variable& x);
Variable scatter_add(const Shape& shape, std::int64_t dim, const Tensor& index,
                     const Variable& x);
Variable masked_scatter(const Shape& shape, const Tensor& mask, const Variable& x);
Variable slice_scatter(const Shape& shape, const Variable& x, std::int64_t dim,
                       std::int64_t start, std::int64_t step = 1);
Variable select_scatter(const Shape& shape, const Variable& x, std::int64_t dim,
                        std::int64_t index);

Variable cat(std::span<const Variable> parts, std::int64_t dim = 0);
Variable cat(std::initializer_list<Variable> parts, std::int64_t dim = 0);
Variable stack(std::span<const Variable> parts, std::int64_t dim = 0);
Variable stack(std::initializer_list<Variable> parts, std::int64_t dim = 0);

Variable repeat(const Variable& x, const Shape& repeats);
Variable repeat_interleave(const Variable& x, std::int64_t repeats);
Variable repeat_interleave(const Variable& x, std::int64_t repeats, std::int64_t dim);
Variable repeat_interleave(const Variable& x, const Tensor& repeats, std::int64_t dim);
Variable flip(const Variable& x, const Dims& dims);
Variable triu(const Variable& x, std::int64_t diagonal = 0);
Variable tril(const Variable& x, std::int64_t diagonal = 0);

WithIndices<Variable> sort(const Variable& x, std::int64_t dim = -1,
                           bool descending = false);
// Has no derivative.
Variable argsort(const Variable& x, std::int64_t dim = -1, bool descending = false);
WithIndices<Variable> topk(const Variable& x, std::int64_t k, std::int64_t dim = -1,
                           bool largest = true);
Variable cumsum(const Variable& x, std::int64_t dim);

// `values`, which an op named `op` took out of x along `dim` at `indices`, recorded: the
// gradient goes back to where each came from. `values` and `indices` may lack `dim`.
Variable picked(const char* op, Tensor values, const Variable& x, std::int64_t dim,
                const Tensor& indices);

}  // namespace heed

// Views: other readings of the same elements. Only reshape and flatten copy elements,
// and only where no view can do it.
#pragma once

#include <exception>
#include <string_view>
#include <vector>

#include "tensor/core/tensor.h"

namespace heed {

// x read with another shape; one size may be -1 and follows from the rest. A view where
// the strides allow it, otherwise a copy. Throws Error when the numbers of
// elements differ or more than one size is -1.
Tensor reshape(const Tensor& x, const Shape& shape);
// As reshape, but throws Error where only a copy could do it.
Tensor view(const Tensor& x, const Shape& shape);
// Dimensions start to end joined into one, negative ones from the end; a scalar becomes
// (1). A copy only where reshape would copy. Throws Error out of range or if start > end.
Tensor flatten(const Tensor& x, Dim start = 0, Dim end = -1);

// Dimensions a and b swapped. Throws Error out of range.
Tensor transpose(const Tensor& x, Dim a, Dim b);
// Dimension i of the result is dimension dims[i] of x. Throws Error unless dims names
// each dimension once.
Tensor permute(const Tensor& x, const Dims& dims);

// x repeated, without a copy, to a shape that it broadcasts to; -1 keeps a size.
// Throws Error when x does not broadcast to that shape.
Tensor expand(const Tensor& x, const Shape& shape);
// x without its dimensions of size 1.
Tensor squeeze(const Tensor& x);
// x without dimension `dim` if its size is 1, otherwise x. Throws Error out of range.
Tensor squeeze(const Tensor& x, Dim dim);
// x with a new dimension of size 1 at `dim`, from -x.dim() - 1 to x.dim(). Throws Error
// out of range.
Tensor unsqueeze(const Tensor& x, Dim dim);

// Elements start, start + step, ... below `stop` of dimension `dim`, as Python's
// x[start:stop:step]: negative bounds count from the end, bounds beyond it are clipped.
// Throws Error unless step >= 1. slice and the functions below throw Error for a scalar.
Tensor slice(const Tensor& x, Dim dim, Integer start, Integer stop = to_end,
             Integer step = 1);
// Element `index` of dimension `dim`, negative ones from the end; the result has one
// dimension less. Throws Error when `index` is out of range.
Tensor select(const Tensor& x, Dim dim, Integer index);
// Pieces of `size` along `dim`, the last one smaller if need be; an empty dimension gives
// one empty piece. Throws Error unless size >= 1.
std::vector<Tensor> split(const Tensor& x, Size size, Dim dim = 0);
// Pieces of the given sizes along `dim`. Throws Error if one is negative or their sum is
// not its size.
std::vector<Tensor> split_with_sizes(const Tensor& x,
                                     const std::vector<std::int64_t>& sizes, Dim dim = 0);
// At most `chunks` pieces of equal size along `dim`, the last one smaller if need be; of
// an empty dimension `chunks` empty pieces. Throws Error unless chunks >= 1.
std::vector<Tensor> chunk(const Tensor& x, Size chunks, Dim dim = 0);

namespace detail {

// An empty list with room for n pieces. Throws Error, naming `op`, where memory has none.
template <class X>
std::vector<X> list_for(std::string_view op, std::int64_t n) {
  std::vector<X> pieces;
  try {
    pieces.reserve(static_cast<std::size_t>(n));
  } catch (const std::exception&) {
    check(false, "{}: there is no memory for a list of {} pieces", op, n);
  }
  return pieces;
}

}  // namespace detail
}  // namespace heed

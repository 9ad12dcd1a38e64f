// Putting tensors together, and repeating or reversing one. All results are new tensors.
#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include "tensor/core/tensor.h"

namespace heed {

// The tensors one after the other along `dim`: (2, 3) and (4, 3) give (6, 3). Throws
// Error for an empty list, for scalars, and unless the other sizes and the dtypes are
// equal.
Tensor cat(std::span<const Tensor> tensors, Dim dim = 0);
Tensor cat(std::initializer_list<Tensor> tensors, Dim dim = 0);
// The tensors along a new dimension `dim`: two of (3) give (2, 3). Throws Error for an
// empty list and unless the shapes and the dtypes are equal.
Tensor stack(std::span<const Tensor> tensors, Dim dim = 0);
Tensor stack(std::initializer_list<Tensor> tensors, Dim dim = 0);

// x laid side by side repeats[d] times along dimension d; more repeats than dimensions
// put new ones in front. Throws Error for fewer, or for a negative number.
Tensor repeat(const Tensor& x, const Shape& repeats);
// Each element of the flattened x `repeats` times: (n) -> (n repeats). Throws Error for a
// negative number, here and below.
Tensor repeat_interleave(const Tensor& x, Integer repeats);
// Each slice along `dim` `repeats` times. Throws Error for a scalar, here and below.
Tensor repeat_interleave(const Tensor& x, Integer repeats, Dim dim);
// Slice i along `dim` repeats[i] times, repeats 1-D int64, one number per slice.
Tensor repeat_interleave(const Tensor& x, const Tensor& repeats, Dim dim);
// The elements of the named dimensions in reverse order. Throws Error for a dimension
// named twice.
Tensor flip(const Tensor& x, const Dims& dims);
// The elements moved on by `shift` places along `dim`, those from the end to the front;
// a negative shift moves them back. Throws Error for a scalar.
Tensor roll(const Tensor& x, Integer shift, Dim dim);
// The coordinates of a grid, for vectors of n, m, ... numbers as many tensors of the
// shape (n, m, ...), views: element (i, j, ...) of the first is its i-th number, of the
// second its j-th. It is torch.meshgrid's indexing="ij". Throws Error unless all are
// vectors.
std::vector<Tensor> meshgrid(std::span<const Tensor> vectors);
std::vector<Tensor> meshgrid(std::initializer_list<Tensor> vectors);

}  // namespace heed

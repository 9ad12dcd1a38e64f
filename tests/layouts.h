// The elements of a tensor in other memory layouts.
#pragma once

#include "tensor/core/factories.h"
#include "tensor/core/views.h"
#include "tests/infinity.h"

namespace heed {

// The same elements in every second place of each dimension of a larger storage, with
// NaN (without floating point: 0) in the places between.
inline Tensor strided(const Tensor& x) {
  Shape wide = x.shape();
  for (std::int64_t& size : wide) size *= 2;
  Tensor view = full(wide, is_floating(x.dtype()) ? not_a_number : 0, x.dtype());
  for (int d = 0; d < x.dim(); ++d) view = slice(view, d, 1, to_end, 2);
  return view.copy_(x);
}

// The same elements, stored as those of transpose(x, dim0, dim1) would be.
inline Tensor stored_transposed(const Tensor& x, std::int64_t dim0, std::int64_t dim1) {
  return transpose(transpose(x, dim0, dim1).contiguous(), dim0, dim1);
}

}  // namespace heed

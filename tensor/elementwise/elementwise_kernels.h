// The loops of the elementwise ops.
#pragma once

#include <cstdint>

#include "tensor/core/dtype.h"
#include "tensor/elementwise/elementwise.h"

namespace heed::kernels {

// Computes n elements, one after the other, into `out`. Operand k is read from in[k] on
// in steps of strides[k] elements; a number is an operand of stride 0. `out` may be an
// operand of stride 1, except for sin and cos, which read theirs twice; otherwise it must
// not overlap one.
using Kernel = void (*)(std::int64_t n, const void* const* in,
                        const std::int64_t* strides, void* out);

// The kernel of each op and dtype (of `where` that of b and c), nullptr where there is
// none. Comparisons, logic and isnan, isinf, isfinite write bool, all others their dtype.
struct ElementwiseKernels {
  Kernel kernels[op_count][4];

  constexpr Kernel of(Op op, DType dtype) const {
    return kernels[static_cast<int>(op)][static_cast<int>(dtype)];
  }
};

}  // namespace heed::kernels

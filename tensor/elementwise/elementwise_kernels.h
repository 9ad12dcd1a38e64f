// The loops of the elementwise operations, compiled once for each level (see level.h).
#pragma once

#include <cstdint>

#include "tensor/core/dtype.h"

namespace heed::kernels {

enum class Op {
  // of one operand
  abs,
  cos,
  erf,
  exp,
  gelu,
  gelu_slope,
  gelu_tanh,
  gelu_tanh_slope,
  isfinite,
  isinf,
  isnan,
  log,
  log1p,
  logical_not,
  neg,
  reciprocal,
  relu,
  rsqrt,
  sigmoid,
  sign,
  silu,
  sin,
  softplus,
  sqrt,
  square,
  tanh,
  // of two
  add,
  div,
  eq,
  ge,
  gt,
  le,
  logical_and,
  logical_or,
  logical_xor,
  lt,
  maximum,
  minimum,
  mul,
  ne,
  pow,
  sub,
  // of three
  add_scaled,  // a + c b
  clamp,       // a held between b and c
  where,       // a (bool) ? b : c
};
inline constexpr int op_count = static_cast<int>(Op::where) + 1;

// Computes n elements, one after the other, into `out`. Operand k is read from in[k] on
// in steps of strides[k] elements; a number is an operand of stride 0. `out` may be an
// operand of stride 1, but must not overlap one otherwise.
using Kernel = void (*)(std::int64_t n, const void* const* in,
                        const std::int64_t* strides, void* out);

// The kernel of each op and dtype (of `where` that of b and c), nullptr where there is
// none. Comparisons, logic and isnan, isinf, isfinite write bool, all others their dtype.
struct Elementwise {
  Kernel kernels[op_count][4] = {};

  constexpr Kernel& of(Op op, DType dtype) {
    return kernels[static_cast<int>(op)][static_cast<int>(dtype)];
  }
  constexpr Kernel of(Op op, DType dtype) const {
    return kernels[static_cast<int>(op)][static_cast<int>(dtype)];
  }
};

namespace baseline {
const Elementwise& elementwise();
}
namespace v3 {
const Elementwise& elementwise();
}
namespace v4 {
const Elementwise& elementwise();
}

}  // namespace heed::kernels

// Tensors made after a Variable, as those in tensor/core/factories.h and
// tensor/random/random.h: no gradient takes part, so the results are Tensors.
#pragma once

#include "autograd/variable.h"
#include "tensor/core/factories.h"
#include "tensor/random/random.h"

namespace heed {

inline Tensor empty_like(const Variable& x) { return empty_like(x.value()); }
inline Tensor zeros_like(const Variable& x) { return zeros_like(x.value()); }
inline Tensor ones_like(const Variable& x) { return ones_like(x.value()); }
inline Tensor full_like(const Variable& x, Number value) {
  return full_like(x.value(), value);
}
inline Tensor rand_like(const Variable& x, Generator& generator = default_generator()) {
  return rand_like(x.value(), generator);
}
inline Tensor randn_like(const Variable& x, Generator& generator = default_generator()) {
  return randn_like(x.value(), generator);
}

}  // namespace heed

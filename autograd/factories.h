// Tensors made after a Variable, as those in tensor/core/factories.h and
// tensor/random/random.h: no gradient takes part, so the results are Tensors.
#pragma once

#include "autograd/variable.h"
#include "tensor/core/factories.h"
#include "tensor/random/random.h"

namespace heed {

inline Tensor empty_like(const Variable& x, std::optional<DType> dtype = {}) {
  return empty_like(x.value(), dtype);
}
inline Tensor zeros_like(const Variable& x, std::optional<DType> dtype = {}) {
  return zeros_like(x.value(), dtype);
}
inline Tensor ones_like(const Variable& x, std::optional<DType> dtype = {}) {
  return ones_like(x.value(), dtype);
}
inline Tensor full_like(const Variable& x, Number value,
                        std::optional<DType> dtype = {}) {
  return full_like(x.value(), value, dtype);
}
inline Tensor rand_like(const Variable& x, Generator& generator = default_generator()) {
  return rand_like(x.value(), generator);
}
inline Tensor randn_like(const Variable& x, Generator& generator = default_generator()) {
  return randn_like(x.value(), generator);
}
inline Tensor rand_like(const Variable& x, DType dtype,
                        Generator& generator = default_generator()) {
  return rand_like(x.value(), dtype, generator);
}
inline Tensor randn_like(const Variable& x, DType dtype,
                         Generator& generator = default_generator()) {
  return randn_like(x.value(), dtype, generator);
}

}  // namespace heed

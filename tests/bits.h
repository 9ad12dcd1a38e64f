// Elements of tensors, to be compared bit for bit.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "tensor/core/tensor.h"

namespace heed::tests {

using Bits = std::vector<std::uint64_t>;

inline void append_bits(Bits& bits, const Tensor& x) {
  for (const double number : x.to(float64).to_vector<double>()) {
    bits.emplace_back();
    std::memcpy(&bits.back(), &number, sizeof number);
  }
}

}  // namespace heed::tests

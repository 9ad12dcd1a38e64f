// Normally distributed float32 numbers. The bits are the same at every level.
#pragma once

#include <cstdint>

namespace heed::kernels {

inline constexpr int normal_block = 16;

struct NormalKernels {
  // Turns whole blocks of sixteen uniform numbers from [0, 1) into normal ones, in place,
  // number j of a block paired with number j + 8.
  void (*transform)(std::int64_t blocks, float* d, float mean, float std);
};

}  // namespace heed::kernels

// Normally distributed float32 numbers, compiled once for each level (see table.h). The
// bits are the same at every level.
#pragma once

#include <cstdint>

namespace heed::kernels {

inline constexpr int normal_block = 16;

// Turns whole blocks of sixteen uniform numbers from [0, 1) into normal ones, in place,
// number j of a block paired with number j + 8.
using NormalBlocks = void (*)(std::int64_t blocks, float* d, float mean, float std);

}  // namespace heed::kernels

// The instruction sets that the kernels are compiled for, and the choice among them.
#pragma once

#include <string_view>

namespace heed::kernels {

enum class Level {
  baseline,  // what every x86-64 has, and every other processor
  v3,        // AVX2 and FMA
  v4,        // AVX-512 F, DQ, BW and VL
};

// The best level of this processor, or the one that the environment variable HEED_LEVEL
// names: baseline, v3 or v4. If the processor lacks that, its best. Throws Error for any
// other name.
Level level();
std::string_view name(Level level);

}  // namespace heed::kernels

#include "tensor/kernels/level.h"

#include <cstdlib>

#include "tensor/core/error.h"

namespace heed::kernels {
namespace {

// The best level up to `most` that the processor and this build have.
Level best_level([[maybe_unused]] Level most) {
#if defined(__x86_64__)
  const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                  __builtin_cpu_supports("bmi2");
  const bool v4 =
      v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512cd");
  if (most >= Level::v4 && v4 && HEED_HAS_V4) return Level::v4;
  if (most >= Level::v3 && v3 && HEED_HAS_V3) return Level::v3;
#endif
  return Level::baseline;
}

Level chosen_level() {
  const char* const wanted = std::getenv("HEED_LEVEL");
  if (!wanted || *wanted == '\0') return best_level(Level::v4);
  for (Level level : {Level::baseline, Level::v3, Level::v4}) {
    if (name(level) == wanted) return best_level(level);
  }
  fail("HEED_LEVEL: must be baseline, v3 or v4, got {}", wanted);
}

}  // namespace

Level level() {
  static const Level chosen = chosen_level();
  return chosen;
}

std::string_view name(Level level) {
  constexpr std::string_view names[] = {"baseline", "v3", "v4"};
  return names[static_cast<int>(level)];
}

}  // namespace heed::kernels

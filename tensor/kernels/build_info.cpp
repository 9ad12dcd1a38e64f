#include "tensor/kernels/build_info.h"

#include <fmt/format.h>

#include "tensor/core/threads.h"
#include "tensor/kernels/level.h"
#include "tensor/product/blis.h"

namespace heed {
namespace {

std::string_view instructions(kernels::Level level) {
  switch (level) {
    case kernels::Level::v4: return " (AVX-512)";
    case kernels::Level::v3: return " (AVX2)";
    case kernels::Level::baseline: break;
  }
  return "";
}

}  // namespace

std::string build_info() {
  const kernels::Level level = kernels::level();
  const int threads = num_threads();
  return fmt::format("heed {}, {} kernels{}, {}, {} thread{}", HEED_VERSION, name(level),
                     instructions(level), blis::description(), threads,
                     threads == 1 ? "" : "s");
}

}  // namespace heed

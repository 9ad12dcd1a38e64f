#include "tensor/core/threads.h"

#include <algorithm>
#include <atomic>

#include <fmt/format.h>
#include <omp.h>

#include "tensor/core/error.h"
#include "tensor/kernels/level.h"
#include "tensor/product/blis.h"

namespace heed {
namespace {

std::atomic<int>& setting() {
  static std::atomic<int> threads{std::min(omp_get_max_threads(), most_threads)};
  return threads;
}

std::string_view instructions(kernels::Level level) {
  switch (level) {
    case kernels::Level::v4: return " (AVX-512)";
    case kernels::Level::v3: return " (AVX2)";
    case kernels::Level::baseline: break;
  }
  return "";
}

}  // namespace

void set_num_threads(int threads) {
  check(1 <= threads && threads <= most_threads,
        "set_num_threads: from 1 to {} threads, got {}", most_threads, threads);
  setting().store(threads, std::memory_order_relaxed);
}

int num_threads() { return setting().load(std::memory_order_relaxed); }

std::string build_info() {
  const kernels::Level level = kernels::level();
  const int threads = num_threads();
  return fmt::format("heed {}, {} kernels{}, {}, {} thread{}", HEED_VERSION, name(level),
                     instructions(level), blis::description(), threads,
                     threads == 1 ? "" : "s");
}

}  // namespace heed

#include "tensor/core/threads.h"

#include <algorithm>
#include <atomic>

#include <omp.h>

#include "tensor/core/error.h"

namespace heed {
namespace {

std::atomic<int>& setting() {
  static std::atomic<int> threads{std::min(omp_get_max_threads(), max_threads)};
  return threads;
}

}  // namespace

void set_num_threads(int threads) {
  check(1 <= threads && threads <= max_threads,
        "set_num_threads: from 1 to {} threads, got {}", max_threads, threads);
  setting().store(threads, std::memory_order_relaxed);
}

int num_threads() { return setting().load(std::memory_order_relaxed); }

}  // namespace heed

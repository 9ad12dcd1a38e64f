#include "tensor/core/threads.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <string_view>
#include <thread>

#include <sched.h>

#include "tensor/core/error.h"

namespace heed {
namespace {

// How many processors the system lets this process use.
int processors() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  // There are more than fit into a cpu_set_t, 1024.
  return static_cast<int>(std::thread::hardware_concurrency());
}

int threads_at_start() {
  const char* const value = std::getenv("OMP_NUM_THREADS");
  const std::string_view text = value ? value : "";
  int threads = 0;  // and so it stays where the text begins with no number
  const auto [end, error] = std::from_chars(text.begin(), text.end(), threads);
  const bool is_huge = error == std::errc::result_out_of_range && text[0] != '-';
  if (is_huge) threads = max_threads;
  return std::clamp(threads > 0 ? threads : processors(), 1, max_threads);
}

// A function: in a program that holds heed's objects a global of another file may compute
// before the globals of this one exist.
std::atomic<int>& setting() {
  static std::atomic<int> threads{threads_at_start()};
  return threads;
}

// Read when the library is loaded: a thread that calls an op may have fewer processors.
[[maybe_unused]] const int at_start = setting();

}  // namespace

void set_num_threads(int threads) {
  check(1 <= threads && threads <= max_threads,
        "set_num_threads: from 1 to {} threads, got {}", max_threads, threads);
  setting().store(threads, std::memory_order_relaxed);
}

int num_threads() { return setting().load(std::memory_order_relaxed); }

}  // namespace heed

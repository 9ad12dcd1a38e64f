// Cutting work among threads. Only heed's own sources include this file: it needs OpenMP.
#pragma once

#include <algorithm>
#include <cstdint>

#include <omp.h>

#include "tensor/core/threads.h"
#include "tensor/kernels/level.h"

namespace heed {

// The work of a loop below which threads cost more than they save, in elements.
inline constexpr std::int64_t parallel_grain = 32768;

// How many pieces of size b cover a.
inline std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// How many threads pay for `count` units of work, with at least `grain` for each.
inline std::int64_t thread_count(std::int64_t count, std::int64_t grain) {
  const std::int64_t most = omp_in_parallel() ? 1 : num_threads();
  return std::clamp<std::int64_t>(count / std::max<std::int64_t>(grain, 1), 1, most);
}

// Calls f(begin, end) over pieces of [0, count), on several threads when a piece of at
// least `grain` units of work falls to each. Where the cuts fall depends on the number of
// threads, so no sum may cross one. f must not throw.
template <class F>
void parallel_for(std::int64_t count, std::int64_t grain, F&& f) {
  const std::int64_t pieces = thread_count(count, grain);
  if (pieces == 1) {
    if (count > 0) f(std::int64_t{0}, count);
    return;
  }
  // Throws Error where HEED_LEVEL is wrong: a thread that looks up a kernel cannot, for
  // no exception leaves a loop of OpenMP.
  kernels::level();
#pragma omp parallel for num_threads(static_cast <int>(pieces)) schedule(static, 1)
  for (std::int64_t piece = 0; piece < pieces; ++piece) {
    f(count * piece / pieces, count * (piece + 1) / pieces);
  }
}

// Calls f(thread, begin, end) for each of `threads` even shares of [0, count), so that a
// share has memory of its own: thread counts from 0. f must not throw.
template <class F>
void parallel_shares(std::int64_t count, std::int64_t threads, F&& f) {
  parallel_for(threads, 1, [&](std::int64_t begin, std::int64_t end) {
    f(begin, count * begin / threads, count * end / threads);
  });
}

}  // namespace heed

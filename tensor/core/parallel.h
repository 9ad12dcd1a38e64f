// Cutting work among threads. Only heed's own sources include this file: it needs OpenMP.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
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

// Calls f(thread) for thread = 0 to `threads` - 1, each on a thread of its own if there
// are so many; inside a parallel region one after the other. f must not throw.
template <class F>
void in_threads(std::int64_t threads, F&& f) {
  if (thread_count(threads, 1) == 1) {
    for (std::int64_t thread = 0; thread < threads; ++thread) f(thread);
    return;
  }
  // Throws Error where HEED_LEVEL is wrong: a thread that looks up a kernel cannot, for
  // no exception leaves a loop of OpenMP.
  kernels::level();
#pragma omp parallel for num_threads(static_cast <int>(threads)) schedule(static, 1)
  for (std::int64_t thread = 0; thread < threads; ++thread) f(thread);
}

// Calls f(thread, begin, end) for each of `threads` even shares of [0, count), so that a
// share has memory of its own. f must not throw.
template <class F>
void parallel_shares(std::int64_t count, std::int64_t threads, F&& f) {
  in_threads(threads, [&](std::int64_t thread) {
    f(thread, count * thread / threads, count * (thread + 1) / threads);
  });
}

// Calls f(thread, i) for each i in [0, count). Each of `threads` threads takes an even
// share in order, and then what is left of the others' (work stealing): so a core that is
// slower, or has other work too, does not keep all waiting. f must not throw.
template <class F>
void parallel_stealing(std::int64_t count, std::int64_t threads, F&& f) {
  struct alignas(64) Share {  // a cache line of its own
    std::atomic<std::int64_t> next;
    std::int64_t end;
  };
  // Not in memory that could run out: optimisers rely on that.
  std::array<Share, 64> shares;
  const std::int64_t n = std::min<std::int64_t>(threads, shares.size());
  for (std::int64_t i = 0; i < n; ++i) {
    shares[i].next = count * i / n;
    shares[i].end = count * (i + 1) / n;
  }
  in_threads(threads, [&](std::int64_t thread) {
    for (std::int64_t k = 0; k < n; ++k) {
      Share& share = shares[(thread + k) % n];
      for (std::int64_t i; (i = share.next++) < share.end;) f(thread, i);
    }
  });
}

// Calls f(begin, end) over pieces of [0, count), of at least `grain` units of work if
// there are several, up to four for each thread. Where the cuts fall depends on the
// number of threads, so no sum may cross one. f must not throw.
template <class F>
void parallel_for(std::int64_t count, std::int64_t grain, F&& f) {
  const std::int64_t threads = thread_count(count, grain);
  const std::int64_t pieces =
      threads *
      std::clamp<std::int64_t>(count / threads / std::max<std::int64_t>(grain, 1), 1, 4);
  if (pieces == 1) {
    if (count > 0) f(std::int64_t{0}, count);
    return;
  }
  const auto piece = [&](std::int64_t, std::int64_t i) {
    f(count * i / pieces, count * (i + 1) / pieces);
  };
  parallel_stealing(pieces, threads, piece);
}

}  // namespace heed

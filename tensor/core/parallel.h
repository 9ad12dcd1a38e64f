// Cutting work among threads. Only heed's own sources include this file.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <type_traits>

#include "tensor/core/threads.h"

namespace heed {

// The fewest operations, such as an addition of two elements of arrays, that are worth a
// thread. To begin and end a loop takes half a microsecond, if the threads still wait
// busily (see parallel.cpp); more goes to fetch what the op before has left in another
// core's cache.
inline constexpr std::int64_t parallel_grain = 16384;
// The time of an exp, in such operations.
inline constexpr std::int64_t exp_cost = 4;
// The same work in multiply-adds of a product: some 32 take as long as such an operation.
inline constexpr std::int64_t multiply_grain = 1 << 19;

// How many pieces of size b cover a.
inline std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return a / b + (a % b > 0);
}

// The size of a piece if `size` is cut into as few nearly equal pieces of at most `most`
// as possible, rounded up to a multiple of `unit`.
inline std::int64_t piece_size(std::int64_t size, std::int64_t most, std::int64_t unit) {
  return ceil_div(ceil_div(size, ceil_div(size, most)), unit) * unit;
}

// Whether this thread computes its part of a loop that several threads share. A loop
// begun there is not cut again.
bool in_parallel();

// How many threads are worth their cost for `count` items of `work` operations each: one
// for each `grain` operations, at most one for each item, at most num_threads().
inline std::int64_t thread_count(std::int64_t count, std::int64_t work,
                                 std::int64_t grain = parallel_grain) {
  const std::int64_t most = in_parallel() ? 1 : num_threads();
  return std::clamp<std::int64_t>(std::min(count, count * work / grain), 1, most);
}

// Calls call(f, thread) for thread = 0 to `threads` - 1, each on a thread of its own. The
// caller computes 0, and then those that no thread has begun. It computes all, one after
// the other, if num_threads() is 1, if in_parallel(), or while another thread of the
// program has its loop computed. If `call` throws where threads share the loop, the
// program ends.
void in_threads(std::int64_t threads, void (*call)(void* f, std::int64_t thread),
                void* f);

// The same for a function object f(thread).
template <class F>
void in_threads(std::int64_t threads, F&& f) {
  using Callable = std::remove_reference_t<F>;
  in_threads(
      threads, [](void* g, std::int64_t thread) { (*static_cast<Callable*>(g))(thread); },
      const_cast<std::remove_const_t<Callable>*>(&f));
}

// Calls f(begin, end) once on each of thread_count(count, work) threads, for even shares
// of [0, count): for loops in which each call of f has a cost of its own. f must not
// throw.
template <class F>
void parallel_shares(std::int64_t count, std::int64_t work, F&& f) {
  const std::int64_t threads = thread_count(count, work);
  in_threads(threads, [&](std::int64_t thread) {
    f(count * thread / threads, count * (thread + 1) / threads);
  });
}

// The most shares of parallel_stealing(); threads beyond these only take from others.
inline constexpr std::int64_t most_shares = 64;

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
  std::array<Share, most_shares> shares;
  const std::int64_t n = std::min(threads, most_shares);
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

// Calls f(thread, begin, end) over pieces of [0, count), up to `each` for each of the
// threads, which steal from each other. Where the cuts fall depends on the number of
// threads, so no sum may cross one. f must not throw.
template <class F>
void parallel_pieces(std::int64_t count, std::int64_t threads, F&& f,
                     std::int64_t each = 4) {
  if (threads == 1) {
    if (count > 0) f(std::int64_t{0}, std::int64_t{0}, count);
    return;
  }
  const std::int64_t pieces = std::min(count, each * threads);
  parallel_stealing(pieces, threads, [&](std::int64_t thread, std::int64_t i) {
    f(thread, count * i / pieces, count * (i + 1) / pieces);
  });
}

// Calls f(begin, end) over such pieces, on thread_count(count, work, grain) threads. If
// there are several pieces for a thread, each has at least four times the work that pays
// for one: what a stolen one reads often lies in the other core's cache, so that small
// ones lose more time than they save. f must not throw.
template <class F>
void parallel_for(std::int64_t count, std::int64_t work, F&& f,
                  std::int64_t grain = parallel_grain) {
  const std::int64_t threads = thread_count(count, work, grain);
  const std::int64_t each = count * work / threads / (4 * grain);
  const auto piece = [&](auto, auto begin, auto end) { f(begin, end); };
  parallel_pieces(count, threads, piece, std::clamp<std::int64_t>(each, 1, 4));
}

}  // namespace heed

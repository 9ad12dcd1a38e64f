// Results that are larger than the caches. Only the kernels include this file: each gets
// functions of its own (see level.h).
#pragma once

#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "tensor/kernels/vector.h"

namespace heed::kernels::HEED_KERNELS {
namespace {

// Whether `count` elements of a result are streamed: written to memory past the caches.
// Before an ordinary store the processor reads the line that the store changes, a quarter
// of the traffic of an addition. A smaller result is better left in the cache, from where
// the next op reads it. The limit is 4 MiB in one call: parallel_for() calls once if
// there is one thread, else mostly four times for each, so that results from 16 MiB a
// thread on are streamed.
template <class T>
constexpr bool is_streamed(int64_t count) {
  return count >= (int64_t{4} << 20) / static_cast<int64_t>(sizeof(T));
}

// Stores a vector past the caches; its address is a multiple of its size.
template <class V>
[[gnu::always_inline]] inline void store_past_caches(void* to, const V& x) {
#if defined(__AVX512F__)
  if constexpr (sizeof x == 64) {
    return _mm512_stream_si512(static_cast<__m512i*>(to), (__m512i)x);
  }
#endif
#if defined(__AVX__)
  if constexpr (sizeof x == 32) {
    return _mm256_stream_si256(static_cast<__m256i*>(to), (__m256i)x);
  }
#endif
#if defined(__SSE2__)
  if constexpr (sizeof x == 16) {
    return _mm_stream_si128(static_cast<__m128i*>(to), (__m128i)x);
  }
#endif
  std::memcpy(to, &x, sizeof x);
}

// How many elements from `to` on lie before the next cache line; 0 if `to` begins one.
template <class T>
int64_t to_next_line(const T* to) {
  const auto past = static_cast<int64_t>(reinterpret_cast<std::uintptr_t>(to) % 64);
  return (64 - past) % 64 / static_cast<int64_t>(sizeof(T));
}

// Copies a piece of such a result, n elements, from a buffer to its place. It is fastest
// from one cache line to another. After the last piece end_stream() makes all of them
// visible to other threads. Not inlined: each op's loop would hold a copy.
template <class T>
[[gnu::noinline]] void stream(int64_t n, const T* from, T* to) {
  int64_t i = 0;
  for (const int64_t head = to_next_line(to); i < n && i < head; ++i) to[i] = from[i];
  for (; i + lanes<T> <= n; i += lanes<T>) store_past_caches(to + i, load(from + i));
  for (; i < n; ++i) to[i] = from[i];
}

inline void end_stream() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

}  // namespace
}  // namespace heed::kernels::HEED_KERNELS

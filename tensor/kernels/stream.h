// Results that are larger than the caches. Only the kernels include this file: each gets
// functions of its own (see level.h).
#pragma once

#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace heed::kernels::HEED_KERNELS {
namespace {

// Whether `count` elements of a result are streamed: written to memory past the caches.
// Before an ordinary store the processor reads the line that the store changes, a quarter
// of the traffic of an addition. A smaller result is better left in the cache, from where
// the next op reads it. The limit is 4 MiB in one call; parallel_for() mostly calls four
// times a thread, so that results from 16 MiB a thread on are streamed.
template <class T>
constexpr bool is_streamed(int64_t count) {
  return count >= (int64_t{4} << 20) / static_cast<int64_t>(sizeof(T));
}

#if defined(__AVX512F__)
using StreamVector = __m512i;
inline void store_past_caches(void* to, StreamVector x) {
  _mm512_stream_si512(static_cast<StreamVector*>(to), x);
}
#elif defined(__AVX__)
using StreamVector = __m256i;
inline void store_past_caches(void* to, StreamVector x) {
  _mm256_stream_si256(static_cast<StreamVector*>(to), x);
}
#elif defined(__SSE2__)
using StreamVector = __m128i;
inline void store_past_caches(void* to, StreamVector x) {
  _mm_stream_si128(static_cast<StreamVector*>(to), x);
}
#endif

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
#if defined(__SSE2__)
  constexpr int64_t lanes = sizeof(StreamVector) / sizeof(T);
  for (const int64_t head = to_next_line(to); i < n && i < head; ++i) to[i] = from[i];
  for (; i + lanes <= n; i += lanes) {
    StreamVector x;
    std::memcpy(&x, from + i, sizeof x);
    store_past_caches(to + i, x);
  }
#endif
  for (; i < n; ++i) to[i] = from[i];
}

inline void end_stream() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

}  // namespace
}  // namespace heed::kernels::HEED_KERNELS

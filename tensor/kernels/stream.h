// Results that are larger than the caches. Only the kernels include this file: each gets
// functions of its own (see level.h).
#pragma once

#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace heed::kernels::HEED_KERNELS {
namespace {

// Whether a thread's part of a result, `count` elements, is streamed: written to memory
// past the caches. Before an ordinary store the processor reads the line that the store
// changes, a quarter of the traffic of an addition. A smaller result is better left in
// the cache, from where the next op reads it.
template <class T>
constexpr bool is_streamed(int64_t count) {
  return count >= (int64_t{16} << 20) / static_cast<int64_t>(sizeof(T));
}

// Copies a piece of such a result, n elements, from a buffer to its place. After the last
// piece end_stream() makes all of them visible to other threads.
template <class T>
void stream(int64_t n, const T* from, T* to) {
#if defined(__SSE2__)
  constexpr int64_t vector = sizeof(__m128i) / sizeof(T);
  for (; n > 0 && reinterpret_cast<std::uintptr_t>(to) % sizeof(__m128i) != 0; --n) {
    *to++ = *from++;
  }
  for (; n >= vector; n -= vector, from += vector, to += vector) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(to),
                     _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
  }
#endif
  for (int64_t i = 0; i < n; ++i) to[i] = from[i];
}

inline void end_stream() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

}  // namespace
}  // namespace heed::kernels::HEED_KERNELS

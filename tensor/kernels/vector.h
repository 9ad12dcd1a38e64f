// Vectors of the processor, for the kernel files alone: where a loop must keep its sums
// in registers, which compilers do not promise of an array, or needs an instruction that
// they do not find by themselves.
#pragma once

#include <cstring>
#include <type_traits>
#include <utility>

#if defined(__FMA__)
#include <immintrin.h>
#endif

namespace heed::kernels::HEED_KERNELS {
namespace {

// The bytes of a vector at this level.
#if defined(__AVX512F__)
constexpr int vector_bytes = 64;
#elif defined(__AVX__)
constexpr int vector_bytes = 32;
#else
constexpr int vector_bytes = 16;
#endif

// A vector of T, an extension of g++ and clang: + - *, comparisons and ?: work lane by
// lane, and Vector<T>{} is zeros.
template <class T, int bytes = vector_bytes>
struct VectorOf {
  using type __attribute__((vector_size(bytes))) = T;
};
template <class T, int bytes = vector_bytes>
using Vector = typename VectorOf<T, bytes>::type;
template <class T, int bytes = vector_bytes>
constexpr int lanes = bytes / sizeof(T);

// The elements of a line of the caches.
template <class T>
constexpr int cache_line = 64 / sizeof(T);

template <int bytes = vector_bytes, class T>
[[gnu::always_inline]] inline Vector<T, bytes> load(const T* x) {
  Vector<T, bytes> v;
  std::memcpy(&v, x, sizeof v);
  return v;
}

// A vector with x in every lane. In an expression with a vector compilers widen a number.
// x - 0 is x, but x + 0 would make 0 of -0.
template <int bytes = vector_bytes, class T>
[[gnu::always_inline]] inline Vector<T, bytes> broadcast(T x) {
  return x - Vector<T, bytes>{};
}

// a b + c, rounded once at levels that have fused multiply-adds.
#if defined(__FMA__)
[[gnu::always_inline]] inline __m128 multiply_add(__m128 a, __m128 b, __m128 c) {
  return _mm_fmadd_ps(a, b, c);
}
[[gnu::always_inline]] inline __m128d multiply_add(__m128d a, __m128d b, __m128d c) {
  return _mm_fmadd_pd(a, b, c);
}
[[gnu::always_inline]] inline __m256 multiply_add(__m256 a, __m256 b, __m256 c) {
  return _mm256_fmadd_ps(a, b, c);
}
[[gnu::always_inline]] inline __m256d multiply_add(__m256d a, __m256d b, __m256d c) {
  return _mm256_fmadd_pd(a, b, c);
}
#if defined(__AVX512F__)
[[gnu::always_inline]] inline __m512 multiply_add(__m512 a, __m512 b, __m512 c) {
  return _mm512_fmadd_ps(a, b, c);
}
[[gnu::always_inline]] inline __m512d multiply_add(__m512d a, __m512d b, __m512d c) {
  return _mm512_fmadd_pd(a, b, c);
}
#endif
#else
template <class V>
[[gnu::always_inline]] inline V multiply_add(V a, V b, V c) {
  return a * b + c;
}
#endif

// Calls f with the constants 0 to n - 1. Compilers keep an array of vectors in registers
// only if every index into it is a constant early on: they unroll loops too late.
template <int n, class F>
[[gnu::always_inline]] inline void repeat(const F& f) {
  [&]<int... i>(std::integer_sequence<int, i...>) __attribute__((always_inline)) {
    (f(std::integral_constant<int, i>{}), ...);
  }
  (std::make_integer_sequence<int, n>{});
}

}  // namespace
}  // namespace heed::kernels::HEED_KERNELS

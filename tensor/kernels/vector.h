// Vectors of the processor, for the kernel files alone: where a loop must keep its sums
// in registers, which compilers do not promise of an array.
#pragma once

#include <cstring>
#include <type_traits>
#include <utility>

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

template <class T, int bytes = vector_bytes>
struct VectorOf {
  using type __attribute__((vector_size(bytes))) = T;
};
template <class T, int bytes = vector_bytes>
using Vector = typename VectorOf<T, bytes>::type;
template <class T, int bytes = vector_bytes>
constexpr int lanes = bytes / sizeof(T);

template <int bytes = vector_bytes, class T>
[[gnu::always_inline]] inline Vector<T, bytes> load(const T* x) {
  Vector<T, bytes> v;
  std::memcpy(&v, x, sizeof v);
  return v;
}

// The number in every lane. (- 0 changes no number, where + 0 changes -0.)
template <int bytes = vector_bytes, class T>
[[gnu::always_inline]] inline Vector<T, bytes> broadcast(T x) {
  return x - Vector<T, bytes>{};
}

// Calls f with the constants 0 to n - 1. Compilers keep an array of vectors in registers
// if every index into it is a constant; a loop's index becomes one, when the loop is
// unrolled, too late for that.
template <int n, class F>
[[gnu::always_inline]] inline void repeat(const F& f) {
  [&]<int... i>(std::integer_sequence<int, i...>) __attribute__((always_inline)) {
    (f(std::integral_constant<int, i>{}), ...);
  }
  (std::make_integer_sequence<int, n>{});
}

}  // namespace
}  // namespace heed::kernels::HEED_KERNELS

// Folding rows into one by an operation of two elements, and the dot product, for the
// kernel files alone.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "tensor/kernels/vector.h"

namespace heed::kernels::HEED_KERNELS {
namespace {

using std::int64_t;

// An operation of two elements, and the element that changes nothing. Signed overflow is
// undefined in C++, so int64 goes through its unsigned twin.
struct Sum {
  template <class T>
  static constexpr T neutral = T(0);
  template <class T>
  static T of(T a, T b) {
    if constexpr (std::is_same_v<T, bool>) {
      return a | b;
    } else if constexpr (std::is_same_v<T, int64_t>) {
      return static_cast<int64_t>(static_cast<std::uint64_t>(a) +
                                  static_cast<std::uint64_t>(b));
    } else {
      return a + b;
    }
  }
};

struct Product {
  template <class T>
  static constexpr T neutral = T(1);
  template <class T>
  static T of(T a, T b) {
    if constexpr (std::is_same_v<T, bool>) {
      return a & b;
    } else if constexpr (std::is_same_v<T, int64_t>) {
      return static_cast<int64_t>(static_cast<std::uint64_t>(a) *
                                  static_cast<std::uint64_t>(b));
    } else {
      return a * b;
    }
  }
};

struct Largest {
  template <class T>
  static constexpr T neutral = std::is_floating_point_v<T>
                                   ? -std::numeric_limits<T>::infinity()
                                   : std::numeric_limits<T>::lowest();
  template <class T>
  static T of(T a, T b) {
    const T better = b > a ? b : a;  // a if it is NaN
    return b != b ? b : better;
  }
};

struct Smallest {
  template <class T>
  static constexpr T neutral = std::is_floating_point_v<T>
                                   ? std::numeric_limits<T>::infinity()
                                   : std::numeric_limits<T>::max();
  template <class T>
  static T of(T a, T b) {
    const T better = b < a ? b : a;  // a if it is NaN
    return b != b ? b : better;
  }
};

// Folds the n rows of x, each of `width`, into one row.
template <class Op, class T>
void fold_rows(int64_t n, int64_t width, const T* x, T* out) {
  for (int64_t j = 0; j < width; ++j) out[j] = Op::template neutral<T>;
  int64_t i = 0;
  for (; i + 4 <= n; i += 4, x += 4 * width) {
    const T *b = x + width, *c = b + width, *d = c + width;
#pragma omp simd
    for (int64_t j = 0; j < width; ++j) {
      out[j] = Op::of(out[j], Op::of(Op::of(x[j], b[j]), Op::of(c[j], d[j])));
    }
  }
  for (; i < n; ++i, x += width) {
#pragma omp simd
    for (int64_t j = 0; j < width; ++j) out[j] = Op::of(out[j], x[j]);
  }
}

template <class Op, class T>
T fold_in_turn(int64_t n, const T* x, T result) {
  for (int64_t i = 0; i < n; ++i) result = Op::of(result, x[i]);
  return result;
}

// Partial results that stand side by side: each half into the other, so that the order
// depends on their number alone. That is a power of two.
template <class Op, int n, class T>
[[gnu::always_inline]] inline T fold_lanes(const T (&lane)[n]) {
  if constexpr (n == 1) {
    return lane[0];
  } else {
    // An array of its own for each half: the compiler keeps it in a vector register.
    T half[n / 2];
#pragma omp simd
    for (int j = 0; j < n / 2; ++j) half[j] = Op::of(lane[j], lane[j + n / 2]);
    return fold_lanes<Op>(half);
  }
}

// A row is folded as the n / width rows of a matrix first, so that the vector units are
// full, then the lanes: in the order of fold_rows. For floating T the partial results are
// in registers, and Op::of works on whole vectors.
template <int width, class Op, class T>
T fold_in_lanes(int64_t n, const T* x) {
  T lane[width];
  if constexpr (std::is_floating_point_v<T>) {
    constexpr int vectors = width / lanes<T>;
    Vector<T> part[vectors];
    repeat<vectors>([&](auto v) { part[v] = broadcast(Op::template neutral<T>); });
    const T* row = x;
    int64_t i = 0;
    for (; i + 4 <= n / width; i += 4, row += 4 * width) {
      repeat<vectors>([&](auto v) {
        const auto at = [&](int r) { return load(row + r * width + v * lanes<T>); };
        part[v] = Op::of(part[v], Op::of(Op::of(at(0), at(1)), Op::of(at(2), at(3))));
      });
    }
    for (; i < n / width; ++i, row += width) {
      repeat<vectors>(
          [&](auto v) { part[v] = Op::of(part[v], load(row + v * lanes<T>)); });
    }
    std::memcpy(lane, part, sizeof lane);
  } else {
    fold_rows<Op>(n / width, width, x, lane);
  }
  return fold_in_turn<Op>(n % width, x + n / width * width, fold_lanes<Op>(lane));
}

// Folds the n elements of a row.
template <class Op, class T>
T fold_row(int64_t n, const T* x) {
  return n < 256 ? fold_in_lanes<16, Op>(n, x) : fold_in_lanes<64, Op>(n, x);
}

// A matrix (n, inner) of few columns is folded into one row of them with several of its
// rows side by side first: as many as have up to so many elements.
constexpr int narrow_lanes = 64;

template <class Op, class T>
void fold_narrow(int64_t n, int64_t inner, const T* x, T* out) {
  const int64_t side_by_side = narrow_lanes / inner, groups = n / side_by_side;
  T lane[narrow_lanes];
  fold_rows<Op>(groups, side_by_side * inner, x, lane);
  fold_rows<Op>(side_by_side, inner, lane, out);
  for (int64_t i = groups * side_by_side * inner; i < n * inner; i += inner) {
    for (int64_t j = 0; j < inner; ++j) out[j] = Op::of(out[j], x[i + j]);
  }
}

// Folds x (outer, n, inner) along n into `out` (outer, inner).
template <class Op, class T>
void fold(int64_t outer, int64_t n, int64_t inner, const T* x, T* out) {
  for (int64_t o = 0; o < outer; ++o, x += n * inner, out += inner) {
    if (inner == 1) {
      out[0] =
          n < 64 ? fold_in_turn<Op>(n, x, Op::template neutral<T>) : fold_row<Op>(n, x);
    } else if (inner <= narrow_lanes / 2 && n * inner >= 2 * narrow_lanes) {
      fold_narrow<Op>(n, inner, x, out);
    } else {
      fold_rows<Op>(n, inner, x, out);
    }
  }
}

// Inlined, as a call for each short row costs a tenth of attention of one query.
template <int width, class T>
[[gnu::always_inline]] inline T dot_lanes(int64_t n, const T* a, const T* b) {
  T lane[width] = {};
  int64_t i = 0;
  for (; i + width <= n; i += width) {
#pragma omp simd
    for (int j = 0; j < width; ++j) lane[j] += a[i + j] * b[i + j];
  }
  T result = fold_lanes<Sum>(lane);
  for (; i < n; ++i) result += a[i] * b[i];
  return result;
}

// Σ a_i b_i, added up in the same order at every level.
template <class T>
T dot(int64_t n, const T* a, int64_t sa, const T* b, int64_t sb) {
  if (n >= 16 && sa == 1 && sb == 1) {
    return n < 128 ? dot_lanes<16>(n, a, b) : dot_lanes<64>(n, a, b);
  }
  T result = 0;
  for (int64_t i = 0; i < n; ++i) result += a[i * sa] * b[i * sb];
  return result;
}

}  // namespace
}  // namespace heed::kernels::HEED_KERNELS

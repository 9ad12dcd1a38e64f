// The loops of additive attention's scores; tensor/attention/additive_scores.h has the
// formulas.
#pragma once

#include <cstdint>

namespace heed::kernels {

// How many hidden units the gradients take at a time, and in how many lanes a score is
// added up: the floats of the widest registers.
inline constexpr std::int64_t additive_width = 16;

// tanh(q + k) = (E - 1) / (E + 1) with E = e^2q e^2k: for n queries and m keys n + m
// exponentials do, in place of n m. Of x (rows, width) these are e^2x and e^2x - 1, which
// serves where x is small, and the largest |x| of each row.
//
// Inlined always, for kernels of all levels call these functions (see level.h).
template <class T>
struct Powers {
  T *power, *less_one, *largest;

  // From row i on.
  [[gnu::always_inline]] Powers row(std::int64_t i, std::int64_t width) const {
    return {power + i * width, less_one + i * width, largest + i};
  }
  // The elements of all three.
  [[gnu::always_inline]] static std::int64_t size(std::int64_t rows, std::int64_t width) {
    return rows * (2 * width + 1);
  }
  [[gnu::always_inline]] static Powers in(T* memory, std::int64_t rows,
                                          std::int64_t width) {
    return {memory, memory + rows * width, memory + 2 * rows * width};
  }
};

// Whether powers take less time than a tanh for each of the n m pairs.
inline bool powers_pay(std::int64_t n, std::int64_t m) { return 4 * (n + m) <= n * m; }

// The operands and results of the gradients of some hidden units of one batch entry: the
// pointers are to the first of these units. Rows are h apart: q and dq have n of them, k
// and dk m, w and dw one; g (n, m) is contiguous. `powers` is memory for the Powers of q
// and of k, or null.
template <class T>
struct AdditiveBackward {
  std::int64_t n, m, h;
  const T *q, *k, *w, *g;
  T *dq, *dk, *dw, *powers;
};

template <class T>
struct AdditiveKernels {
  // scores (m) of one query q (h) and m keys k (m, h), for the weights w (h).
  void (*scores)(std::int64_t m, std::int64_t h, const T* q, const T* k, const T* w,
                 T* scores);
  // The same by powers: those of q, and of k.
  void (*scores_by_powers)(std::int64_t m, std::int64_t h, const T* q, const T* k,
                           const T* w, const Powers<T>& of_q, const Powers<T>& of_k,
                           T* scores);
  // The powers of x, whose rows are `stride` apart.
  void (*powers)(std::int64_t rows, std::int64_t width, const T* x, std::int64_t stride,
                 const Powers<T>& to);
  // The gradients of `width` hidden units, at most additive_width.
  void (*gradients)(const AdditiveBackward<T>& x, std::int64_t width);
};

}  // namespace heed::kernels

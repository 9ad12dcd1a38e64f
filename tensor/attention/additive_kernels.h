// The loops of additive attention's scores; tensor/attention/additive_scores.h has the
// formulas.
#pragma once

#include <cstdint>

namespace heed::kernels {

// How many hidden units the gradients take at a time: a vector of the widest registers.
inline constexpr std::int64_t additive_width = 16;

// The operands at the first of some hidden units of one batch entry. Rows are h apart:
// q and dq have n of them, k and dk m, w and dw one; g (n, m) is contiguous.
template <class T>
struct AdditiveGradients {
  std::int64_t n, m, h;
  const T *q, *k, *w, *g;
  T *dq, *dk, *dw;
};

template <class T>
struct AdditiveKernels {
  // scores (m) of one query q (h) and m keys k (m, h), for the weights w (h).
  void (*scores)(std::int64_t m, std::int64_t h, const T* q, const T* k, const T* w,
                 T* scores);
  // The gradients of `width` hidden units, at most additive_width.
  void (*gradients)(const AdditiveGradients<T>& x, std::int64_t width);
};

}  // namespace heed::kernels

// The loops of attention with a Gaussian kernel; gaussian_attention.h has the formulas.
#pragma once

#include <cstdint>

namespace heed::kernels {

// The operands: queries q (n), each with keys k (n, m) and values v (n, m) of its own.
template <class T>
struct GaussianOperands {
  std::int64_t n, m;
  const T *q, *k, *v;
  T w;
};

// The results of the forward pass: the weights p (n, m), the output o (n) and the
// derivatives of o by q and by w, (n) each.
template <class T>
struct GaussianResults {
  T *p, *o, *do_dq, *do_dw;
};

// The other operands of the gradients: p and o as above, and the gradient g (n) of o.
template <class T>
struct GaussianBackward {
  const T *p, *o, *g;
};

// The gradients of keys and values, (n, m) each; null where they are not wanted.
template <class T>
struct GaussianGradients {
  T *dk, *dv;
};

template <class T>
struct GaussianKernels {
  // p (n, m) = softmax(-((q - k) w)^2 / 2) along the rows, and o (n) = sum(p v).
  void (*attention)(const GaussianOperands<T>& x, const GaussianResults<T>& to);
  void (*gradients)(const GaussianOperands<T>& x, const GaussianBackward<T>& from,
                    const GaussianGradients<T>& to);
};

}  // namespace heed::kernels

// The loops of attention other than its products in tiles.
#pragma once

#include <cstdint>

namespace heed::kernels {

// The most columns that a tile of a product has at any level. No `width` is larger.
inline constexpr std::int64_t widest_tile = 32;

// For `rows` queries and the `width` keys of a panel, from `first` on. s (rows, width)
// comes with the scores S and leaves with F ∘ P; d, unless it is null, comes with G Vᵀ
// and leaves with dS (the names are those at the head of attention_backward.cpp). For a
// score s of row i:
//   p = exp(s - largest[i]) inverse_sums[i],  d = p (factor d - dots[i]),  s = factor p
// with dots[i] = G_i·O_i. For keys from lens[i] on, and where the score is -inf, both
// become 0, whatever d is. The factor is 1, or with dropout, when there are bits,
// `stay_factor` where the key's bit is 1 and 0 where it is 0. Row i of the bits begins at
// bits + i * bits_stride.
template <class T>
struct ScoresPanel {
  std::int64_t rows, width, first;
  std::int64_t stride;  // from row to row of s, and of d
  const std::int64_t* lens;
  const T *largest, *inverse_sums, *dots;
  const std::int64_t* bits;
  std::int64_t bits_stride;
  T stay_factor;
  T *s, *d;
};

template <class T>
struct AttentionKernels {
  // A softmax down the columns of x (n, width) that leaves the division to the caller.
  // Of the first lens[j] elements of column j, of all if lens[j] is n or more, largest[j]
  // is the largest; they become e = exp(x - largest[j]), the others 0; inverse_sums[j] is
  // 1 / Σ e. A column without a number above -inf becomes NaN, as does its 1 / Σ e: the
  // caller puts zeros where it has an effect.
  void (*exp_columns)(std::int64_t n, std::int64_t width, const std::int64_t* lens, T* x,
                      T* largest, T* inverse_sums);
  // x (rows, columns) += bias; where that is -inf, which hides the pair, x becomes -inf,
  // whatever it was. The rows of x are x_stride apart.
  void (*add_bias)(std::int64_t rows, std::int64_t columns, const T* bias,
                   std::int64_t row_stride, std::int64_t column_stride, T* x,
                   std::int64_t x_stride);
  // Dropout down the first `count` columns of x (n, width): x[i, j] becomes 0 where bit i
  // of row j is 0; all other columns become 0. Rows of bits are `stride` words apart.
  void (*drop_columns)(std::int64_t n, std::int64_t width, std::int64_t count,
                       const std::int64_t* bits, std::int64_t stride, T* x);
  // The backward pass between its products, from S and G Vᵀ to F ∘ P and dS.
  void (*scores_backward)(const ScoresPanel<T>& panel);
  // out[j * out_stride + i] = x[i * stride + j] for i < rows and j < columns.
  void (*transpose)(std::int64_t rows, std::int64_t columns, const T* x,
                    std::int64_t stride, T* out, std::int64_t out_stride);
  // For attention row by row. out[i] = alpha times the sum over p < n of
  // a[i * a_stride + p] * x[p], i < rows. (BLAS: gemv)
  void (*gemv)(std::int64_t rows, std::int64_t n, T alpha, const T* a,
               std::int64_t a_stride, const T* x, T* out);
  // a[i * a_stride + p] = alpha x[i] y[p], i < rows and p < n; with `add` it adds that to
  // what a holds. (BLAS: ger)
  void (*ger)(std::int64_t rows, std::int64_t n, T alpha, const T* x, const T* y,
              bool add, T* a, std::int64_t a_stride);
};

}  // namespace heed::kernels

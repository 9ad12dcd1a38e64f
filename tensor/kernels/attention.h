// The loops of attention between its products, on blocks of scores as BLIS's micro-kernel
// leaves them: `width` numbers side by side, one row after the other.
#pragma once

#include <cstdint>

namespace heed::kernels {

template <class T>
struct AttentionLoops {
  // Softmax down the columns of x (n, width), but for the division: x becomes
  // e = exp(x - largest), and each column gets 1 / Σ e and the logarithm of its sum of
  // exponentials, log Σ exp(x).
  void (*exp_columns)(std::int64_t n, std::int64_t width, T* x, T* inverse_sums,
                      T* log_sums);
  // The way back, for `rows` queries and the keys from `first` on, side by side. Of the
  // scores s (rows, width) it makes the weights, and of their gradient d (rows, width),
  // unless that is null, the gradient of the scores:
  //   s = exp(s - log_sums[row]) for the keys below lens[row], else 0
  //   d = s (d - dots[row])
  void (*weights)(std::int64_t rows, std::int64_t width, std::int64_t first,
                  const std::int64_t* lens, const T* log_sums, const T* dots, T* s, T* d);
};

struct AttentionTable {
  AttentionLoops<float> float32;
  AttentionLoops<double> float64;
};

namespace baseline {
const AttentionTable& attention();
}
namespace v3 {
const AttentionTable& attention();
}
namespace v4 {
const AttentionTable& attention();
}

}  // namespace heed::kernels

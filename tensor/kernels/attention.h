// The loops of attention between its products, on blocks of scores as BLIS's micro-kernel
// leaves them: `width` numbers side by side, one row after the other.
#pragma once

#include <cstdint>

namespace heed::kernels {

template <class T>
struct AttentionLoops {
  // Softmax down the columns of x (n, width), of each column over its first lens[column]
  // elements, but for the division: these become e = exp(x - largest), the others 0, and
  // each column gets its largest x and 1 / Σ e. lens of n or more take the whole column.
  void (*exp_columns)(std::int64_t n, std::int64_t width, const std::int64_t* lens, T* x,
                      T* largest, T* inverse_sums);
  // The way back, for `rows` queries and the keys from `first` on, side by side. Of the
  // scores s (rows, width) it makes the weights, and of their gradient d (rows, width),
  // unless that is null, the gradient of the scores:
  //   s = exp(s - largest[row]) inverse_sums[row], d = s (d - dots[row])
  // for the keys below lens[row]; for the others both are 0, whatever d is.
  void (*weights)(std::int64_t rows, std::int64_t width, std::int64_t first,
                  const std::int64_t* lens, const T* largest, const T* inverse_sums,
                  const T* dots, T* s, T* d);
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

// Sinusoidal positional encoding. Attention treats its inputs as a set; the encoding
// tells it their order.   (Vaswani et al., 2017, section 3.5)
#pragma once

#include "autograd/variable.h"
#include "nn/dropout.h"

namespace heed::nn {

// P(i, 2j) = sin(i / 10000^(2j/d)),  P(i, 2j+1) = cos(i / 10000^(2j/d))
//
// for position i and features 2j and 2j + 1 of d = num_hiddens.
struct PositionalEncoding {
  Dropout dropout;  // of the sum
  Tensor P;         // (1, max_len, num_hiddens); constant, so not listed

  // Throws Error unless the sizes are at least 1 and dropout is from 0 to 1.
  PositionalEncoding(Size num_hiddens, double dropout, Size max_len = 1000,
                     DType dtype = float32);

  // x + P, for x (batch, n, num_hiddens) with n <= max_len. Throws Error otherwise.
  Variable operator()(const Variable& x) const;

  void visit(auto&& f) { f("dropout", dropout); }
};

}  // namespace heed::nn

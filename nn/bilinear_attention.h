// Bilinear attention: queries and keys of different sizes, compared by a matrix.
// (Luong, Pham and Manning, 2015, who call this score general; GeneralAttention is
// another thing)
#pragma once

#include "nn/dropout.h"
#include "nn/linear.h"
#include "nn/mask.h"

namespace heed::nn {

// s(q, k) = k·(W q),  weights = softmax(s),  output = weights V
struct BilinearAttention {
  Linear W;         // query_size -> key_size, without bias
  Dropout dropout;  // of the weights
  bool keep_weights = false;
  Tensor attention_weights;  // (batch, n, m), before dropout, of the last call
                             // with keep_weights set

  // Throws Error unless the sizes are at least 1 and dropout is from 0 to 1.
  BilinearAttention(Size query_size, Size key_size, double dropout = 0,
                    DType dtype = float32)
      : W(query_size, key_size, {.bias = false, .dtype = dtype}), dropout(dropout) {}

  // queries (batch, n, query_size), keys (batch, m, key_size), values (batch, m, dv) ->
  // (batch, n, dv). Throws Error when a shape or the mask does not fit.
  Variable operator()(const Variable& queries, const Variable& keys,
                      const Variable& values, const Mask& mask = {});

  void visit(auto&& f) {
    f("W", W);
    f("dropout", dropout);
  }
};

}  // namespace heed::nn

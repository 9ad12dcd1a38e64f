// Additive attention: queries and keys of different sizes, compared by a small network.
// (Bahdanau, Cho and Bengio, 2015)
#pragma once

#include "nn/dropout.h"
#include "nn/linear.h"
#include "nn/mask.h"

namespace heed::nn {

// a(q, k) = w_vᵀ tanh(W_q q + W_k k),  weights = softmax(a),  output = weights V
struct AdditiveAttention {
  Linear W_k, W_q, w_v;  // no biases; drawn in this order
  Dropout dropout;       // of the weights
  bool keep_weights = false;
  Tensor attention_weights;  // (batch, n, m), before dropout, of the last call
                             // with keep_weights set

  // Throws Error unless the sizes are at least 1 and dropout is from 0 to 1.
  AdditiveAttention(Size key_size, Size query_size, Size num_hiddens, double dropout,
                    DType dtype = float32);

  // queries (batch, n, query_size), keys (batch, m, key_size), values (batch, m, dv) ->
  // (batch, n, dv). Throws Error when a shape or the mask does not fit.
  Variable operator()(const Variable& queries, const Variable& keys,
                      const Variable& values, const Mask& mask = {});

  void visit(auto&& f) {
    f("W_k", W_k);
    f("W_q", W_q);
    f("w_v", w_v);
    f("dropout", dropout);
  }
};

}  // namespace heed::nn

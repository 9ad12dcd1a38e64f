// Attention with learned projections, one head: from one sequence to another, and within
// one.   (Vaswani et al., 2017)
#pragma once

#include <optional>

#include "nn/linear.h"
#include "nn/mask.h"

namespace heed::nn {

// softmax(Q Kᵀ / √d_k) V  with  Q = W_q x,  K = W_k y,  V = W_v y: each position of x
// attends to the positions of y ("cross-attention").
struct GeneralAttention {
  Linear W_q, W_k, W_v;  // with biases; drawn in this order
  bool keep_weights = false;
  Tensor attention_weights;  // (batch, n, m), of the last call with keep_weights set

  // d_k and d_v are d_model if not given. Throws Error unless the sizes are at least 1.
  explicit GeneralAttention(Size d_model, std::optional<Size> d_k = {},
                            std::optional<Size> d_v = {}, DType dtype = float32);

  // query x (batch, n, d_model), key_value y (batch, m, d_model) -> (batch, n, d_v).
  // Throws Error when a shape or the mask does not fit.
  Variable operator()(const Variable& query, const Variable& key_value,
                      const Mask& mask = {});

  void visit(auto&& f) {
    f("W_q", W_q);
    f("W_k", W_k);
    f("W_v", W_v);
  }
};

// The same with y = x: each position of a sequence attends to all its positions.
struct SelfAttention : GeneralAttention {
  SelfAttention(Size d_model, Size d_k, Size d_v, DType dtype = float32)
      : GeneralAttention(d_model, d_k, d_v, dtype) {}

  // x (batch, n, d_model) -> (batch, n, d_v). Throws Error as GeneralAttention does.
  Variable operator()(const Variable& x, const Mask& mask = {}) {
    return GeneralAttention::operator()(x, x, mask);
  }
};

}  // namespace heed::nn

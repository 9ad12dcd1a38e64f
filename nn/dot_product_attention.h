// Scaled dot-product attention as layers: no parameters, but dropout and weights to look
// at.   (Vaswani et al., 2017)
#pragma once

#include <string>

#include "nn/dropout.h"
#include "nn/mask.h"

namespace heed::nn {

// softmax(Q Kᵀ / √d) V
struct DotProductAttention {
  Dropout dropout;  // of the weights
  bool keep_weights = false;
  Tensor attention_weights;  // (..., n, m), before dropout, of the last call
                             // with keep_weights set

  // Throws Error unless dropout is from 0 to 1.
  explicit DotProductAttention(double dropout) : dropout(dropout) {}

  // queries (batch, n, d), keys (batch, m, d), values (batch, m, dv) -> (batch, n, dv);
  // further leading dimensions, or none, as attention() takes them. Throws Error when a
  // shape or the mask does not fit.
  Variable operator()(const Variable& queries, const Variable& keys,
                      const Variable& values, const Mask& mask = {});

  void visit(auto&& f) { f("dropout", dropout); }
};

// softmax(Q Kᵀ / temperature) V: a higher temperature spreads the weights. √d gives
// DotProductAttention.
struct ScaledDotProductAttention {
  double temperature;
  Dropout dropout;  // of the weights
  bool keep_weights = false;
  Tensor attention_weights;  // as DotProductAttention's

  // Throws Error unless the temperature is positive and dropout from 0 to 1.
  explicit ScaledDotProductAttention(double temperature, double dropout = 0.1);

  // As DotProductAttention's.
  Variable operator()(const Variable& queries, const Variable& keys,
                      const Variable& values, const Mask& mask = {});

  void visit(auto&& f) { f("dropout", dropout); }
};

}  // namespace heed::nn

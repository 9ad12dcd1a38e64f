// What the multi-head attentions share: several attentions side by side, each in a part
// of the features. (Vaswani et al., 2017, section 3.2.2)
#pragma once

#include <initializer_list>
#include <string_view>

#include "nn/attention.h"

namespace heed::nn {

// (batch, n, heads * d) -> (batch, heads, n, d), a view: head i has the features i d to
// (i + 1) d - 1. Throws Error unless x has three dimensions and the heads divide the
// last.
Variable split_heads(const Variable& x, Size heads);
// And back: (batch, heads, n, d) -> (batch, n, heads * d). Throws Error unless x has four
// dimensions.
Variable join_heads(const Variable& x);

// What the multi-head layers are made of:
//
// Concat(head_1, ..., head_h),  head_i = softmax(Q_i K_iᵀ / √d) V_i
//
// with Q_i, K_i, V_i the i-th parts of the features of queries, keys and values: h =
// num_heads parts, d features in each of Q's and K's.
struct Heads {
  std::int64_t num_heads;
  Dropout dropout;  // of the weights
  bool keep_weights = false;
  Tensor attention_weights;  // (batch, heads, n, m), before dropout, of the last call
                             // with keep_weights set

  // A number, as the layer's options call it.
  struct Named {
    std::string_view name;
    std::int64_t value;
  };
  // Throws Error in the name of `layer` unless there is at least one head, the heads
  // divide each of the sizes, and dropout is from 0 to 1.
  Heads(std::string_view layer, const Named& heads, std::initializer_list<Named> sizes,
        double dropout);

  // Each head's attention, joined; q, k and v are split already: (batch, heads, n, d),
  // (batch, heads, m, d), (batch, heads, m, dv) -> (batch, n, heads * dv). The mask is
  // for scores (batch, heads, n, m). Throws Error when a shape or the mask does not
  // fit. If q, k and v are moved in, and no graph keeps them, their memory is free when
  // it returns: the next layer can have it.
  Variable attend(Variable q, Variable k, Variable v, const Mask& mask);
};

}  // namespace heed::nn

// Multi-head attention.                      (Vaswani et al., 2017, section 3.2.2)
#pragma once

#include "nn/heads.h"
#include "nn/linear.h"

namespace heed::nn {

// W_o(heads of Q = W_q(queries), K = W_k(keys), V = W_v(values)), which Heads describes.
struct MultiHeadAttention : Heads {
  Linear W_q, W_k, W_v, W_o;  // drawn in this order

  // Self-attention: W_q and W_k make d_k features of d_model, W_v makes d_v, W_o brings
  // d_v back to d_model; all have biases. Throws Error unless the sizes are at least 1
  // and num_heads divides d_k and d_v.
  MultiHeadAttention(Size d_model, Size d_k, Size d_v, Size num_heads = 8,
                     DType dtype = float32);
  // The form of "Dive into Deep Learning": keys, queries and values of sizes of their
  // own, given in this order, the book's; num_hiddens features everywhere else. Throws
  // Error unless the sizes are at least 1, num_heads divides num_hiddens, and dropout is
  // from 0 to 1.
  MultiHeadAttention(Size key_size, Size query_size, Size value_size, Size num_hiddens,
                     Size num_heads, double dropout,
                     LinearOptions options = {.bias = false});

  // x (batch, n, d_model) -> (batch, n, d_model). The mask is for scores (batch,
  // heads, n, n). Throws Error when a shape or the mask does not fit.
  Variable operator()(const Variable& x, const Mask& mask = {});
  // queries (batch, n, query_size), keys (batch, m, key_size), values (batch, m,
  // value_size) -> (batch, n, out), out being num_hiddens or d_model. The mask is for
  // scores (batch, heads, n, m). Throws Error likewise.
  Variable operator()(const Variable& queries, const Variable& keys,
                      const Variable& values, const Mask& mask = {});

  void visit(auto&& f) {
    f("W_q", W_q);
    f("W_k", W_k);
    f("W_v", W_v);
    f("W_o", W_o);
    f("dropout", dropout);
  }
};

}  // namespace heed::nn

// Multi-head attention with its three projections in one parameter: the attention of
// transformers, with the names, initial values and order of draws of
// torch.nn.MultiheadAttention(batch_first=True). What it computes is what
// MultiHeadAttention computes.
#pragma once

#include "nn/heads.h"
#include "nn/linear.h"

namespace heed::nn {

struct PackedMultiHeadAttentionOptions {
  double dropout = 0;  // of the weights
  bool bias = true;    // in all projections
  DType dtype = float32;
};

// The heads of Q = x W_qᵀ + b_q, K = y W_kᵀ + b_k and V = z W_vᵀ + b_v, times W_oᵀ, +
// b_o: x, y and z are the queries, keys and values, each of d = embed_dim features.
struct PackedMultiHeadAttention : Heads {
  Variable in_proj_weight;  // (3 d, d): W_q, under it W_k, under it W_v; Xavier-uniform
  Variable in_proj_bias;    // (3 d): b_q, b_k, b_v; zeros; not listed if there is none
  Linear out_proj;          // W_o, b_o; drawn first; its bias is zeros

  // Throws Error unless the sizes are at least 1, num_heads divides embed_dim, and
  // dropout is from 0 to 1.
  PackedMultiHeadAttention(Size embed_dim, Size num_heads,
                           const PackedMultiHeadAttentionOptions& options = {});

  // Self-attention: x (batch, n, d) -> (batch, n, d). The mask is for scores (batch,
  // heads, n, n). Throws Error when a shape or the mask does not fit.
  Variable operator()(const Variable& x, const Mask& mask = {});
  // queries (batch, n, d), keys and values (batch, m, d) -> (batch, n, d). The mask is
  // for scores (batch, heads, n, m). Throws Error likewise.
  Variable operator()(const Variable& queries, const Variable& keys,
                      const Variable& values, const Mask& mask = {});

  void visit(auto&& f) {
    f("in_proj_weight", in_proj_weight);
    if (in_proj_bias.defined()) f("in_proj_bias", in_proj_bias);
    f("out_proj", out_proj);
    f("dropout", dropout);
  }
};

// Its name in PyTorch. (MultiHeadAttention is the tutorials', with a W_q, W_k and W_v.)
using MultiheadAttention = PackedMultiHeadAttention;

}  // namespace heed::nn

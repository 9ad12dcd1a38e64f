// Multi-head attention in which no position looks ahead, as language models have it.
// (Vaswani et al., 2017; Touvron et al., 2023, whose names the parameters have)
#pragma once

#include <optional>

#include "nn/heads.h"
#include "nn/linear.h"

namespace heed::nn {

struct CausalMultiHeadAttentionOptions {
  std::int64_t dim;          // of the inputs and the output
  std::int64_t n_heads;      // must divide dim
  std::int64_t max_seq_len;  // the longest sequence, if is_causal
  double dropout = 0;
  bool is_causal = true;
  // Needed where there are more keys than queries, or fewer.
  std::optional<CausalAlign> align = {};
  DType dtype = float32;
};

// wo(the heads of Q = wq(q), K = wk(k), V = wv(v)), masked. The dropout of the heads is
// listed as attn_dropout.
struct CausalMultiHeadAttention : Heads {
  Linear wq, wk, wv, wo;  // dim -> dim, no biases; drawn in this order
  Dropout resid_dropout;  // of the result
  std::int64_t max_seq_len;
  // Causal, or hiding nothing. Not a buffer: no state file holds it. (PyTorch modules
  // that register their mask save one entry more: load that with {.strict = false}.)
  Mask mask;

  // Throws Error unless the sizes are at least 1, n_heads divides dim and dropout is from
  // 0 to 1.
  explicit CausalMultiHeadAttention(const CausalMultiHeadAttentionOptions& options);

  // Self-attention: x (batch, n, dim) -> (batch, n, dim). `extra` is a further mask,
  // on scores (batch, heads, n, n). Throws Error when a shape or the mask does not fit,
  // and when a causal sequence is longer than max_seq_len.
  Variable operator()(const Variable& x, const Mask& extra = {});
  // q (batch, n, dim), k and v (batch, m, dim) -> (batch, n, dim). Throws Error likewise.
  Variable operator()(const Variable& q, const Variable& k, const Variable& v,
                      const Mask& extra = {});

  void visit(auto&& f) {
    f("wq", wq);
    f("wk", wk);
    f("wv", wv);
    f("wo", wo);
    f("attn_dropout", dropout);
    f("resid_dropout", resid_dropout);
  }
};

}  // namespace heed::nn

// A language model: tokens in, the logits of the next token out, which softmax makes its
// probabilities.
//
// GPT-2 (Radford et al., 2019) in the form of nanoGPT (Karpathy, 2022), with nanoGPT's
// names of parameters, initial values and order of draws: the state_dict of the one fits
// the other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nn/dropout.h"
#include "nn/embedding.h"
#include "nn/heads.h"
#include "nn/layer_norm.h"
#include "nn/linear.h"

namespace heed::nn {

struct GptOptions {
  std::int64_t vocab_size;
  std::int64_t block_size;  // the longest sequence
  std::int64_t n_layer = 4;
  std::int64_t n_head = 4;
  std::int64_t n_embd = 128;  // n_head must divide it
  double dropout = 0;
  bool bias = false;  // in the linear layers and the norms
  bool tied = true;   // the head's weight is the token embedding's: a row for each token,
                      // to read it and to predict it (Press and Wolf, 2017)
  DType dtype = float32;
};

// The keys and values of the positions that a layer has seen, for generation: new tokens
// attend to them, so that they are not computed again.
struct AttentionCache {
  Tensor keys, values;  // (batch, heads, positions, d); undefined before the first
  bool is_empty() const { return !keys.defined(); }
};

// Causal multi-head self-attention whose three projections are one. The dropout of the
// heads is listed as attn_dropout.
struct CausalSelfAttention : Heads {
  Linear c_attn;  // (..., n_embd) -> (..., 3 n_embd): queries, keys, values side by side
  Linear c_proj;  // (..., n_embd) -> (..., n_embd): the heads' outputs, mixed
  Dropout resid_dropout;

  explicit CausalSelfAttention(const GptOptions& options);

  // x (batch, n, n_embd) -> the same shape. With a cache, x follows the positions in it,
  // and its keys and values are added to it. Throws Error, and leaves the cache as it
  // was, when a shape does not fit.
  Variable operator()(const Variable& x, AttentionCache* cache = nullptr);

  void visit(auto&& f) {
    f("c_attn", c_attn);
    f("c_proj", c_proj);
    f("attn_dropout", dropout);
    f("resid_dropout", resid_dropout);
  }
};

// Two layers with a GELU between (Hendrycks and Gimpel, 2016), each position for itself.
struct Mlp {
  Linear c_fc;    // (..., n_embd) -> (..., 4 n_embd)
  Linear c_proj;  // (..., 4 n_embd) -> (..., n_embd)
  Dropout dropout;

  explicit Mlp(const GptOptions& options);

  // x (..., n_embd) -> the same shape. Throws Error when that does not fit.
  Variable operator()(const Variable& x) const;

  void visit(auto&& f) {
    f("c_fc", c_fc);
    f("c_proj", c_proj);
    f("dropout", dropout);
  }
};

// x + attn(ln_1 x), then x + mlp(ln_2 x): each norm stands before its sublayer, and the
// residual stream itself is never normalised.
struct GptBlock {
  LayerNorm ln_1;
  CausalSelfAttention attn;
  LayerNorm ln_2;
  Mlp mlp;

  explicit GptBlock(const GptOptions& options);

  // x (batch, n, n_embd) -> the same shape; with a cache as CausalSelfAttention. Throws
  // Error when a shape does not fit.
  Variable operator()(const Variable& x, AttentionCache* cache = nullptr);

  void visit(auto&& f) {
    f("ln_1", ln_1);
    f("attn", attn);
    f("ln_2", ln_2);
    f("mlp", mlp);
  }
};

struct Gpt {
  // The part that nanoGPT calls transformer.
  struct Transformer {
    Embedding wte, wpe;  // of tokens, and of positions
    Dropout drop;
    std::vector<GptBlock> h;  // the layers, one after the other
    LayerNorm ln_f;           // of the residual stream after the last of them

    explicit Transformer(const GptOptions& options);
    void visit(auto&& f) {
      f("wte", wte);
      f("wpe", wpe);
      f("drop", drop);
      f("h", h);
      f("ln_f", ln_f);
    }
  };

  GptOptions options;
  Transformer transformer;
  Linear lm_head;

  // Weights of linear layers and embeddings are drawn from a normal distribution of mean
  // 0 and standard deviation 0.02, those of the projections into the residual stream
  // (c_proj) with 0.02 / √(2 n_layer): every block adds to that stream twice, and the sum
  // must not grow with n_layer (GPT-2, section 2.3). Biases are 0. Throws Error when a
  // size is below 1, n_head does not divide n_embd, or dropout is not from 0 to 1.
  explicit Gpt(const GptOptions& options);

  // ids (batch, n), int64, 1 <= n <= block_size -> the logits (batch, n, vocab_size) of
  // the token after each position. Throws Error for another shape or dtype, and when an
  // id is not a token.
  Variable operator()(const Tensor& ids);

  // What generation remembers: a cache for each layer, empty at first.
  struct Cache {
    std::vector<AttentionCache> layers;
    std::int64_t positions = 0;
  };
  Cache cache() const;
  // The logits (batch, vocab_size) of the token after the last of the ids (batch, n),
  // which follow the positions in the cache; their keys and values are added to it. Up to
  // rounding, operator() gives the same logits for all positions at once. Nothing is
  // recorded for derivatives: a cache has none. Throws Error as
  // operator() does, for all positions together, and for a cache that cache() did not
  // make; the cache is then what it was.
  Tensor next(const Tensor& ids, Cache& cache);

  void visit(auto&& f) {
    f("transformer", transformer);
    f("lm_head", lm_head);
  }

 private:
  // (batch, n) -> (batch, n, n_embd), normalised: what lm_head takes. When it throws,
  // some layers of the cache may have grown already.
  Variable hidden(const Tensor& ids, Cache* cache);
};

}  // namespace heed::nn

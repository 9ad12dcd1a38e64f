// Attention as functions of queries, keys and values.
#pragma once

#include <optional>

#include "autograd/variable.h"
#include "nn/dropout.h"
#include "nn/mask.h"
#include "nn/score.h"

namespace heed::nn {

// softmax over the last dimension, the keys, of scores (..., n, m); what the
// mask hides gets the weight 0 and passes no gradient. Rows without a key are as the
// mask's EmptyRows has it. Throws Error when the scores are not floating or the mask does
// not fit.
Variable masked_softmax(const Variable& scores, const Mask& mask = {});
// As "Dive into Deep Learning" has it: valid_lens (batch) or (batch, queries), as
// Mask::valid_lens. (For a length of 0 the book gives equal weights, heed zeros.)
Variable masked_softmax(const Variable& scores, const Tensor& valid_lens);

// What attention() returns: the weights are those before dropout.
struct Attention {
  Variable output;   // (..., n, dv)
  Variable weights;  // (..., n, m)
};

// softmax(s) V for the scores s_ij of query i and key j, by default those of
//   softmax(Q Kᵀ / √d) V           (Vaswani et al., 2017, equation 1)
//
// query (..., n, d), key (..., m, d) and value (..., m, dv); for a ScoreFormula the
// features of queries and keys may differ in number. The leading dimensions of
// query and key broadcast, and are those of the weights; with them those of value
// broadcast, and are those of the output. The mask hides keys from queries; dropout,
// while in training, sets weights to 0 and divides the others by 1 - p. All scores and
// weights are in memory and can be differentiated, which takes more memory and time than
// attend(). Throws Error when a shape or the mask does not fit, and as the score does.
Attention attention(const Score& score, const Variable& query, const Variable& key,
                    const Variable& value, const Mask& mask = {},
                    const Dropout& dropout = Dropout(0));
Attention attention(const Variable& query, const Variable& key, const Variable& value,
                    const Mask& mask = {}, const Dropout& dropout = Dropout(0));

// Only the output of attention(): what all layers call. Where a fused op computes it
// (attention.cpp says where), the two agree up to rounding. `weights`, if given, receives
// the weights before dropout; that changes no bit of the output. Throws Error as
// attention() does.
Variable attend(const Score& score, const Variable& query, const Variable& key,
                const Variable& value, const Mask& mask = {},
                const Dropout& dropout = Dropout(0), Tensor* weights = nullptr);

// attend() with the score of the paper above: torch.nn.functional's function. Its
// attn_mask is Mask::keep(bools) or Mask::additive(numbers), its is_causal
// Mask::causal(CausalAlign::top_left).
Variable scaled_dot_product_attention(const Variable& query, const Variable& key,
                                      const Variable& value, const Mask& mask = {},
                                      const Dropout& dropout = Dropout(0));

// The same with that function's other arguments, by their names.
struct ScaledDotProductOptions {
  double dropout_p = 0;              // dropout of the weights: pass 0 outside of training
  bool is_causal = false;            // query i sees the keys up to i
  std::optional<double> scale = {};  // 1/√d if none is given
};
// `mask` and is_causal both hide. Throws Error as attention() does, and unless dropout_p
// is from 0 to 1 and scale is positive.
Variable scaled_dot_product_attention(const Variable& query, const Variable& key,
                                      const Variable& value, const Mask& mask,
                                      const ScaledDotProductOptions& options);

}  // namespace heed::nn

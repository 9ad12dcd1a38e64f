// Attention as functions of queries, keys and values.
#pragma once

#include <optional>
#include <string_view>

#include "autograd/variable.h"
#include "nn/dropout.h"
#include "nn/mask.h"

namespace heed::nn {

// softmax over the last dimension, the keys, of scores (..., n, m); what the
// mask hides gets the weight 0 and passes no gradient. Rows without a key are as the
// mask's EmptyRows has it. Throws Error when the mask does not fit.
Variable masked_softmax(const Variable& scores, const Mask& mask = {});
// The tutorial's form: valid_lens (batch) or (batch, queries), as Mask::valid_lens. (For
// a length of 0 the tutorial gives equal weights, this zeros.)
Variable masked_softmax(const Variable& scores, const Tensor& valid_lens);

// What attention() returns: the weights are those before dropout.
struct Attention {
  Variable output;   // (..., n, dv)
  Variable weights;  // (..., n, m)
};

// The factor of the scores: `scale`, or 1 / temperature; 1/√d if neither is given. A dot
// product of d numbers of variance 1 has the variance d; divided by √d its size no longer
// depends on d, and softmax does not give nearly everything to one key.
struct AttentionOptions {
  std::optional<double> scale = {};
  std::optional<double> temperature = {};
};

// softmax(scale Q Kᵀ) V            (Vaswani et al., 2017, equation 1)
//
// query (..., n, d), key (..., m, d) and value (..., m, dv), two to four dimensions. The
// leading ones of query and key broadcast, and are those of the weights; with them those
// of value broadcast, and are those of the output. The mask hides keys from queries,
// dropout takes weights away while it is in training. Throws Error when a shape or the
// mask does not fit, and when both a scale and a temperature are given or one is not a
// positive number.
Attention attention(const Variable& query, const Variable& key, const Variable& value,
                    const Mask& mask = {}, const Dropout& dropout = Dropout(0),
                    const AttentionOptions& options = {});

// The output of attention() alone, for layers. By the fused op of autograd/attention.h,
// which never holds all weights at once, where that can be: with no dropout at work, a
// mask that only leaves the first keys (valid lengths, causal), zeros for rows without a
// key, and finite numbers. Otherwise written out, as attention() is; the two agree up to
// rounding. `weights`, if given, receives the weights, before dropout; that changes no
// bit of the output. Throws Error as attention() does.
Variable attend(const Variable& query, const Variable& key, const Variable& value,
                const Mask& mask, const Dropout& dropout,
                const AttentionOptions& options = {}, Tensor* weights = nullptr);

// attend() in `heads` equal parts of the features, side by side: of query (batch, n,
// heads * d), key (batch, m, heads * d) and value (batch, m, heads * dv) head i has the
// i-th parts. Their outputs are joined to (batch, n, heads * dv); `weights`, if given,
// receives (batch, heads, n, m). Throws Error unless the heads divide the features, and
// as attend() does.
//
//   Concat(head_1, ..., head_h),  head_i = softmax(Q_i K_iᵀ / √d) V_i
//                                          (Vaswani et al., 2017, section 3.2.2)
Variable attend_heads(const Variable& query, const Variable& key, const Variable& value,
                      std::int64_t heads, const Mask& mask, const Dropout& dropout,
                      Tensor* weights = nullptr);

// (batch, n, heads * d) -> (batch, heads, n, d), a view: head i has the features i d to
// (i + 1) d - 1. Throws Error unless x has three dimensions and the heads divide the
// last.
Variable split_heads(const Variable& x, std::int64_t heads);
// And back: (batch, heads, n, d) -> (batch, n, heads * d). Throws Error unless x has four
// dimensions.
Variable join_heads(const Variable& x);

// What a layer takes: features of queries, keys and values, any number of the last if
// none is given, and their dtype.
struct LayerInputs {
  std::int64_t query_size, key_size;
  std::optional<std::int64_t> value_size;
  DType dtype;
};
// Throws Error in the name of `layer` unless queries are (batch, n, query_size), keys
// (batch, m, key_size) and values (batch, m, value_size), of that dtype.
void check_inputs(std::string_view layer, const LayerInputs& wanted,
                  const Variable& queries, const Variable& keys, const Variable& values);

}  // namespace heed::nn

// Masks: which keys a query may attend to.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tensor/core/tensor.h"

namespace heed::nn {

// What becomes of a row of weights when its query may attend to no key at all: a fully
// masked row.
enum class EmptyRows {
  zero,     // weights 0, so the output is 0, and so are the gradients
  uniform,  // the same weight for every key, masked ones too, and no gradient to scores:
            // what filling with -1e6, as the book does, comes to
  nan,      // NaN, in the gradients too: what softmax of -inf alone comes to
  error,    // an Error that names the row and shows the mask
};

// Which corner a causal mask's diagonal touches when queries and keys differ in number.
enum class CausalAlign {
  top_left,      // query i sees the keys up to i; PyTorch's "upper left"
  bottom_right,  // the last query sees all keys, as when the first keys are a cache
};

// Which keys each query may attend to. Where a query has a key, the weight of a hidden
// one is exactly 0, and a NaN in a hidden key or value reaches no output, and no gradient
// but its own. Rows without a key are as EmptyRows says.
//
// A mask holds copies of the tensors it is made of.
//
// "Scores" are (..., queries, keys): (queries, keys), (batch, queries, keys), (batch,
// heads, queries, keys), or more. A mask does not know their shape until it is used; only
// then are the shapes compared.
//
//   Mask::valid_lens(lens) & Mask::causal()
class Mask {
 public:
  // Hides nothing.
  Mask() = default;
  // Moving copies: a mask that was moved from must not turn into one that hides nothing.
  Mask(const Mask&) = default;
  Mask& operator=(const Mask&) = default;

  // A query may attend to a key where `allowed` is true; or where `hidden` is false. A
  // bool tensor that broadcasts to the scores: its last dimension stands for the keys.
  // If scores have four dimensions, a mask of three must have the size 1 first: (batch,
  // queries, keys) would land on the heads; say (batch, 1, queries, keys). Likewise where
  // scores have more dimensions. Throws Error unless the dtype is bool.
  static Mask keep(const Tensor& allowed);
  static Mask drop(const Tensor& hidden);

  // Only the first keys count: lens, int64, is () or (batch), or (batch, queries) where
  // queries differ; for scores (queries, keys) it is () or (queries). A length beyond the
  // keys hides nothing. Throws Error for another dtype, more dimensions, or a negative
  // length.
  //
  // In self-attention a padded row is hidden as a key but is still a query. If it may
  // hold NaN, give its query the length 0, by lengths (batch, queries): otherwise the NaN
  // goes through its own output into the gradients of the parameters.
  static Mask valid_lens(const Tensor& lens);

  // No query looks ahead: query i sees the keys up to i. A mask without an alignment
  // throws Error when it is used and queries and keys differ in number.
  static Mask causal();
  static Mask causal(CausalAlign align);

  // Added to the scores: 0 leaves a score, -inf hides its key, other numbers bias. A
  // floating tensor that broadcasts as keep's does; where it biases, using it throws
  // Error unless its dtype is the scores'. A sum of such masks that overflows to -inf
  // hides too, one that overflows to +inf throws Error. Throws Error for a dtype that is
  // not floating, for NaN and for +inf.
  static Mask additive(const Tensor& bias);

  // This mask with another policy for rows without a key; EmptyRows::zero if none is set.
  Mask empty_rows(EmptyRows policy) const;

  // Both masks: a query may attend to the keys that neither hides. Throws Error when each
  // has a policy for empty rows and they differ.
  friend Mask operator&(const Mask& a, const Mask& b);

  // Whether it hides and biases nothing, whatever the scores.
  bool is_empty() const;

  // A mask for scores of one shape, as tensors; undefined ones stand for none.
  struct OnScores {
    // How many keys count for each query, from the first on: int64, broadcasts to (...,
    // queries). Causal masks and valid lengths are of this kind.
    Tensor lens;
    // Which of these keys a query may attend to: bool, (..., keys), broadcasts to the
    // scores.
    Tensor keep;
    // Is added to the scores: finite, broadcasts to the scores.
    Tensor bias;
    EmptyRows empty_rows = EmptyRows::zero;

    // The pairs that count, by lens and keep: bool, (..., keys), broadcasts to the
    // scores.
    Tensor visible(std::int64_t keys) const;
    // False only if the mask certainly hides no key from any query.
    bool may_hide() const { return lens.defined() || keep.defined(); }
  };
  // Throws Error when the mask does not fit scores of this shape, or when it leaves a
  // query without a key and its policy is EmptyRows::error.
  OnScores on(const Shape& scores) const;

 private:
  std::vector<Tensor> keep_, lens_, bias_;
  bool causal_ = false, top_left_ = false, bottom_right_ = false;
  std::optional<EmptyRows> empty_rows_;
};

// The mask on scores of this shape as a grid, a line a query: x for a key that may be
// attended to, . for one that is hidden. Where batches or heads differ, one grid for each
// of them under its number, at most four; of at most 16 queries and 32 keys, whatever its
// policy for empty rows. Nothing for scores without elements. Throws Error when the mask
// does not fit.
std::string to_string(const Mask& mask, const Shape& scores);

// x (batch, steps, ...) with `value` in place of the elements (i, j, ...) with
// j >= lens[i]; lens (batch) is int64. x itself is left as it is. Throws Error when the
// shapes do not fit.
Tensor sequence_mask(const Tensor& x, const Tensor& lens, double value = 0);

}  // namespace heed::nn

// The parts of attention under a mask, in which what the mask hides takes no part: not
// even a NaN there reaches a result or a gradient. A plain product would carry it: 0
// times NaN is NaN.
#pragma once

#include "autograd/variable.h"
#include "nn/mask.h"

namespace heed::nn {

// Q Kᵀ, (..., n, d) and (..., m, d) -> (..., n, m). What stands for a hidden pair is
// nobody's to read but masked_weights.
Variable masked_scores(const Variable& query, const Variable& key,
                       const Mask::Laid& mask);

// The weights of scores (..., n, m), as masked_softmax has them.
Variable masked_weights(const Variable& scores, const Mask::Laid& mask);

// W V, (..., n, m) and (..., m, dv) -> (..., n, dv).
Variable masked_values(const Variable& weights, const Variable& value,
                       const Mask::Laid& mask);

// What a layer projects: (batch, n, ...), (batch, m, ...), (batch, m, ...).
struct Projected {
  Variable queries, keys, values;
};
// The same, with zeros in the rows that take no part (keys and values that no query sees,
// queries that see no key), if any number is NaN or infinite. For the gradient of W in
// x Wᵀ is a sum over all rows of x: one NaN in the padding would make all of it NaN. The
// mask is for scores of the shape (batch, n, m) or (batch, heads, n, m); throws Error
// when it does not fit.
Projected without_hidden(const Projected& inputs, const Mask& mask, const Shape& scores);

// Whether every element is a number other than infinity.
bool all_finite(const Variable& x);

}  // namespace heed::nn

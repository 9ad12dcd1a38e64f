// The parts of attention under a mask, in which what the mask hides takes no part: not
// even a NaN there reaches a result or a gradient. A plain product would carry it: 0
// times NaN is NaN.
#pragma once

#include "autograd/variable.h"
#include "nn/mask.h"

namespace heed::nn {

// Q Kᵀ, (..., n, d) and (..., m, d) -> (..., n, m).
Variable masked_scores(const Variable& query, const Variable& key,
                       const Mask::Laid& mask);

// What is made of each query and key together, (..., n, m, d), with zeros for the pairs
// that are hidden.
Variable masked_pairs(const Variable& pairs, const Mask::Laid& mask);

// The weights of scores (..., n, m), as masked_softmax has them.
Variable masked_weights(const Variable& scores, const Mask::Laid& mask);

// W V, (..., n, m) and (..., m, dv) -> (..., n, dv).
Variable masked_values(const Variable& weights, const Variable& value,
                       const Mask::Laid& mask);

// What a layer projects: (batch, n, ...), (batch, m, ...), (batch, m, ...).
struct Projected {
  Variable queries, keys, values;
};
// The same with zeros for keys and values that no query sees, and for queries that see no
// key, if there is a NaN or an infinity among them: the gradient of a projection is a
// product over all of them. The mask is laid on scores of the shape (batch, n, m) or
// (batch, heads, n, m).
Projected without_hidden(const Projected& inputs, const Mask& mask, const Shape& scores);

// Whether every element is a number other than infinity.
bool all_finite(const Variable& x);

}  // namespace heed::nn

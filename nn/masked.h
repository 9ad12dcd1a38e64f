// The parts of attention under a mask, in which what the mask hides takes no part: not
// even a NaN there reaches a result or a gradient. A plain product would carry it: 0
// times NaN is NaN.
#pragma once

#include "autograd/variable.h"
#include "nn/mask.h"

namespace heed::nn {

// q_i·k_j of the pairs, 0 of the others: (..., n, d), (..., m, d) -> (..., n, m). Other
// pairs pass no gradient. `pairs`, bool, broadcasts to (..., n, m).
Variable pair_products(const Variable& query, const Variable& key, const Tensor& pairs);

// mask.on(scores), for scores of this dtype. Throws Error when it does not fit them.
Mask::OnScores mask_on(const Mask& mask, const Shape& scores, DType dtype);

// Which pairs of query and key count as scores: bool, broadcasts to (..., n, m). Those
// that the mask does not hide, and with EmptyRows::nan all of a row without keys.
Tensor score_pairs(const Mask::OnScores& mask, std::int64_t n, std::int64_t m);

// Which pairs count as weights of values: bool, (..., n, m). They differ from those of
// score_pairs in rows without keys, of which count, by EmptyRows:
//
//                zero, error   uniform   nan
//   for scores   none          none      all
//   for values   none          all       all
Tensor value_pairs(const Mask::OnScores& mask, std::int64_t n, std::int64_t m);

// The weights of scores (..., n, m), as masked_softmax has them.
Variable masked_weights(const Variable& scores, const Mask::OnScores& mask);

// W V, (..., n, m) and (..., m, dv) -> (..., n, dv), with rows without keys as the mask's
// EmptyRows has them.
Variable masked_values(const Variable& weights, const Variable& value,
                       const Mask::OnScores& mask);

}  // namespace heed::nn

// The scores of additive attention on Variables: shapes, values and errors of
// tensor/attention/additive_scores.h, with derivatives.        (Bahdanau, Cho and Bengio,
// 2015)
#pragma once

#include "autograd/variable.h"
#include "tensor/attention/additive_scores.h"

namespace heed {

// queries (..., n, h), keys (..., m, h), w (h)  ->  (..., n, m)
//
// `pairs`, bool, broadcasts to (..., n, m) and says which pairs of query and key count:
// all of them if it is undefined. The gradient of the other scores must be 0; a NaN in
// such a pair reaches no other gradient.
Variable additive_scores(const Variable& queries, const Variable& keys, const Variable& w,
                         const Tensor& pairs = {});

}  // namespace heed

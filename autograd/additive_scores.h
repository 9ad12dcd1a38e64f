// The scores of additive attention on Variables: shapes, values and errors of
// tensor/attention/additive_scores.h, with derivatives.        (Bahdanau, Cho and Bengio,
// 2015)
#pragma once

#include "autograd/variable.h"
#include "tensor/attention/additive_scores.h"

namespace heed {

// queries (..., n, h), keys (..., m, h), w (h)  ->  (..., n, m)
//
// `pairs`, bool, broadcasts to (..., n, m): a mask hides the others, so their
// scores get no gradient, and a NaN in them must reach no other gradient. Without
// elements every pair counts.
Variable additive_scores(const Variable& queries, const Variable& keys, const Variable& w,
                         const Tensor& pairs = {});

}  // namespace heed

// The scores of additive attention on Variables: shapes, values and errors of
// tensor/additive_scores.h, with derivatives.        (Bahdanau, Cho and Bengio, 2015)
#pragma once

#include "autograd/variable.h"
#include "tensor/additive_scores.h"

namespace heed {

// queries (..., n, h), keys (..., m, h), w (h)  ->  (..., n, m)
Variable additive_scores(const Variable& queries, const Variable& keys,
                         const Variable& w);

}  // namespace heed

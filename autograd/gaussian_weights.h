// The weights of a Gaussian kernel on Variables: shapes, values and errors of
// tensor/gaussian_weights.h, with derivatives.        (Nadaraya, 1964; Watson, 1964)
#pragma once

#include "autograd/variable.h"
#include "tensor/gaussian_weights.h"

namespace heed {

// queries (n), keys (n, m), w of one element  ->  (n, m)
Variable gaussian_weights(const Variable& queries, const Variable& keys,
                          const Variable& w);

}  // namespace heed

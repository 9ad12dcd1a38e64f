// The weights of a Gaussian kernel on Variables: shapes, values and errors of
// tensor/gaussian_weights.h, with derivatives.
#pragma once

#include "autograd/variable.h"
#include "tensor/gaussian_weights.h"

namespace heed {

Variable gaussian_weights(const Variable& queries, const Variable& keys,
                          const Variable& w);

}  // namespace heed

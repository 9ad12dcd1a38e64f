// Attention on Variables, with derivatives.        (Vaswani et al., 2017, equation 1)
#pragma once

#include <optional>

#include "autograd/variable.h"
#include "tensor/attention.h"

namespace heed {

// softmax(scale Q Kᵀ) V, where query i sees keys 0 to lens[i] - 1: shapes, values and
// errors of tensor/attention.h. The weights that it fills in are a constant.
//   query (..., n, d), key (..., m, d), value (..., m, dv)  ->  (..., n, dv)
Variable scaled_dot_product_attention(const Variable& query, const Variable& key,
                                      const Variable& value,
                                      const std::optional<Tensor>& lens, double scale,
                                      Tensor* weights = nullptr);

// The same in ops; what the op is held against.
Variable composed_attention(const Variable& query, const Variable& key,
                            const Variable& value, const std::optional<Tensor>& lens,
                            double scale);

}  // namespace heed

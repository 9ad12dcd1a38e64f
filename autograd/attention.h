// Attention on Variables, with derivatives.
#pragma once

#include <optional>

#include "autograd/variable.h"
#include "tensor/attention.h"

namespace heed {

// softmax(scale Q Kᵀ) V over the first lens keys of each query: shapes, values and errors
// of tensor/attention.h. The weights that it fills in are a constant.
Variable scaled_dot_product_attention(const Variable& query, const Variable& key,
                                      const Variable& value,
                                      const std::optional<Tensor>& lens, double scale,
                                      Tensor* weights = nullptr);

// The same written out in ops, with every score in memory at once: what the op is held
// against, and the way its gradients are differentiated again.
Variable composed_attention(const Variable& query, const Variable& key,
                            const Variable& value, const std::optional<Tensor>& lens,
                            double scale);

}  // namespace heed

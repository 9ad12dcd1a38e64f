#include "nn/nw_kernel_regression.h"

#include "autograd/gaussian_weights.h"
#include "autograd/matmul.h"
#include "autograd/views.h"
#include "tensor/random.h"

namespace heed::nn {

NWKernelRegression::NWKernelRegression(DType dtype) : w(rand({1}, dtype), true) {}

Variable NWKernelRegression::operator()(const Variable& queries, const Variable& keys,
                                        const Variable& values) {
  check(
      queries.dim() == 1 && keys.dim() == 2 && keys.size(0) == queries.size(0) &&
          values.shape() == keys.shape(),
      "NWKernelRegression: queries (n), keys (n, m) and values (n, m), got {}, {} and {}",
      queries.shape(), keys.shape(), values.shape());
  // softmax(-square((unsqueeze(queries, 1) - keys) * w) / 2, 1), in one pass.
  const Variable weights = gaussian_weights(queries, keys, w);          // (n, m)
  attention_weights = weights.value();
  const Variable y = bmm(unsqueeze(weights, 1), unsqueeze(values, 2));  // (n, 1, 1)
  return reshape(y, {-1});                                              // (n)
}

}  // namespace heed::nn

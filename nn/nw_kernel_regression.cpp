#include "nn/nw_kernel_regression.h"

#include "autograd/views.h"
#include "nn/attention.h"
#include "tensor/random/random.h"

namespace heed::nn {

NWKernelRegression::NWKernelRegression(DType dtype) : w(rand({1}, dtype), true) {}

Variable NWKernelRegression::operator()(const Variable& queries, const Variable& keys,
                                        const Variable& values) {
  check(
      queries.dim() == 1 && keys.dim() == 2 && keys.size(0) == queries.size(0) &&
          values.shape() == keys.shape(),
      "NWKernelRegression: queries (n), keys (n, m) and values (n, m), got {}, {} and {}",
      queries.shape(), keys.shape(), values.shape());
  // Numbers as vectors of one feature, and each query as a batch entry.
  const Variable q = unsqueeze(unsqueeze(queries, 1), 1);           // (n, 1, 1)
  const Variable k = unsqueeze(keys, 2), v = unsqueeze(values, 2);  // (n, m, 1)
  Tensor weights;
  const Variable y = attend(GaussianScore{w}, q, k, v, {}, Dropout(0), &weights);
  attention_weights = squeeze(weights, 1);  // (n, m)
  return reshape(y, {-1});                  // (n)
}

}  // namespace heed::nn

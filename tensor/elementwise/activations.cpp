// The activation functions of elementwise.h that have an option, or are made of others.
#include "tensor/elementwise/elementwise.h"

namespace heed {

using kernels::Op;

Tensor gelu(const Tensor& x, Gelu form) {
  return detail::unary("gelu", form == Gelu::exact ? Op::gelu : Op::gelu_tanh, x);
}

Tensor gelu_backward(const Tensor& g, const Tensor& x, Gelu form) {
  const Op op = form == Gelu::exact ? Op::gelu_backward : Op::gelu_tanh_backward;
  return detail::binary("gelu_backward", op, g, x);
}

Tensor leaky_relu(const Tensor& x, double slope) { return where(x > 0, x, x * slope); }

Tensor elu(const Tensor& x, double alpha) { return where(x > 0, x, expm1(x) * alpha); }

Tensor logsigmoid(const Tensor& x) { return minimum(x, 0) - log1p(exp(-abs(x))); }

}  // namespace heed

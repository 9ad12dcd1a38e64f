// Softmax and its relatives.
#pragma once

#include "tensor/core/tensor.h"

namespace heed {

// exp(x) / sum(exp(x)) along `dim`, the largest element subtracted first so that nothing
// overflows. As IEEE has it: a row of -inf alone, or with NaN, gives NaN. Results below
// the smallest normal number (1.2e-38 in float32) are 0 on x86, in all functions of this
// file: such numbers slow down every product that they go into. Floating dtypes. Throws
// Error when dim is out of range.
Tensor softmax(const Tensor& x, Dim dim);
// log(softmax(x)), exact where softmax would underflow.
Tensor log_softmax(const Tensor& x, Dim dim);
// The gradient of softmax: y (g - sum(g y)) along `dim`, for y = softmax(x) and the
// gradient g of y; one pass instead of four. Throws Error unless g and y have one shape
// and one floating dtype.
Tensor softmax_backward(const Tensor& g, const Tensor& y, Dim dim);
// The same of log_softmax: g - e^y sum(g), for y = log_softmax(x).
Tensor log_softmax_backward(const Tensor& g, const Tensor& y, Dim dim);

}  // namespace heed

#include "nn/positional_encoding.h"

#include "autograd/elementwise.h"
#include "autograd/views.h"
#include "tensor/core/factories.h"

namespace heed::nn {

PositionalEncoding::PositionalEncoding(Size num_hiddens, double dropout, Size max_len,
                                       DType dtype)
    : dropout(dropout) {
  check(num_hiddens >= 1 && max_len >= 1,
        "PositionalEncoding: both sizes must be at least 1, got {} and {}", num_hiddens,
        max_len);
  P = empty({1, max_len, num_hiddens}, dtype);
  const Tensor position = unsqueeze(arange(max_len, dtype), 1);  // (max_len, 1)
  const double width = static_cast<double>(num_hiddens);
  const Tensor even = arange(0, num_hiddens, 2, dtype) / width;  // (ceil(d / 2))
  const Tensor angle = position / pow(10000, even);              // (max_len, ceil(d / 2))
  // An odd width has one sine more than cosines.
  slice(P, 2, 0, to_end, 2).copy_(sin(angle));
  slice(P, 2, 1, to_end, 2).copy_(slice(cos(angle), 1, 0, num_hiddens / 2));
}

Variable PositionalEncoding::operator()(const Variable& x) const {
  check(x.dim() == 3 && x.size(1) <= P.size(1) && x.size(2) == P.size(2),
        "PositionalEncoding: x must be (batch, at most {}, {}), got {}", P.size(1),
        P.size(2), x.shape());
  return dropout(x + slice(P, 1, 0, x.size(1)));  // (batch, n, num_hiddens)
}

}  // namespace heed::nn

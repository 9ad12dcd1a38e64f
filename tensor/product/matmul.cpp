#include "tensor/product/matmul.h"

#include <algorithm>
#include <string_view>

#include "tensor/core/tensor_iterator.h"
#include "tensor/core/views.h"
#include "tensor/product/gemm.h"

namespace heed {
namespace {

void check_dtypes(std::string_view op, const Tensor& a, const Tensor& b) {
  check_same_dtype(op, a, b);
  check_floating(op, a.dtype());
}

// As broadcast() does, with a message that names the shapes that matmul() got.
void check_batches(const Shape& a, const Shape& b) {
  for (int i = 3; i <= std::min(a.rank(), b.rank()); ++i) {
    const std::int64_t m = a[a.rank() - i], n = b[b.rank() - i];
    check(m == n || m == 1 || n == 1,
          "matmul: the dimensions before the last two must broadcast (equal sizes, or "
          "1), got {} and {}",
          a, b);
  }
}

// Whether x is a vector with gaps that is multiplied by four or more lines of the other
// operand, its `readers`: then a copy, which has none, pays.
bool is_gappy(const Tensor& x, std::int64_t readers) {
  const int d = x.dim();
  const std::int64_t rows = x.shape()[d - 2], columns = x.shape()[d - 1];
  const bool is_vector = (rows == 1) != (columns == 1);
  return is_vector && readers >= 4 && x.strides()[rows == 1 ? d - 1 : d - 2] != 1;
}

// x as one matrix (rows, x.size(-1)) whose rows are `stride` apart.
Tensor matrix(const Tensor& x, std::int64_t rows, std::int64_t stride) {
  const int d = x.dim();
  return Tensor(x.storage(), x.offset(), {rows, x.shape()[d - 1]},
                {stride, x.strides()[d - 1]}, x.dtype());
}

// c (m, n) or (batch..., m, n) = a b + bias.
void multiply_into(Tensor& c, const Tensor& a, const Tensor& b, const Tensor& bias,
                   const Shape& batch) {
  const int da = a.dim(), db = b.dim();
  const std::int64_t m = a.shape()[da - 2], k = a.shape()[da - 1];
  const std::int64_t n = b.shape()[db - 1];
  // Where k is 1 each element of a is read once: it is the factor of a row.
  if (k > 1 && is_gappy(a, n)) return multiply_into(c, a.clone(), b, bias, batch);
  if (is_gappy(b, m)) return multiply_into(c, a, b.clone(), bias, batch);
  Strides strides_a, strides_b;
  if (batch.rank() > 0) {
    strides_a =
        expanded_strides(without_last(a.shape(), 2), without_last(a.strides(), 2), batch);
    strides_b =
        expanded_strides(without_last(b.shape(), 2), without_last(b.strides(), 2), batch);
  }
  dispatch_floating("matmul", a.dtype(), [&]<class T>() {
    multiply<T>({.m = m,
                 .n = n,
                 .k = k,
                 .a = {a.data<T>(), a.strides()[da - 2], a.strides()[da - 1]},
                 .b = {b.data<T>(), b.strides()[db - 2], b.strides()[db - 1]},
                 .c = c.mutable_data<T>(),
                 .batch = TensorIterator<2>(batch, {&strides_a, &strides_b}),
                 .bias = bias.defined() ? bias.data<T>() : nullptr});
  });
}

// (batch..., m, k) x (batch..., k, n) -> (batch..., m, n), the checks done: a and b have
// two dimensions or more, and those before the last two broadcast to `batch`. A bias (n)
// is contiguous.
Tensor product(const Tensor& a, const Tensor& b, const Shape& batch,
               const Tensor& bias = {}) {
  const int da = a.dim(), db = b.dim();
  const std::int64_t m = a.shape()[da - 2];
  Tensor c = empty(append(batch, {m, b.shape()[db - 1]}), a.dtype());
  if (c.numel() == 0) return c;
  if (batch.rank() > 0 && count(without_last(b.shape(), 2)) == 1) {
    // The same b for every matrix of a: where those lie evenly they are one tall matrix.
    const Strides strides = without_last(a.strides(), 2);
    const TensorIterator<1> iterator(without_last(a.shape(), 2), {&strides});
    const std::int64_t stride = iterator.strides[0][0], row_stride = a.strides()[da - 2];
    if (iterator.rank == 1 && stride > 0 && (m == 1 || stride == m * row_stride)) {
      multiply_into(c, matrix(a, iterator.sizes[0] * m, m == 1 ? stride : row_stride),
                    matrix(b, b.shape()[db - 2], b.strides()[db - 2]), bias, {});
      return c;
    }
  }
  multiply_into(c, a, b, bias, batch);
  return c;
}

}  // namespace

Tensor matmul(const Tensor& a, const Tensor& b) {
  const Shape &sa = a.shape(), &sb = b.shape();
  const int da = a.dim(), db = b.dim();
  check(da > 0 && db > 0, "matmul: both must have at least one dimension, got {} and {}",
        sa, sb);
  check_dtypes("matmul", a, b);
  const std::int64_t k = sa[da - 1];
  const bool fits = k == (db == 1 ? sb[0] : sb[db - 2]);
  if (!fits) [[unlikely]] {
    const bool transposed_fits = db > 1 && k == sb[db - 1];
    fail("matmul: the inner sizes must be equal, got {} and {}{}", sa, sb,
         transposed_fits ? "; transpose(-2, -1) of the second would fit" : "");
  }
  if (da == 2 && db == 2) return product(a, b, {});
  check_batches(sa, sb);

  // A vector is a matrix of one row or one column, and that dimension is dropped again.
  const Tensor left = da == 1 ? unsqueeze(a, 0) : a;
  const Tensor right = db == 1 ? unsqueeze(b, 1) : b;
  const Shape batch =
      broadcast("matmul", without_last(left.shape(), 2), without_last(right.shape(), 2));
  const Tensor c = product(left, right, batch);
  Shape shape = batch;
  if (da > 1) shape.push_back(c.shape()[c.dim() - 2]);
  if (db > 1) shape.push_back(c.shape()[c.dim() - 1]);
  return shape.rank() == c.dim() ? c : reshape(c, shape);
}

Tensor bmm(const Tensor& a, const Tensor& b) {
  const Shape &sa = a.shape(), &sb = b.shape();
  check(sa.rank() == 3 && sb.rank() == 3 && sa[0] == sb[0] && sa[2] == sb[1],
        "bmm: both must be 3-D with equal batches and inner sizes, got {} and {}", sa,
        sb);
  check_dtypes("bmm", a, b);
  return product(a, b, {sa[0]});
}

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  check(weight.dim() == 2 && x.dim() >= 1 && x.size(-1) == weight.size(1),
        "linear: the input's last size must be the weight's, got {} and {}", x.shape(),
        weight.shape());
  check_dtypes("linear", x, weight);
  if (bias.defined()) {
    check(bias.dim() == 1 && bias.size(0) == weight.size(0),
          "linear: the bias must have the shape ({}), got {}", weight.size(0),
          bias.shape());
    check_same_dtype("linear", x, bias);
  }
  const Tensor rows = x.dim() == 1 ? unsqueeze(x, 0) : x;
  const Tensor y = product(rows, transpose(weight, 0, 1), without_last(rows.shape(), 2),
                           bias.defined() ? bias.contiguous() : bias);  // (..., out)
  return x.dim() == 1 ? squeeze(y, 0) : y;
}

}  // namespace heed

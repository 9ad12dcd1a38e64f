#include "tensor/reduce/softmax.h"

#include "tensor/core/views.h"
#include "tensor/elementwise/elementwise.h"
#include "tensor/reduce/reduce.h"
#include "tensor/reduce/reductions.h"

namespace heed {
namespace {

// Below this many columns side by side it is cheaper to lay them out as rows and back,
// even if the kernel then takes short rows together as columns.
constexpr std::int64_t few_columns = 8;

// softmax or log_softmax, by the kernel that `pick` takes from the table.
Tensor apply(std::string_view op, const Tensor& x, Dim dim, auto pick) {
  return dispatch_floating(op, x.dtype(), [&]<class T>() -> Tensor {
    const Reduced r = along(op, x, dim);
    if (1 < r.inner && r.inner < few_columns) {
      const Tensor rows = transpose(x, dim, -1).contiguous();
      return transpose(apply(op, rows, -1, pick), dim, -1).contiguous();
    }
    Tensor y = empty(x.shape(), x.dtype());
    if (y.numel() == 0) return y;
    const T* const from = r.elements.data<T>();
    T* const to = y.mutable_data<T>();
    parallel_for(r.outer, exp_cost * r.size(), [&](std::int64_t begin, std::int64_t end) {
      const std::int64_t at = begin * r.size();
      pick(kernels::get<kernels::ReduceKernels<T>>())(end - begin, r.n, r.inner,
                                                      from + at, to + at);
    });
    return y;
  });
}

void check_backward(std::string_view op, const Tensor& g, const Tensor& y) {
  check_same_dtype(op, g, y);
  check(g.shape() == y.shape(), "{}: the shapes must be equal, got {} and {}", op,
        g.shape(), y.shape());
}

}  // namespace

Tensor softmax(const Tensor& x, Dim dim) {
  return apply("softmax", x, dim, [](const auto& table) { return table.softmax; });
}

Tensor log_softmax(const Tensor& x, Dim dim) {
  return apply("log_softmax", x, dim,
               [](const auto& table) { return table.log_softmax; });
}

Tensor softmax_backward(const Tensor& g, const Tensor& y, Dim dim) {
  check_backward("softmax_backward", g, y);
  return dispatch_floating("softmax_backward", y.dtype(), [&]<class T>() {
    const Reduced r = along("softmax_backward", y, dim);
    const Tensor dense = g.contiguous();
    Tensor dx = empty(y.shape(), y.dtype());
    if (dx.numel() == 0) return dx;
    const T *const ys = r.elements.data<T>(), *const gs = dense.data<T>();
    T* const to = dx.mutable_data<T>();
    parallel_for(r.outer, r.size(), [&](std::int64_t begin, std::int64_t end) {
      const std::int64_t at = begin * r.size();
      kernels::get<kernels::ReduceKernels<T>>().softmax_backward(
          end - begin, r.n, r.inner, gs + at, ys + at, to + at);
    });
    return dx;
  });
}

Tensor log_softmax_backward(const Tensor& g, const Tensor& y, Dim dim) {
  check_backward("log_softmax_backward", g, y);
  return dispatch_floating("log_softmax_backward", y.dtype(), [&]<class T>() -> Tensor {
    const Reduced r = along("log_softmax_backward", y, dim);
    // Losses have their classes in rows. Elsewhere there is no kernel.
    if (r.inner != 1) return g - exp(y) * sum(g, dim, true);
    const Tensor dense = g.contiguous();
    Tensor dx = empty(y.shape(), y.dtype());
    if (dx.numel() == 0) return dx;
    const T *const ys = r.elements.data<T>(), *const gs = dense.data<T>();
    T* const to = dx.mutable_data<T>();
    parallel_for(r.outer, exp_cost * r.size(), [&](std::int64_t begin, std::int64_t end) {
      const std::int64_t at = begin * r.n;
      kernels::get<kernels::ReduceKernels<T>>().log_softmax_backward(
          end - begin, r.n, gs + at, ys + at, to + at);
    });
    return dx;
  });
}

}  // namespace heed

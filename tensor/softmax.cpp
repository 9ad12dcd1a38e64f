#include "tensor/softmax.h"

#include "tensor/reduce.h"
#include "tensor/views.h"

namespace heed {
namespace {

// Below this many columns side by side it is cheaper to lay them out as rows and back.
constexpr std::int64_t few_columns = 8;

bool better_as_rows(const Reduced& r) { return 1 < r.inner && r.inner < few_columns; }

Tensor rows_and_back(Tensor (*op)(const Tensor&, std::int64_t), const Tensor& x,
                     std::int64_t dim) {
  return transpose(op(transpose(x, dim, -1).contiguous(), -1), dim, -1).contiguous();
}

}  // namespace

Tensor softmax(const Tensor& x, std::int64_t dim) {
  return dispatch_floating("softmax", x.dtype(), [&]<class T>() {
    const Reduced r = along("softmax", x, dim);
    if (better_as_rows(r)) return rows_and_back(softmax, x, dim);
    Tensor y = empty(x.shape(), x.dtype());
    const T* const from = r.elements.data<T>();
    T* const to = y.mutable_data<T>();
    parallel_for(r.outer, r.grain() / 4 + 1, [&](std::int64_t begin, std::int64_t end) {
      const std::int64_t at = begin * r.size();
      floating_rows<T>().softmax(end - begin, r.n, r.inner, from + at, to + at);
    });
    return y;
  });
}

Tensor log_softmax(const Tensor& x, std::int64_t dim) {
  return dispatch_floating("log_softmax", x.dtype(), [&]<class T>() {
    const Reduced r = along("log_softmax", x, dim);
    if (better_as_rows(r)) return rows_and_back(log_softmax, x, dim);
    Tensor y = empty(x.shape(), x.dtype());
    const T* const from = r.elements.data<T>();
    T* const to = y.mutable_data<T>();
    parallel_for(r.outer, r.grain() / 4 + 1, [&](std::int64_t begin, std::int64_t end) {
      const std::int64_t at = begin * r.size();
      floating_rows<T>().log_softmax(end - begin, r.n, r.inner, from + at, to + at);
    });
    return y;
  });
}

Tensor softmax_backward(const Tensor& g, const Tensor& y, std::int64_t dim) {
  check_same_dtype("softmax_backward", g, y);
  check(g.shape() == y.shape(),
        "softmax_backward: the shapes must be equal, got {} and {}", g.shape(),
        y.shape());
  return dispatch_floating("softmax_backward", y.dtype(), [&]<class T>() {
    const Reduced r = along("softmax_backward", y, dim);
    const Tensor dense = g.contiguous();
    Tensor dx = empty(y.shape(), y.dtype());
    const T *const ys = r.elements.data<T>(), *const gs = dense.data<T>();
    T* const to = dx.mutable_data<T>();
    parallel_for(r.outer, r.grain(), [&](std::int64_t begin, std::int64_t end) {
      const std::int64_t at = begin * r.size();
      floating_rows<T>().softmax_backward(end - begin, r.n, r.inner, gs + at, ys + at,
                                          to + at);
    });
    return dx;
  });
}

}  // namespace heed

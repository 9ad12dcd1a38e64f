#include "tensor/elementwise/angles.h"

#include <algorithm>
#include <cmath>

#include "tensor/core/factories.h"
#include "tensor/core/views.h"

namespace heed {
namespace {

Tensor floating(const Tensor& x) {
  return (is_floating(x.dtype()) ? x : x.to(float32)).contiguous();
}

Tensor mapped(std::string_view op, const Tensor& x, double (*f)(double)) {
  const Tensor from = floating(x);
  Tensor y = empty(x.shape(), from.dtype());
  dispatch_floating(op, from.dtype(), [&]<class T>() {
    const T* const first = from.data<T>();
    std::transform(first, first + from.numel(), y.mutable_data<T>(), [f](T element) {
      return static_cast<T>(f(static_cast<double>(element)));
    });
  });
  return y;
}

}  // namespace

Tensor asin(const Tensor& x) { return mapped("asin", x, std::asin); }
Tensor acos(const Tensor& x) { return mapped("acos", x, std::acos); }
Tensor atan(const Tensor& x) { return mapped("atan", x, std::atan); }
Tensor sinh(const Tensor& x) { return mapped("sinh", x, std::sinh); }
Tensor cosh(const Tensor& x) { return mapped("cosh", x, std::cosh); }

Tensor atan2(const Tensor& y, const Tensor& x) {
  const Shape shape = broadcast("atan2", y.shape(), x.shape());
  const DType joint = promote("atan2", y.dtype(), x.dtype());
  const DType dtype = is_floating(joint) ? joint : float32;
  const Tensor up = expand(y.to(dtype), shape).contiguous();
  const Tensor right = expand(x.to(dtype), shape).contiguous();
  Tensor angle = empty(shape, dtype);
  dispatch_floating("atan2", dtype, [&]<class T>() {
    const T* const first = up.data<T>();
    std::transform(first, first + up.numel(), right.data<T>(), angle.mutable_data<T>(),
                   [](T y, T x) {
                     return static_cast<T>(
                         std::atan2(static_cast<double>(y), static_cast<double>(x)));
                   });
  });
  return angle;
}

}  // namespace heed

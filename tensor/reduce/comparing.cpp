#include "tensor/reduce/comparing.h"

#include "tensor/elementwise/elementwise.h"
#include "tensor/reduce/reductions.h"

namespace heed {

Tensor isclose(const Tensor& a, const Tensor& b, const Tolerance& tolerance) {
  Tensor close = a == b;
  if (!is_floating(a.dtype())) {
    const Tensor x = a.to(float64), y = b.to(float64);
    return close | (abs(x - y) <= abs(y) * tolerance.rtol + tolerance.atol);
  }
  // An infinite bound would hold every number.
  close = close | (isfinite(a) & isfinite(b) &
                   (abs(a - b) <= abs(b) * tolerance.rtol + tolerance.atol));
  return tolerance.equal_nan ? close | (isnan(a) & isnan(b)) : close;
}

bool allclose(const Tensor& a, const Tensor& b, const Tolerance& tolerance) {
  return all(isclose(a, b, tolerance)).item() != 0;
}

bool equal(const Tensor& a, const Tensor& b) {
  check_same_dtype("equal", a, b);
  return a.shape() == b.shape() && all(a == b).item() != 0;
}

}  // namespace heed

#include "tensor/reduce/comparing.h"

#include "tensor/elementwise/elementwise.h"
#include "tensor/reduce/reductions.h"

namespace heed {

Tensor isclose(const Tensor& a, const Tensor& b, double rtol, double atol,
               bool equal_nan) {
  check_same_dtype("isclose", a, b);
  check(rtol >= 0 && atol >= 0,
        "isclose: rtol and atol must be at least 0, got {} and {}", rtol, atol);
  Tensor close = a == b;
  if (rtol == 0 && atol == 0 && !is_floating(a.dtype())) return close;
  if (!is_floating(a.dtype())) {
    const Tensor x = a.to(float64), y = b.to(float64);
    return close | (abs(x - y) <= abs(y) * rtol + atol);
  }
  // An infinite bound would hold every number.
  close = close | (isfinite(a) & isfinite(b) & (abs(a - b) <= abs(b) * rtol + atol));
  return equal_nan ? close | (isnan(a) & isnan(b)) : close;
}

bool allclose(const Tensor& a, const Tensor& b, double rtol, double atol,
              bool equal_nan) {
  return all(isclose(a, b, rtol, atol, equal_nan)).item() != 0;
}

bool equal(const Tensor& a, const Tensor& b) {
  check_same_dtype("equal", a, b);
  return a.shape() == b.shape() && all(a == b).item() != 0;
}

}  // namespace heed

#include "autograd/angles.h"

#include "autograd/elementwise.h"
#include "autograd/record.h"

namespace heed {

Variable asin(const Variable& x) {
  return record({"asin", "dx = g / √(1 - x²)"}, asin(x.value()),
                rule(x, save(x), [](auto& g, auto& x) { return g * rsqrt(1 - x * x); }));
}

Variable acos(const Variable& x) {
  return record({"acos", "dx = -g / √(1 - x²)"}, acos(x.value()),
                rule(x, save(x), [](auto& g, auto& x) { return -g * rsqrt(1 - x * x); }));
}

Variable atan(const Variable& x) {
  return record({"atan", "dx = g / (1 + x²)"}, atan(x.value()),
                rule(x, save(x), [](auto& g, auto& x) { return g / (1 + x * x); }));
}

Variable sinh(const Variable& x) {
  return record({"sinh", "dx = g cosh x"}, sinh(x.value()),
                rule(x, save(x), [](auto& g, auto& x) { return g * cosh(x); }));
}

Variable cosh(const Variable& x) {
  return record({"cosh", "dx = g sinh x"}, cosh(x.value()),
                rule(x, save(x), [](auto& g, auto& x) { return g * sinh(x); }));
}

// At the origin, where there is no angle, both derivatives are taken as 0.
Variable atan2(const Variable& y, const Variable& x) {
  const auto over_square = [](auto& part, auto& y, auto& x) {
    const auto square = y * y + x * x;
    const Tensor at_origin = square.value() == 0;
    return masked_fill(part / masked_fill(square, at_origin, 1), at_origin, 0);
  };
  return record({"atan2", "dy = g x / (x² + y²),  dx = -g y / (x² + y²)"},
                atan2(y.value(), x.value()),
                rule(y, save(y, x),
                     [=](auto& g, auto& y, auto& x) { return g * over_square(x, y, x); }),
                rule(x, save(y, x), [=](auto& g, auto& y, auto& x) {
                  return -g * over_square(y, y, x);
                }));
}

}  // namespace heed

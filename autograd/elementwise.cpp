#include "autograd/elementwise.h"

#include <cmath>
#include <limits>

#include "autograd/record.h"
#include "tensor/core/factories.h"

namespace heed {

// --- pairs. Where an input was broadcast, backward sums the gradient to its shape.

// a + b
Variable operator+(const Variable& a, const Variable& b) {
  return record({"add", "da = g,  db = g"}, a.value() + b.value(),
                rule(a, [](auto& g) { return g; }), rule(b, [](auto& g) { return g; }));
}

// a - b
Variable operator-(const Variable& a, const Variable& b) {
  return record({"sub", "da = g,  db = -g"}, a.value() - b.value(),
                rule(a, [](auto& g) { return g; }), rule(b, [](auto& g) { return -g; }));
}

// a b
Variable operator*(const Variable& a, const Variable& b) {
  return record({"mul", "da = g b,  db = g a"}, a.value() * b.value(),
                rule(a, save(b), [](auto& g, auto& b) { return g * b; }),
                rule(b, save(a), [](auto& g, auto& a) { return g * a; }));
}

// y = a / b
Variable operator/(const Variable& a, const Variable& b) {
  return record(
      {"div", "da = g / b,  db = -g y / b"}, a.value() / b.value(),
      rule(a, save(b), [](auto& g, auto& b) { return g / b; }),
      rule(b, save(b, result), [](auto& g, auto& b, auto& y) { return -g * y / b; }));
}

// The same with a number, which has no gradient.
Variable operator+(const Variable& a, Number b) {
  return record({"add", "da = g"}, a.value() + b, rule(a, [](auto& g) { return g; }));
}

Variable operator-(const Variable& a, Number b) {
  return record({"sub", "da = g"}, a.value() - b, rule(a, [](auto& g) { return g; }));
}

Variable operator*(const Variable& a, Number b) {
  return record({"mul", "da = g b"}, a.value() * b,
                rule(a, [b](auto& g) { return g * b; }));
}

Variable operator/(const Variable& a, Number b) {
  return record({"div", "da = g / b"}, a.value() / b,
                rule(a, [b](auto& g) { return g / b; }));
}

Variable operator+(Number a, const Variable& b) { return b + a; }

Variable operator-(Number a, const Variable& b) {
  return record({"sub", "db = -g"}, a - b.value(), rule(b, [](auto& g) { return -g; }));
}

Variable operator*(Number a, const Variable& b) { return b * a; }

// y = a / b
Variable operator/(Number a, const Variable& b) {
  return record(
      {"div", "db = -g y / b"}, a / b.value(),
      rule(b, save(b, result), [](auto& g, auto& b, auto& y) { return -g * y / b; }));
}

// y = a^b, with 0 for b a^(b-1) where b is 0, and 0 for log a where a is 0 and b >= 0.
// The rules put a 1 in the place of such an a, so that nothing in them is infinite. If
// the product were replaced by 0 instead, its derivative would still be NaN.
Variable pow(const Variable& a, const Variable& b) {
  const auto da = [](auto& g, auto& a, auto& b) {
    // Not all a where b is 0: the derivative of this by b needs the others.
    const Tensor endless = logical_not(isfinite(reciprocal(a.value())));
    const Tensor flat = logical_and(b.value() == 0, endless);
    return g * (b * pow(where(flat, 1, a), b - 1));
  };
  const auto db = [](auto& g, auto& a, auto& b, auto& y) {
    const Tensor flat = logical_and(a.value() == 0, b.value() >= 0);
    return g * (y * log(where(flat, 1, a).to(y.dtype())));
  };
  return record({"pow", "da = g b a^(b-1),  db = g y log a"}, pow(a.value(), b.value()),
                rule(a, save(a, b), da), rule(b, save(a, b, result), db));
}

// y = a^b
Variable pow(const Variable& a, Number b) {
  return record({"pow", "da = g b a^(b-1)"}, pow(a.value(), b),
                rule(a, save(a), [b = b.real()](auto& g, auto& a) {
                  if (b == 0) return Variable(zeros_like(a.value()));
                  return g * (b * pow(a, b - 1));
                }));
}

// y = a^b, with 0 for log a where a is 0 and b >= 0
Variable pow(Number a, const Variable& b) {
  return record({"pow", "db = g y log a"}, pow(a, b.value()),
                rule(b, save(b, result), [a = a.real()](auto& g, auto& b, auto& y) {
                  if (a != 0) return g * (y * std::log(a));
                  constexpr double infinity = std::numeric_limits<double>::infinity();
                  const Tensor log_a = full(b.shape(), -infinity, b.dtype());
                  return g * (y * masked_fill(log_a, b.value() >= 0, 0));
                }));
}

// y = a - b floor(a / b)
Variable remainder(const Variable& a, const Variable& b) {
  // Of y, because a / b would be rounded to the other side of a whole number.
  const auto db = [](auto& g, auto& a, auto& b, auto& y) {
    return -g * round((a.to(y.dtype()) - y) / b);
  };
  return record({"remainder", "da = g,  db = -g floor(a / b)"},
                remainder(a.value(), b.value()), rule(a, [](auto& g) { return g; }),
                rule(b, save(a, b, result), db));
}

Variable remainder(const Variable& a, Number b) {
  return record({"remainder", "da = g"}, remainder(a.value(), b),
                rule(a, [](auto& g) { return g; }));
}

Variable floor_divide(const Variable& a, const Variable& b) {
  return record_constant("floor_divide", floor_divide(a.value(), b.value()), {a, b});
}
Variable floor_divide(const Variable& a, Number b) {
  return record_constant("floor_divide", floor_divide(a.value(), b), {a});
}

namespace {

// The gradient of one of two operands a and b of which the larger, or the smaller, is the
// result: g where it is the result, half of g where a and b are equal, 0 where `lost`.
template <class B>
Variable winners_share(const Variable& g, const Variable& a, const B& b,
                       const Variable& lost) {
  return masked_fill(where(a == b, g / 2, g), lost, 0);
}

}  // namespace

// max(a, b)
Variable maximum(const Variable& a, const Variable& b) {
  return record(
      {"maximum", "da = g where a > b,  db = g where b > a,  g/2 each where a = b"},
      maximum(a.value(), b.value()),
      rule(a, save(a, b),
           [](auto& g, auto& a, auto& b) { return winners_share(g, a, b, a < b); }),
      rule(b, save(a, b),
           [](auto& g, auto& a, auto& b) { return winners_share(g, a, b, b < a); }));
}

// min(a, b)
Variable minimum(const Variable& a, const Variable& b) {
  return record(
      {"minimum", "da = g where a < b,  db = g where b < a,  g/2 each where a = b"},
      minimum(a.value(), b.value()),
      rule(a, save(a, b),
           [](auto& g, auto& a, auto& b) { return winners_share(g, a, b, a > b); }),
      rule(b, save(a, b),
           [](auto& g, auto& a, auto& b) { return winners_share(g, a, b, b > a); }));
}

Variable maximum(const Variable& a, Number b) {
  return record(
      {"maximum", "da = g where a > b,  g/2 where a = b"}, maximum(a.value(), b),
      rule(a, save(a), [b](auto& g, auto& a) { return winners_share(g, a, b, a < b); }));
}

Variable minimum(const Variable& a, Number b) {
  return record(
      {"minimum", "da = g where a < b,  g/2 where a = b"}, minimum(a.value(), b),
      rule(a, save(a), [b](auto& g, auto& a) { return winners_share(g, a, b, a > b); }));
}

// --- comparisons

Variable operator==(const Variable& a, const Variable& b) {
  return record_constant("eq", a.value() == b.value(), {a, b});
}
Variable operator!=(const Variable& a, const Variable& b) {
  return record_constant("ne", a.value() != b.value(), {a, b});
}
Variable operator<(const Variable& a, const Variable& b) {
  return record_constant("lt", a.value() < b.value(), {a, b});
}
Variable operator<=(const Variable& a, const Variable& b) {
  return record_constant("le", a.value() <= b.value(), {a, b});
}
Variable operator>(const Variable& a, const Variable& b) {
  return record_constant("gt", a.value() > b.value(), {a, b});
}
Variable operator>=(const Variable& a, const Variable& b) {
  return record_constant("ge", a.value() >= b.value(), {a, b});
}
Variable operator==(const Variable& a, Number b) {
  return record_constant("eq", a.value() == b, {a});
}
Variable operator!=(const Variable& a, Number b) {
  return record_constant("ne", a.value() != b, {a});
}
Variable operator<(const Variable& a, Number b) {
  return record_constant("lt", a.value() < b, {a});
}
Variable operator<=(const Variable& a, Number b) {
  return record_constant("le", a.value() <= b, {a});
}
Variable operator>(const Variable& a, Number b) {
  return record_constant("gt", a.value() > b, {a});
}
Variable operator>=(const Variable& a, Number b) {
  return record_constant("ge", a.value() >= b, {a});
}

// --- choosing

// condition ? a : b
Variable where(const Variable& condition, const Variable& a, const Variable& b) {
  const Variable& c = condition;
  return record({"where", "da = g where the condition holds,  db = g where it does not"},
                where(c.value(), a.value(), b.value()),
                rule(a, save(c), [](auto& g, auto& c) { return where(c, g, 0); }),
                rule(b, save(c), [](auto& g, auto& c) { return where(c, 0, g); }));
}

Variable where(const Variable& condition, const Variable& a, Number b) {
  return record({"where", "da = g where the condition holds"},
                where(condition.value(), a.value(), b),
                rule(a, save(condition),
                     [](auto& g, auto& condition) { return where(condition, g, 0); }));
}

Variable where(const Variable& condition, Number a, const Variable& b) {
  return record({"where", "db = g where the condition does not hold"},
                where(condition.value(), a, b.value()),
                rule(b, save(condition),
                     [](auto& g, auto& condition) { return where(condition, 0, g); }));
}

// mask ? value : x
Variable masked_fill(const Variable& x, const Variable& mask, Number value) {
  return record(
      {"masked_fill", "dx = g where the mask does not hold"},
      masked_fill(x.value(), mask.value(), value),
      rule(x, save(mask), [](auto& g, auto& mask) { return masked_fill(g, mask, 0); }));
}

// min(max(x, min), max); the gradient is 0 if a bound is NaN.
Variable clamp(const Variable& x, std::optional<double> min, std::optional<double> max) {
  return record({"clamp", "dx = g where min <= x <= max"}, clamp(x.value(), min, max),
                rule(x, save(x), [min, max](auto& g, auto& x) {
                  Variable inside = g;
                  if (min) inside = where(x >= *min, inside, 0);
                  if (max) inside = where(x <= *max, inside, 0);
                  return inside;
                }));
}

Variable Variable::to(DType dtype) const { return heed::to(*this, dtype); }

// x as another dtype
Variable to(const Variable& x, DType dtype) {
  check(is_floating(dtype) || !x.requires_grad(),
        "to: a Variable with a gradient must stay floating, got {}", name(dtype));
  return record({"to", "dx = g as x's dtype"}, x.value().to(dtype),
                rule(x, [before = x.dtype()](auto& g) { return to(g, before); }));
}

}  // namespace heed

// The ops of one operand among those of autograd/elementwise.h.

#include <cmath>
#include <numbers>

#include "autograd/elementwise.h"
#include "autograd/fused.h"
#include "autograd/record.h"
#include "tensor/core/factories.h"

namespace heed {

// -x
Variable neg(const Variable& x) {
  return record({"neg", "dx = -g"}, -x.value(), rule(x, [](auto& g) { return -g; }));
}

Variable operator-(const Variable& x) { return neg(x); }

// |x|
Variable abs(const Variable& x) {
  return record({"abs", "dx = g sign(x)"}, abs(x.value()),
                rule(x, save(x), [](auto& g, auto& x) { return g * sign(x); }));
}

Variable sign(const Variable& x) { return record_constant("sign", sign(x.value()), {x}); }

namespace {

// The gradient of steps, even where g is infinite.
Variable zero(const Variable& g) { return zeros_like(g.value()); }

}  // namespace

// ⌊x⌋
Variable floor(const Variable& x) {
  return record({"floor", "dx = 0"}, floor(x.value()), rule(x, zero));
}

// ⌈x⌉
Variable ceil(const Variable& x) {
  return record({"ceil", "dx = 0"}, ceil(x.value()), rule(x, zero));
}

// x to the nearest whole number
Variable round(const Variable& x) {
  return record({"round", "dx = 0"}, round(x.value()), rule(x, zero));
}

// x²
Variable square(const Variable& x) {
  return record({"square", "dx = 2 g x"}, square(x.value()),
                rule(x, save(x), [](auto& g, auto& x) { return g * (2 * x); }));
}

// y = e^x
Variable exp(const Variable& x) {
  return record({"exp", "dx = g y"}, exp(x.value()),
                rule(x, save(result), [](auto& g, auto& y) { return g * y; }));
}

// y = e^x - 1
Variable expm1(const Variable& x) {
  return record({"expm1", "dx = g (y + 1)"}, expm1(x.value()),
                rule(x, save(result), [](auto& g, auto& y) { return g * (y + 1); }));
}

// log x
Variable log(const Variable& x) {
  return record({"log", "dx = g / x"}, log(x.value()),
                rule(x, save(x), [](auto& g, auto& x) { return g / x; }));
}

// log(1 + x)
Variable log1p(const Variable& x) {
  return record({"log1p", "dx = g / (1 + x)"}, log1p(x.value()),
                rule(x, save(x), [](auto& g, auto& x) { return g / (1 + x); }));
}

// y = √x
Variable sqrt(const Variable& x) {
  return record({"sqrt", "dx = g / 2y"}, sqrt(x.value()),
                rule(x, save(result), [](auto& g, auto& y) { return g / (2 * y); }));
}

// y = 1/√x
Variable rsqrt(const Variable& x) {
  return record(
      {"rsqrt", "dx = -g y³ / 2"}, rsqrt(x.value()),
      rule(x, save(result), [](auto& g, auto& y) { return -0.5 * g * pow(y, 3); }));
}

// y = 1/x
Variable reciprocal(const Variable& x) {
  return record({"reciprocal", "dx = -g y²"}, reciprocal(x.value()),
                rule(x, save(result), [](auto& g, auto& y) { return -g * square(y); }));
}

// sin x
Variable sin(const Variable& x) {
  return record({"sin", "dx = g cos x"}, sin(x.value()),
                rule(x, save(x), [](auto& g, auto& x) { return g * cos(x); }));
}

// cos x
Variable cos(const Variable& x) {
  return record({"cos", "dx = -g sin x"}, cos(x.value()),
                rule(x, save(x), [](auto& g, auto& x) { return -g * sin(x); }));
}

// y = tanh x
Variable tanh(const Variable& x) {
  return record(
      {"tanh", "dx = g (1 - y²)"}, tanh(x.value()),
      rule(x, save(result), [](auto& g, auto& y) { return g * (1 - square(y)); }));
}

// y = σ(x)
Variable sigmoid(const Variable& x) {
  return record({"sigmoid", "dx = g y (1 - y)"}, sigmoid(x.value()),
                rule(x, save(result), [](auto& g, auto& y) { return g * y * (1 - y); }));
}

// erf x
Variable erf(const Variable& x) {
  return record({"erf", "dx = g 2/√π e^(-x²)"}, erf(x.value()),
                rule(x, save(x), [](auto& g, auto& x) {
                  return g * (2 * std::numbers::inv_sqrtpi * exp(-square(x)));
                }));
}

// y = max(x, 0). The gradient also passes where x is NaN.
Variable relu(const Variable& x) {
  return record(
      {"relu", "dx = g where y > 0"}, relu(x.value()),
      rule(x, save(result), [](auto& g, auto& y) { return masked_fill(g, y <= 0, 0); }));
}

// x σ(x)
Variable silu(const Variable& x) {
  return record({"silu", "dx = g σ (1 + x (1 - σ))"}, silu(x.value()),
                rule(x, save(x), [](auto& g, auto& x) {
                  const Variable s = sigmoid(x);
                  return g * s * (1 + x * (1 - s));
                }));
}

// x where x > 0, else slope x
Variable leaky_relu(const Variable& x, double slope) {
  return record(
      {"leaky_relu", "dx = g where x > 0, else slope g"}, leaky_relu(x.value(), slope),
      rule(x, save(x), [slope](auto& g, auto& x) { return where(x > 0, g, slope * g); }));
}

// x where x > 0, else alpha (e^x - 1). From 0 on the rule takes e^0 in place of e^x,
// which may be infinite; so the second derivative at 0 is 0, as PyTorch's.
Variable elu(const Variable& x, double alpha) {
  return record({"elu", "dx = g where x > 0, else g alpha e^x"}, elu(x.value(), alpha),
                rule(x, save(x), [alpha](auto& g, auto& x) {
                  return where(x > 0, g, g * (alpha * exp(where(x < 0, x, 0))));
                }));
}

// log σ(x)
Variable logsigmoid(const Variable& x) {
  return record({"logsigmoid", "dx = g σ(-x)"}, logsigmoid(x.value()),
                rule(x, save(x), [](auto& g, auto& x) { return g * sigmoid(-x); }));
}

// log(1 + e^x), and x itself above 20, where the gradient is g.
Variable softplus(const Variable& x) {
  return record({"softplus", "dx = g σ(x)"}, softplus(x.value()),
                rule(x, save(x),
                     [](auto& g, auto& x) { return where(x > 20, g, g * sigmoid(x)); }));
}

// x Φ(x), or its tanh form
Variable gelu(const Variable& x, Gelu form) {
  const auto composed = [form](const std::array<Variable, 1>& in) {
    const Variable& x = in[0];
    if (form == Gelu::exact) return x * (0.5 * (1 + erf(x * (1 / std::numbers::sqrt2))));
    const Variable u = std::sqrt(2 / std::numbers::pi) * x * (1 + 0.044715 * square(x));
    return x * (0.5 * (1 + tanh(u)));
  };
  const auto backward = [form](const Tensor& g, auto&, auto& in, auto&) {
    return std::array{gelu_backward(g, in[0], form)};
  };
  const char* const derivative =
      form == Gelu::exact ? "dx = g (Φ(x) + x φ(x))"
                          : "dx = g (1 + t + x (1 - t²) u') / 2,  t = tanh u,  "
                            "u = √(2/π) (x + 0.044715 x³)";
  return record_fused({"gelu", derivative}, gelu(x.value(), form), inputs(x), save(),
                      composed, backward);
}

}  // namespace heed

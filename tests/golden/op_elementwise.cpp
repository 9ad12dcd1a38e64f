#include "autograd/elementwise.h"
#include "tests/golden/op.h"

namespace heed::golden {
namespace {

// a op b, where b is an input, a number, or a itself.
template <class F>
Outputs pair(In in, F f) {
  if (in.has("b")) return f(in["a"], in["b"]);
  if (in.c.gives("b")) return f(in["a"], in.c.number("b"));
  return f(in["a"], in["a"]);
}

Outputs power(In in) {
  if (in.has("b")) return pow(in["a"], in["b"]);
  return pow(in["a"], in.c.number("exponent"));
}

constexpr auto rest = [](const auto&... x) { return remainder(x...); };
constexpr auto larger = [](const auto&... x) { return maximum(x...); };
constexpr auto smaller = [](const auto&... x) { return minimum(x...); };

Outputs exponential(In in) { return pow(in.c.number("base"), in["b"]); }

// One condition of a, or one of a and b, which have no derivatives.
template <Tensor (*f)(const Tensor&)>
Outputs condition(In in) {
  return Variable(f(in.tensor("a")));
}
template <Tensor (*f)(const Tensor&, const Tensor&)>
Outputs condition(In in) {
  return Variable(f(in.tensor("a"), in.tensor("b")));
}

Outputs gelu_form(In in) {
  const std::string form = in.c.text("approximate");
  if (form != "none" && form != "tanh") throw CaseError("unknown form of gelu " + form);
  return gelu(in["a"], form == "tanh" ? Gelu::tanh : Gelu::exact);
}

Outputs clamped(In in) {
  std::optional<double> min, max;
  if (in.c.gives("min")) min = in.c.number("min");
  if (in.c.gives("max")) max = in.c.number("max");
  return clamp(in["a"], min, max);
}

// t = 2 a; t[mask] = value
Outputs masked_assign(In in) {
  return where(in["mask"], in.c.number("value"), in["a"] * 2.0);
}

Outputs chosen(In in) {
  if (in.has("a") && in.has("b")) return where(in["cond"], in["a"], in["b"]);
  if (in.has("a")) return where(in["cond"], in["a"], in.c.number("b"));
  return where(in["cond"], in.c.number("a"), in["b"]);
}

}  // namespace

Ops elementwise_ops() {
  return {
      // pairs
      {"add", [](In in) { return pair(in, std::plus<>()); }},
      {"sub", [](In in) { return pair(in, std::minus<>()); }},
      {"mul", [](In in) { return pair(in, std::multiplies<>()); }},
      {"div", [](In in) { return pair(in, std::divides<>()); }},
      {"rsub", [](In in) { return in.c.number("b") - in["a"]; }},
      {"rdiv", [](In in) { return in.c.number("b") / in["a"]; }},
      {"pow", power},
      {"rpow", exponential},
      {"remainder", [](In in) { return pair(in, rest); }},
      {"maximum", [](In in) { return pair(in, larger); }},
      {"minimum", [](In in) { return pair(in, smaller); }},
      // single elements
      {"abs", unary<abs>},
      {"ceil", unary<ceil>},
      {"clamp", clamped},
      {"cos", unary<cos>},
      {"elu", [](In in) { return elu(in["a"], in.c.number("alpha")); }},
      {"erf", unary<erf>},
      {"exp", unary<exp>},
      {"expm1", unary<expm1>},
      {"floor", unary<floor>},
      {"gelu", gelu_form},
      {"leaky_relu", [](In in) { return leaky_relu(in["a"], in.c.number("slope")); }},
      {"log", unary<log>},
      {"log1p", unary<log1p>},
      {"logsigmoid", unary<logsigmoid>},
      {"neg", unary<neg>},
      {"reciprocal", unary<reciprocal>},
      {"relu", unary<relu>},
      {"round", unary<round>},
      {"rsqrt", unary<rsqrt>},
      {"sigmoid", unary<sigmoid>},
      {"silu", unary<silu>},
      {"sin", unary<sin>},
      {"softplus", unary<softplus>},
      {"sqrt", unary<sqrt>},
      {"square", unary<square>},
      {"tanh", unary<tanh>},
      {"sign", unary<sign>},
      // comparing, logic
      {"eq", [](In in) { return pair(in, std::equal_to<>()); }},
      {"ne", [](In in) { return pair(in, std::not_equal_to<>()); }},
      {"lt", [](In in) { return pair(in, std::less<>()); }},
      {"le", [](In in) { return pair(in, std::less_equal<>()); }},
      {"gt", [](In in) { return pair(in, std::greater<>()); }},
      {"ge", [](In in) { return pair(in, std::greater_equal<>()); }},
      {"isfinite", condition<isfinite>},
      {"isinf", condition<isinf>},
      {"isnan", condition<isnan>},
      {"logical_and", condition<logical_and>},
      {"logical_not", condition<logical_not>},
      {"logical_or", condition<logical_or>},
      {"logical_xor", condition<logical_xor>},
      // choosing
      {"masked_assign", masked_assign},
      {"masked_fill",
       [](In in) { return masked_fill(in["a"], in["mask"], in.c.number("value")); }},
      {"where", chosen},
  };
}

}  // namespace heed::golden

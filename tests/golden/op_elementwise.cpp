#include "autograd/elementwise.h"
#include "tests/golden/op.h"

namespace heed::golden {
namespace {

// a op b, where b is an input, a number, or a itself.
template <class F>
Outputs pair(const Feed& in, F f) {
  if (in.has("b")) return f(in["a"], in["b"]);
  if (in.c.gives("b")) return f(in["a"], in.c.number("b"));
  return f(in["a"], in["a"]);
}

Outputs power(const Feed& in) {
  if (in.has("b")) return pow(in["a"], in["b"]);
  return pow(in["a"], in.c.number("exponent"));
}

Outputs exponential(const Feed& in) { return pow(in.c.number("base"), in["b"]); }

// One condition of a, or one of a and b, which have no derivatives.
template <Tensor (*f)(const Tensor&)>
Outputs condition(const Feed& in) {
  return Variable(f(in.tensor("a")));
}
template <Tensor (*f)(const Tensor&, const Tensor&)>
Outputs condition(const Feed& in) {
  return Variable(f(in.tensor("a"), in.tensor("b")));
}

Outputs gelu_form(const Feed& in) {
  const std::string form = in.c.text("approximate");
  if (form != "none" && form != "tanh") throw CaseError("unknown form of gelu " + form);
  return gelu(in["a"], form == "tanh" ? Gelu::tanh : Gelu::exact);
}

Outputs clamped(const Feed& in) {
  std::optional<double> min, max;
  if (in.c.gives("min")) min = in.c.number("min");
  if (in.c.gives("max")) max = in.c.number("max");
  return clamp(in["a"], min, max);
}

// t = 2 a; t[mask] = value
Outputs masked_assign(const Feed& in) {
  return where(in["mask"], in.c.number("value"), in["a"] * 2.0);
}

Outputs chosen(const Feed& in) {
  if (in.has("a") && in.has("b")) return where(in["cond"], in["a"], in["b"]);
  if (in.has("a")) return where(in["cond"], in["a"], in.c.number("b"));
  return where(in["cond"], in.c.number("a"), in["b"]);
}

}  // namespace

Ops elementwise_ops() {
  return {
      // pairs
      {"add", [](const Feed& in) { return pair(in, std::plus<>()); }},
      {"sub", [](const Feed& in) { return pair(in, std::minus<>()); }},
      {"mul", [](const Feed& in) { return pair(in, std::multiplies<>()); }},
      {"div", [](const Feed& in) { return pair(in, std::divides<>()); }},
      {"rsub", [](const Feed& in) -> Outputs { return in.c.number("b") - in["a"]; }},
      {"rdiv", [](const Feed& in) -> Outputs { return in.c.number("b") / in["a"]; }},
      {"pow", power},
      {"rpow", exponential},
      {"maximum", [](const Feed& in) -> Outputs { return maximum(in["a"], in["b"]); }},
      {"minimum", [](const Feed& in) -> Outputs { return minimum(in["a"], in["b"]); }},
      // single elements
      {"abs", [](const Feed& in) -> Outputs { return abs(in["a"]); }},
      {"clamp", clamped},
      {"cos", [](const Feed& in) -> Outputs { return cos(in["a"]); }},
      {"erf", [](const Feed& in) -> Outputs { return erf(in["a"]); }},
      {"exp", [](const Feed& in) -> Outputs { return exp(in["a"]); }},
      {"gelu", gelu_form},
      {"log", [](const Feed& in) -> Outputs { return log(in["a"]); }},
      {"log1p", [](const Feed& in) -> Outputs { return log1p(in["a"]); }},
      {"neg", [](const Feed& in) -> Outputs { return neg(in["a"]); }},
      {"reciprocal", [](const Feed& in) -> Outputs { return reciprocal(in["a"]); }},
      {"relu", [](const Feed& in) -> Outputs { return relu(in["a"]); }},
      {"rsqrt", [](const Feed& in) -> Outputs { return rsqrt(in["a"]); }},
      {"sigmoid", [](const Feed& in) -> Outputs { return sigmoid(in["a"]); }},
      {"silu", [](const Feed& in) -> Outputs { return silu(in["a"]); }},
      {"sin", [](const Feed& in) -> Outputs { return sin(in["a"]); }},
      {"softplus", [](const Feed& in) -> Outputs { return softplus(in["a"]); }},
      {"sqrt", [](const Feed& in) -> Outputs { return sqrt(in["a"]); }},
      {"square", [](const Feed& in) -> Outputs { return square(in["a"]); }},
      {"tanh", [](const Feed& in) -> Outputs { return tanh(in["a"]); }},
      {"sign", [](const Feed& in) -> Outputs { return sign(in["a"]); }},
      // comparing, logic
      {"eq", [](const Feed& in) { return pair(in, std::equal_to<>()); }},
      {"ne", [](const Feed& in) { return pair(in, std::not_equal_to<>()); }},
      {"lt", [](const Feed& in) { return pair(in, std::less<>()); }},
      {"le", [](const Feed& in) { return pair(in, std::less_equal<>()); }},
      {"gt", [](const Feed& in) { return pair(in, std::greater<>()); }},
      {"ge", [](const Feed& in) { return pair(in, std::greater_equal<>()); }},
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
       [](const Feed& in) -> Outputs {
         return masked_fill(in["a"], in["mask"], in.c.number("value"));
       }},
      {"where", chosen},
  };
}

}  // namespace heed::golden

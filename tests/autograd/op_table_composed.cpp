// The rows of autograd/composed.h.
#include "tests/autograd/op_samples.h"
#include "tests/autograd/op_table.h"

namespace heed::tests {
namespace {

// f of two Variables, and of a Variable beside a Tensor on either side.
template <class F>
void pair(std::vector<OpRow>& table, const char* name, const Shape& a, const Shape& b,
          F f) {
  const Tensor left = u(0.5, 2, a), right = u(0.5, 2, b);
  table.push_back(
      {name,
       {{{u(-2, 2, a), u(0.5, 2, b)}, [f](In in) { return f(in[0], in[1]); }},
        {{u(0.5, 2, b)}, [=](In in) { return f(left.to(in[0].dtype()), in[0]); }},
        {{u(-2, 2, a)}, [=](In in) { return f(in[0], right.to(in[0].dtype())); }}}});
}

void one(std::vector<OpRow>& table, const char* name, const Tensor& x,
         const Function& f) {
  table.push_back({name, {{{x}, f}}});
}

void add_products(std::vector<OpRow>& table) {
  pair(table, "mm", {2, 3}, {3, 2},
       [](const auto& a, const auto& b) { return mm(a, b); });
  pair(table, "mv", {2, 3}, {3}, [](const auto& a, const auto& b) { return mv(a, b); });
  pair(table, "dot", {3}, {3}, [](const auto& a, const auto& b) { return dot(a, b); });
  pair(table, "cdist", {2, 3}, {4, 3},
       [](const auto& a, const auto& b) { return cdist(a, b); });
  pair(table, "cdist", {2, 1, 3}, {2, 3},
       [](const auto& a, const auto& b) { return cdist(a, b); });
  // No two coordinates are near each other, where |x|^p has a kink.
  for (double p : {1.0, 1.5, 3.0}) {
    table.push_back({"cdist", {{{u(-2, -0.5, {2, 3}), u(0.5, 2, {4, 3})}, [p](In in) {
                                  return cdist(in[0], in[1], p);
                                }}}});
  }
  pair(table, "einsum", {2, 3, 4}, {2, 5, 4},
       [](const auto& a, const auto& b) { return einsum("bqd,bkd->bkq", a, b); });
  pair(table, "einsum", {2, 3}, {3, 2},
       [](const auto& a, const auto& b) { return einsum("ij,jk->j", a, b); });
  table.push_back(
      {"einsum",
       {{{u(-2, 2, {2, 3, 2})}, [](In in) { return einsum("abc->ca", in[0]); }},
        {{u(-2, 2, {2, 3}), u(-2, 2, {3, 4}), u(-2, 2, {4})},
         [](In in) { return einsum("ij,jk,k", in[0], in[1], in[2]); }}}});
  table.push_back({"baddbmm",
                   {{{u(-2, 2, {2}), u(-2, 2, {2, 3, 4}), u(-2, 2, {2, 4, 2})},
                     [](In in) { return baddbmm(in[0], in[1], in[2], 0.5, -2); }}}});
  one(table, "cov", u(-2, 2, {3, 4}), [](In in) { return cov(in[0]); });
  one(table, "cov", u(-2, 2, {4}), [](In in) { return cov(in[0], 0); });
  one(table, "corrcoef", u(-2, 2, {3, 4}),
      [](In in) { return corrcoef(in[0]) * (1 - eye(3, in[0].dtype())); });
  pair(table, "dist", {2, 3}, {3},
       [](const auto& a, const auto& b) { return dist(a, b); });
  table.push_back({"addmm",
                   {{{u(-2, 2, {2}), u(-2, 2, {3, 4}), u(-2, 2, {4, 2})},
                     [](In in) { return addmm(in[0], in[1], in[2]); }},
                    {{u(-2, 2, {3, 2}), u(-2, 2, {3, 4}), u(-2, 2, {4, 2})},
                     [](In in) { return addmm(in[0], in[1], in[2], 0.5, -2); }}}});
  pair(table, "kron", {2, 3}, {2},
       [](const auto& a, const auto& b) { return kron(a, b); });
  pair(table, "cross", {2, 3}, {1, 3},
       [](const auto& a, const auto& b) { return cross(a, b); });
  pair(table, "tensordot", {2, 3, 4}, {3, 4, 2},
       [](const auto& a, const auto& b) { return tensordot(a, b); });
  pair(table, "tensordot", {2, 3, 4}, {5, 3},
       [](const auto& a, const auto& b) { return tensordot(a, b, 1, -1); });
  for (int n : {1, 5}) {
    one(table, "matrix_power", u(-1, 1, {2, 2, 2}),
        [n](In in) { return matrix_power(in[0], n); });
  }
  one(table, "trace", u(-2, 2, {2, 3}), [](In in) { return trace(in[0]); });
  for (int k : {0, 1, -2}) {
    one(table, "diag", u(-2, 2, {3}), [k](In in) { return diag(in[0], k); });
    one(table, "diag", u(-2, 2, {3, 4}), [k](In in) { return diag(in[0], k); });
  }
}

void add_numbers(std::vector<OpRow>& table) {
  const Shape a = {2, 3}, b = {3};
  pair(table, "add", a, b, [](const auto& a, const auto& b) { return add(a, b); });
  pair(table, "add", a, b, [](const auto& a, const auto& b) { return add(a, b, 2.5); });
  pair(table, "sub", a, b, [](const auto& a, const auto& b) { return sub(a, b); });
  pair(table, "sub", a, b, [](const auto& a, const auto& b) { return sub(a, b, 2.5); });
  pair(table, "mul", a, b, [](const auto& a, const auto& b) { return mul(a, b); });
  pair(table, "div", a, b, [](const auto& a, const auto& b) { return div(a, b); });
  for (double weight : {0.25, 0.75}) {
    pair(table, "lerp", a, b,
         [=](const auto& a, const auto& b) { return lerp(a, b, weight); });
  }
  table.push_back({"lerp",
                   {{{u(-2, 2, a), u(-2, 2, b), u(0.1, 0.4, {2, 1})},
                     [](In in) { return lerp(in[0], in[1], in[2]); }},
                    {{u(-2, 2, a), u(-2, 2, b), u(0.6, 0.9, {2, 1})},
                     [](In in) { return lerp(in[0], in[1], in[2]); }}}});
  table.push_back({"addcmul", {{{u(-2, 2, a), u(-2, 2, b), u(-2, 2, a)}, [](In in) {
                                  return addcmul(in[0], in[1], in[2], 0.5);
                                }}}});
  table.push_back({"addcdiv", {{{u(-2, 2, a), u(-2, 2, b), u(0.5, 2, a)}, [](In in) {
                                  return addcdiv(in[0], in[1], in[2], 0.5);
                                }}}});
  pair(table, "logaddexp", a, b,
       [](const auto& a, const auto& b) { return logaddexp(a, b); });
  one(table, "fmod", apart(a), [](In in) { return fmod(in[0], -0.43); });
  table.push_back({"fmod", {{{u(-1.9, -1.6, a), u(-0.7, -0.65, b)}, [](In in) {
                               return fmod(in[0], in[1]);
                             }}}});
  one(table, "logit", u(0.1, 0.9, a), [](In in) { return logit(in[0]); });
  one(table, "logit", apart(a), [](In in) { return logit(in[0], 0.1); });
  pair(table, "broadcast_tensors", a, b, [](const auto& a, const auto& b) {
    const std::vector<Variable> wide = broadcast_tensors({Variable(a), Variable(b)});
    return wide[0] * wide[1];
  });
  one(table, "add", u(-2, 2, a), [](In in) { return add(in[0], 2); });
  pair(table, "hypot", a, b, [](const auto& a, const auto& b) { return hypot(a, b); });
  pair(table, "atan2", a, b, [](const auto& a, const auto& b) { return atan2(a, b); });
  one(table, "asin", u(-0.8, 0.8, a), [](In in) { return asin(in[0]); });
  one(table, "acos", u(-0.8, 0.8, a), [](In in) { return acos(in[0]); });
  one(table, "atan", u(-2, 2, a), [](In in) { return atan(in[0]); });
  one(table, "sinh", u(-2, 2, a), [](In in) { return sinh(in[0]); });
  one(table, "cosh", u(-2, 2, a), [](In in) { return cosh(in[0]); });
  one(table, "frac", apart(a), [](In in) { return frac(in[0]); });
  one(table, "deg2rad", u(-2, 2, a), [](In in) { return deg2rad(in[0]); });
  one(table, "rad2deg", u(-2, 2, a), [](In in) { return rad2deg(in[0]); });
  one(table, "log2", u(0.5, 3, a), [](In in) { return log2(in[0]); });
  one(table, "log10", u(0.5, 3, a), [](In in) { return log10(in[0]); });
  one(table, "exp2", u(-2, 2, a), [](In in) { return exp2(in[0]); });
  one(table, "tan", u(-1, 1, a), [](In in) { return tan(in[0]); });
  one(table, "trunc", apart(a), [](In in) { return trunc(in[0]); });
  one(table, "round", u(0.11, 0.14, a), [](In in) { return round(in[0], 1); });
  one(table, "round", u(11, 14, a), [](In in) { return round(in[0], -1); });
  one(table, "clip", apart(a), [](In in) { return clip(in[0], -0.5, 0.6); });
  one(table, "nan_to_num", u(-2, 2, a), [](In in) { return nan_to_num(in[0]); });
}

void add_reductions(std::vector<OpRow>& table) {
  const Shape shape = {3, 4};
  const auto both = [&](const char* name, auto f) {
    one(table, name, apart(shape), [f](In in) { return f(in[0], Dims()).first; });
    one(table, name, apart(shape), [f](In in) { return f(in[0], Dims(1)).second; });
  };
  both("std_mean", [](const auto&... x) { return std_mean(x...); });
  both("var_mean", [](const auto&... x) { return var_mean(x...); });
  one(table, "aminmax", apart(shape), [](In in) { return aminmax(in[0]).min; });
  one(table, "aminmax", apart(shape), [](In in) { return aminmax(in[0], 1).max; });
  one(table, "nansum", u(-2, 2, shape), [](In in) { return nansum(in[0], 0); });
  one(table, "nanmean", u(-2, 2, shape), [](In in) { return nanmean(in[0], 1, true); });
  one(table, "median", apart(shape), [](In in) { return median(in[0]); });
  one(table, "median", apart(shape), [](In in) { return median(in[0], 0).values; });
  one(table, "kthvalue", apart(shape), [](In in) { return kthvalue(in[0], 2).values; });
  one(table, "quantile", apart(shape), [](In in) { return quantile(in[0], 0.3); });
  one(table, "quantile", apart(shape), [](In in) { return quantile(in[0], 1, 0, true); });
  one(table, "quantile", apart(shape), [](In in) {
    return quantile(in[0], tensor({0.25, 0.6}, in[0].dtype()), -1);
  });
  Tensor zeros_inside = u(0.5, 2, shape);
  zeros_inside.set({0, 1}, 0);
  zeros_inside.set({2, 0}, 0);
  zeros_inside.set({2, 3}, 0);
  one(table, "cumprod", zeros_inside, [](In in) { return cumprod(in[0], 1); });
  one(table, "cumprod", u(-2, 2, {5, 2}), [](In in) { return cumprod(in[0], -2); });
  one(table, "cummax", apart(shape), [](In in) { return cummax(in[0], 1).values; });
  one(table, "cummin", apart(shape), [](In in) { return cummin(in[0], 0).values; });
  one(table, "diff", u(-2, 2, shape), [](In in) { return diff(in[0], 2); });
  one(table, "diff", u(-2, 2, shape), [](In in) { return diff(in[0], 1, 0); });
}

void add_shapes(std::vector<OpRow>& table) {
  const Tensor x = u(-2, 2, {2, 3});
  one(table, "atleast_1d", u(-2, 2, {}), [](In in) { return atleast_1d(in[0]); });
  one(table, "atleast_2d", u(-2, 2, {3}), [](In in) { return atleast_2d(in[0]); });
  one(table, "atleast_3d", x, [](In in) { return atleast_3d(in[0]); });
  one(table, "tensor_split", x, [](In in) { return tensor_split(in[0], 2, 1)[0]; });
  one(table, "tensor_split", x, [](In in) { return tensor_split(in[0], {1, 2}, -1)[1]; });
  for (int k : {1, 2, -1, 4})
    one(table, "rot90", x, [k](In in) { return rot90(in[0], k); });
  one(table, "repeat_interleave", u(-2, 2, {3}), [](In in) {
    return repeat_interleave(in[0], tensor({2, 0, 1}));
  });
  one(table, "combinations", u(-2, 2, {4}), [](In in) { return combinations(in[0]); });
  one(table, "combinations", u(-2, 2, {3}),
      [](In in) { return combinations(in[0], 3, true); });
  pair(table, "trapezoid", {2, 3}, {3},
       [](const auto& a, const auto& b) { return trapezoid(a, b); });
  one(table, "trapezoid", x, [](In in) { return trapezoid(in[0], 0.5, 0); });
}

void add_constants(std::vector<OpRow>& table) {
  const auto constant = [&](const char* name, const Function& f) {
    table.push_back({name, {{{apart({2, 3})}, f}}, false});
  };
  constant("eq", [](In in) { return eq(in[0], in[0]); });
  constant("ne", [](In in) { return ne(in[0], 0); });
  constant("lt", [](In in) { return lt(in[0], in[0].value()); });
  constant("le", [](In in) { return le(in[0], 0); });
  constant("gt", [](In in) { return gt(in[0], 0); });
  constant("ge", [](In in) { return ge(in[0], in[0]); });
  constant("count_nonzero", [](In in) { return count_nonzero(in[0], 1); });
}

}  // namespace

void add_composed_ops(std::vector<OpRow>& table) {
  add_products(table);
  add_numbers(table);
  add_shapes(table);
  add_reductions(table);
  add_constants(table);
}

}  // namespace heed::tests

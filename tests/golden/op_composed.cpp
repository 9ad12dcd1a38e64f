#include "autograd/angles.h"
#include "autograd/composed.h"
#include "autograd/einsum.h"
#include "autograd/index_put.h"
#include "autograd/products.h"
#include "autograd/shapes.h"
#include "autograd/statistics.h"
#include "nn/functional.h"
#include "tensor/reduce/counting.h"
#include "tests/golden/op.h"

namespace heed::golden {
namespace {

bool keepdim(In in) { return in.c.flag("keepdim", false); }

Outputs two(const std::pair<Variable, Variable>& pair) {
  Outputs outputs;
  outputs["y0"] = pair.first;
  outputs["y1"] = pair.second;
  return outputs;
}

std::optional<Dim> optional_dim(In in) {
  if (!in.c.gives("dim")) return {};
  return dim(in);
}

Outputs medians(In in) {
  if (!in.c.gives("dim")) return median(in["a"]);
  return median(in["a"], dim(in), keepdim(in));
}

Outputs kth(In in) {
  const auto found = kthvalue(in["a"], in.c.integer("k"), in.c.integer("dim", -1));
  if (!in.c.has("out.indices")) return found.values;
  return found;
}

Outputs quantiles(In in) {
  const std::optional<Dim> along = optional_dim(in);
  if (in.has("qs")) return quantile(in["a"], in.tensor("qs"), along, keepdim(in));
  return quantile(in["a"], in.c.number("q"), along, keepdim(in));
}

Outputs lerped(In in) {
  if (in.has("c")) return lerp(in["a"], in["b"], in["c"]);
  return lerp(in["a"], in["b"], in.c.number("weight"));
}

Outputs without_nan(In in) {
  if (!in.c.gives("nan")) return nan_to_num(in["a"]);
  return nan_to_num(in["a"], in.c.number("nan"), in.c.number("posinf"),
                    in.c.number("neginf"));
}

Outputs uniques(In in) {
  const Unique found = unique(in.tensor("a"), {true, true});
  Outputs outputs(Variable(found.output));
  outputs["inverse"] = found.inverse_indices;
  outputs["counts"] = found.counts;
  return outputs;
}

Outputs parts_of_unbind(In in) {
  const std::vector<Variable> parts = unbind(in["a"], dim(in));
  return two({parts.at(0), parts.at(1)});
}

Outputs counted(In in) {
  const Tensor weights = in.has("weights") ? in.tensor("weights") : Tensor();
  return Variable(bincount(in.tensor("a"), weights, in.c.integer("minlength", 0)));
}

template <class F>
std::function<Outputs(In)> of_a_b(F f) {
  return [f](In in) { return f(in["a"], in["b"]); };
}
template <class F>
std::function<Outputs(In)> over_dims(F f) {
  return [f](In in) { return f(in["a"], in.dims("dim"), keepdim(in)); };
}

Ops numbers() {
  return {
      {"add_function",
       [](In in) { return add(in["a"], in["b"], in.c.number("alpha", 1)); }},
      {"addcmul",
       [](In in) { return addcmul(in["a"], in["b"], in["c"], in.c.number("value")); }},
      {"clip", [](In in) { return clip(in["a"], in.c.number("min")); }},
      {"div_function", of_a_b([](const auto&... x) { return div(x...); })},
      {"eq", of_a_b([](const auto&... x) { return eq(x...); })},
      {"exp2", [](In in) { return exp2(in["a"]); }},
      {"ge", of_a_b([](const auto&... x) { return ge(x...); })},
      {"gt", of_a_b([](const auto&... x) { return gt(x...); })},
      {"le", of_a_b([](const auto&... x) { return le(x...); })},
      {"lerp", lerped},
      {"log10", [](In in) { return log10(in["a"]); }},
      {"log2", [](In in) { return log2(in["a"]); }},
      {"lt", of_a_b([](const auto&... x) { return lt(x...); })},
      {"mul_function", of_a_b([](const auto&... x) { return mul(x...); })},
      {"nan_to_num", without_nan},
      {"ne", of_a_b([](const auto&... x) { return ne(x...); })},
      {"round_to", [](In in) { return round(30 * in["a"], in.c.integer("decimals")); }},
      {"sub_function",
       [](In in) { return sub(in["a"], in["b"], in.c.number("alpha", 1)); }},
      {"tan", [](In in) { return tan(in["a"]); }},
      {"trunc", [](In in) { return trunc(in["a"]); }},
  };
}

Ops products_and_layers() {
  return {
      {"addmm",
       [](In in) {
         return addmm(in["c"], in["a"], in["b"], in.c.number("beta"),
                      in.c.number("alpha"));
       }},
      {"cdist", of_a_b([](const auto&... x) { return cdist(x...); })},
      {"cosine_similarity",
       [](In in) {
         return nn::cosine_similarity(in["a"], in["b"], in.c.integer("dim", 1));
       }},
      {"diag", [](In in) { return diag(in["a"], in.c.integer("diagonal")); }},
      {"dist", of_a_b([](const auto&... x) { return dist(x...); })},
      {"dot", of_a_b([](const auto&... x) { return dot(x...); })},
      {"mm", of_a_b([](const auto&... x) { return mm(x...); })},
      {"mv", of_a_b([](const auto&... x) { return mv(x...); })},
      {"normalize",
       [](In in) {
         return nn::normalize(in["a"], in.c.number("p", 2), in.c.integer("dim", 1));
       }},
      {"pad",
       [](In in) { return nn::pad(in["a"], in.c.list("pads"), in.c.number("value")); }},
      {"trace", [](In in) { return trace(in["a"]); }},
  };
}

Ops reductions() {
  return {
      {"aminmax",
       [](In in) {
         const auto [min, max] = aminmax(in["a"], in.dims("dim"), keepdim(in));
         return two({min, max});
       }},
      {"bincount", counted},
      {"bucketize",
       [](In in) {
         return Variable(
             bucketize(in.tensor("b"), in.tensor("a"), in.c.flag("right", false)));
       }},
      {"count_nonzero", [](In in) { return count_nonzero(in["a"], in.dims("dim")); }},
      {"cummax", [](In in) { return cummax(in["a"], dim(in)); }},
      {"cummin", [](In in) { return cummin(in["a"], dim(in)); }},
      {"cumprod", [](In in) { return cumprod(in["a"], dim(in)); }},
      {"diff",
       [](In in) {
         return diff(in["a"], in.c.integer("n", 1), in.c.integer("dim", -1));
       }},
      {"histc",
       [](In in) {
         return Variable(histc(in.tensor("a"), in.c.integer("bins"),
                               in.c.number("min", 0), in.c.number("max", 0)));
       }},
      {"kthvalue", kth},
      {"median", medians},
      {"nanmean", over_dims([](const auto&... x) { return nanmean(x...); })},
      {"nansum", over_dims([](const auto&... x) { return nansum(x...); })},
      {"quantile", quantiles},
      {"searchsorted",
       [](In in) {
         return Variable(
             searchsorted(in.tensor("a"), in.tensor("b"), in.c.flag("right", false)));
       }},
      {"std_mean", [](In in) { return two(std_mean(in["a"], dim(in), 1, keepdim(in))); }},
      {"unique", uniques},
      {"var_mean", [](In in) { return two(var_mean(in["a"], dim(in), 1, keepdim(in))); }},
  };
}

Ops shapes() {
  return {
      {"broadcast_to", [](In in) { return broadcast_to(in["a"], in.shape("shape")); }},
      {"cartesian_prod",
       [](In in) {
         return cartesian_prod({in["a"], in["b"]});
       }},
      {"fliplr", [](In in) { return fliplr(in["a"]); }},
      {"flipud", [](In in) { return flipud(in["a"]); }},
      {"hstack",
       [](In in) {
         return hstack({in["a"], in["b"]});
       }},
      {"index_add_source",
       [](In in) {
         return index_add(in["a"], dim(in), in.tensor("index"), in["src"],
                          in.c.number("alpha"));
       }},
      {"movedim",
       [](In in) { return movedim(in["a"], in.dims("source"), in.dims("destination")); }},
      {"narrow",
       [](In in) {
         return narrow(in["a"], dim(in), in.c.integer("start"), in.c.integer("length"));
       }},
      {"ravel", [](In in) { return ravel(in["a"]); }},
      {"roll_flat", [](In in) { return roll(in["a"], in.c.integer("shift")); }},
      {"scatter",
       [](In in) {
         return scatter(in["a"], dim(in), in.tensor("index"), in.c.number("value"));
       }},
      {"scatter_add_source",
       [](In in) {
         return scatter_add(in["a"], dim(in), in.tensor("index"), in["src"]);
       }},
      {"scatter_source",
       [](In in) { return scatter(in["a"], dim(in), in.tensor("index"), in["src"]); }},
      {"swapaxes",
       [](In in) {
         const Shape dims = in.shape("dims");
         return swapaxes(in["a"], dims[0], dims[1]);
       }},
      {"take", [](In in) { return take(in["a"], in.tensor("index")); }},
      {"take_along_dim",
       [](In in) {
         return take_along_dim(in["a"], in.tensor("index"), optional_dim(in));
       }},
      {"tile", [](In in) { return tile(in["a"], in.shape("repeats")); }},
      {"tril_indices",
       [](In in) {
         return Variable(tril_indices(in.c.integer("rows"), in.c.integer("columns"),
                                      in.c.integer("offset")));
       }},
      {"triu_indices",
       [](In in) {
         return Variable(triu_indices(in.c.integer("rows"), in.c.integer("columns"),
                                      in.c.integer("offset")));
       }},
      {"unbind", parts_of_unbind},
      {"unflatten", [](In in) { return unflatten(in["a"], dim(in), in.shape("shape")); }},
      {"vstack",
       [](In in) {
         return vstack({in["a"], in["b"]});
       }},
  };
}

Ops more() {
  return {
      {"addcdiv",
       [](In in) { return addcdiv(in["a"], in["b"], in["c"], in.c.number("value")); }},
      {"baddbmm",
       [](In in) {
         return baddbmm(in["c"], in["a"], in["b"], in.c.number("beta"),
                        in.c.number("alpha"));
       }},
      {"cdist_p", [](In in) { return cdist(in["a"], in["b"], in.c.number("p")); }},
      {"corrcoef", [](In in) { return corrcoef(in["a"]); }},
      {"cov", [](In in) { return cov(in["a"], in.c.integer("correction")); }},
      {"einsum",
       [](In in) {
         const std::string equation = in.c.text("equation");
         if (in.has("c")) return einsum(equation, in["a"], in["b"], in["c"]);
         return in.has("b") ? einsum(equation, in["a"], in["b"])
                            : einsum(equation, in["a"]);
       }},
      {"fmod", of_a_b([](const auto&... x) { return fmod(x...); })},
      {"index",
       [](In in) {
         return index(in["a"], {in.tensor("rows"), in.tensor("columns")});
       }},
      {"index_fill",
       [](In in) {
         return index_fill(in["a"], dim(in), in.tensor("index"), in.c.number("value"));
       }},
      {"index_put",
       [](In in) {
         return index_put(in["a"], {in.tensor("rows"), in.tensor("columns")}, in["src"],
                          in.c.flag("accumulate", false));
       }},
      {"isin", [](In in) { return Variable(isin(in["a"], in.tensor("b"))); }},
      {"logaddexp", of_a_b([](const auto&... x) { return logaddexp(x...); })},
      {"logit", [](In in) { return logit(in["a"], in.c.number("eps")); }},
      {"logspace",
       [](In in) {
         return Variable(logspace(in.c.number("start"), in.c.number("end"),
                                  in.c.integer("steps"), in.c.number("base"),
                                  in.c.dtype()));
       }},
  };
}

template <class F>
std::function<Outputs(In)> of_a(F f) {
  return [f](In in) { return f(in["a"]); };
}

// Those of autograd/angles.h, products.h and shapes.h.
Ops angles_products_and_shapes() {
  return {
      {"acos", of_a([](auto& x) { return acos(x); })},
      {"asin", of_a([](auto& x) { return asin(x); })},
      {"atan", of_a([](auto& x) { return atan(x); })},
      {"atan2", of_a_b([](const auto&... x) { return atan2(x...); })},
      {"atleast_1d", of_a([](auto& x) { return atleast_1d(x); })},
      {"atleast_2d", of_a([](auto& x) { return atleast_2d(x); })},
      {"atleast_3d", of_a([](auto& x) { return atleast_3d(x); })},
      {"combinations",
       [](In in) {
         return combinations(in["a"], in.c.integer("r"),
                             in.c.flag("with_replacement", false));
       }},
      {"cosh", of_a([](auto& x) { return cosh(x); })},
      {"cross", [](In in) { return cross(in["a"], in["b"], dim(in)); }},
      {"deg2rad", of_a([](auto& x) { return deg2rad(x); })},
      {"frac", of_a([](auto& x) { return frac(x); })},
      {"hypot", of_a_b([](const auto&... x) { return hypot(x...); })},
      {"kron", of_a_b([](const auto&... x) { return kron(x...); })},
      {"matrix_power", [](In in) { return matrix_power(in["a"], in.c.integer("n")); }},
      {"rad2deg", of_a([](auto& x) { return rad2deg(x); })},
      {"repeat_interleave_flat",
       [](In in) { return repeat_interleave(in["a"], in.tensor("index")); }},
      {"rot90", [](In in) { return rot90(in["a"], in.c.integer("k"), in.dims("dims")); }},
      {"sinh", of_a([](auto& x) { return sinh(x); })},
      {"tensor_split",
       [](In in) { return cat(tensor_split(in["a"], in.c.integer("sections"), 1), 1); }},
      {"tensordot",
       [](In in) {
         return tensordot(in["a"], in["b"], in.dims("of_a"), in.dims("of_b"));
       }},
      {"trapezoid", of_a_b([](const auto&... x) { return trapezoid(x...); })},
  };
}

}  // namespace

Ops composed_ops() {
  Ops ops;
  for (Ops family : {numbers(), products_and_layers(), reductions(), shapes(), more(),
                     angles_products_and_shapes()}) {
    ops.merge(family);
  }
  return ops;
}

}  // namespace heed::golden

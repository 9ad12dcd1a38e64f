#include "autograd/indexing.h"
#include "autograd/matmul.h"
#include "autograd/reductions.h"
#include "autograd/softmax.h"
#include "autograd/sorting.h"
#include "autograd/views.h"
#include "tests/golden/op.h"

namespace heed::golden {
namespace {

bool keepdim(In in) { return in.c.flag("keepdim", false); }
int correction(In in) {
  const int other = in.c.flag("unbiased", true) ? 1 : 0;
  return static_cast<int>(in.c.integer("correction", other));
}

template <Variable (*f)(const Variable&, const Dims&, Flag)>
Outputs over_dims(In in) {
  return f(in["a"], in.dims("dim"), keepdim(in));
}

// f of everything, or of one dimension.
template <class F>
Outputs over_dim(In in, F f) {
  if (!in.c.gives("dim")) return f(in["a"]);
  return f(in["a"], dim(in), keepdim(in));
}

Outputs euclidean_norm(In in) {
  if (in.c.number("p", 2) != 2) throw CaseError("unknown norm, p = " + in.c.text("p"));
  return norm(in["a"], in.dims("dim"), keepdim(in));
}

Outputs product(In in) {
  const bool transposed =
      in.c.metadata("notes").find("b transposed") != std::string::npos;
  return matmul(in["a"], transposed ? transpose(in["b"], -2, -1) : in["b"]);
}

}  // namespace

Ops reduction_ops() {
  return {
      // sums and extremes
      {"all", over_dims<all>},
      {"amax", over_dims<amax>},
      {"amin", over_dims<amin>},
      {"any", over_dims<any>},
      {"argmax",
       [](In in) { return over_dim(in, [](auto... x) { return argmax(x...); }); }},
      {"argmin",
       [](In in) { return over_dim(in, [](auto... x) { return argmin(x...); }); }},
      {"logsumexp", over_dims<logsumexp>},
      {"max", [](In in) { return over_dim(in, [](auto... x) { return max(x...); }); }},
      {"mean", over_dims<mean>},
      {"min", [](In in) { return over_dim(in, [](auto... x) { return min(x...); }); }},
      {"norm", euclidean_norm},
      {"prod", over_dims<prod>},
      {"std",
       [](In in) { return std(in["a"], in.dims("dim"), correction(in), keepdim(in)); }},
      {"sum", over_dims<sum>},
      {"sum_to", [](In in) { return sum_to(in["a"], in.shape("shape")); }},
      {"var",
       [](In in) { return var(in["a"], in.dims("dim"), correction(in), keepdim(in)); }},
      // softmax
      {"log_softmax", [](In in) { return log_softmax(in["a"], dim(in)); }},
      {"softmax", [](In in) { return softmax(in["a"], dim(in)); }},
      // products
      {"bmm", binary<bmm>},
      {"matmul", product},
      {"outer", binary<outer>},
      // order
      {"argsort",
       [](In in) {
         return argsort(in["a"], in.c.integer("dim", -1), in.c.flag("descending", false));
       }},
      {"cumsum", [](In in) { return cumsum(in["a"], dim(in)); }},
      {"sort",
       [](In in) {
         return sort(in["a"], in.c.integer("dim", -1), in.c.flag("descending", false));
       }},
      {"topk",
       [](In in) {
         return topk(in["a"], in.c.integer("k"), in.c.integer("dim", -1),
                     in.c.flag("largest", true));
       }},
  };
}

}  // namespace heed::golden

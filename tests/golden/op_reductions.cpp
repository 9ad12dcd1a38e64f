#include "autograd/indexing.h"
#include "autograd/matmul.h"
#include "autograd/reductions.h"
#include "autograd/softmax.h"
#include "autograd/sorting.h"
#include "autograd/views.h"
#include "tests/golden/op.h"

namespace heed::golden {
namespace {

bool keepdim(const Feed& in) { return in.c.flag("keepdim", false); }
int correction(const Feed& in) {
  const int other = in.c.flag("unbiased", true) ? 1 : 0;
  return static_cast<int>(in.c.integer("correction", other));
}
std::int64_t dim(const Feed& in) { return in.c.integer("dim"); }

// An extreme of everything, or of one dimension and with its place.
Outputs largest(const Feed& in) {
  if (!in.c.gives("dim")) return max(in["a"]);
  return max(in["a"], dim(in), keepdim(in));
}
Outputs smallest(const Feed& in) {
  if (!in.c.gives("dim")) return min(in["a"]);
  return min(in["a"], dim(in), keepdim(in));
}
Outputs largest_place(const Feed& in) {
  if (!in.c.gives("dim")) return argmax(in["a"]);
  return argmax(in["a"], dim(in), keepdim(in));
}
Outputs smallest_place(const Feed& in) {
  if (!in.c.gives("dim")) return argmin(in["a"]);
  return argmin(in["a"], dim(in), keepdim(in));
}

Outputs euclidean_norm(const Feed& in) {
  if (in.c.number("p", 2) != 2) throw CaseError("unknown norm, p = " + in.c.text("p"));
  return norm(in["a"], in.dims("dim"), keepdim(in));
}

Outputs product(const Feed& in) {
  const bool transposed =
      in.c.metadata("notes").find("b transposed") != std::string::npos;
  return matmul(in["a"], transposed ? transpose(in["b"], -2, -1) : in["b"]);
}

}  // namespace

Ops reduction_ops() {
  return {
      // sums and extremes
      {"all",
       [](const Feed& in) -> Outputs {
         return all(in["a"], in.dims("dim"), keepdim(in));
       }},
      {"amax",
       [](const Feed& in) -> Outputs {
         return amax(in["a"], in.dims("dim"), keepdim(in));
       }},
      {"amin",
       [](const Feed& in) -> Outputs {
         return amin(in["a"], in.dims("dim"), keepdim(in));
       }},
      {"any",
       [](const Feed& in) -> Outputs {
         return any(in["a"], in.dims("dim"), keepdim(in));
       }},
      {"argmax", largest_place},
      {"argmin", smallest_place},
      {"logsumexp",
       [](const Feed& in) -> Outputs {
         return logsumexp(in["a"], in.dims("dim"), keepdim(in));
       }},
      {"max", largest},
      {"mean",
       [](const Feed& in) -> Outputs {
         return mean(in["a"], in.dims("dim"), keepdim(in));
       }},
      {"min", smallest},
      {"norm", euclidean_norm},
      {"prod",
       [](const Feed& in) -> Outputs {
         return prod(in["a"], in.dims("dim"), keepdim(in));
       }},
      {"std",
       [](const Feed& in) -> Outputs {
         return std(in["a"], in.dims("dim"), correction(in), keepdim(in));
       }},
      {"sum",
       [](const Feed& in) -> Outputs {
         return sum(in["a"], in.dims("dim"), keepdim(in));
       }},
      {"sum_to",
       [](const Feed& in) -> Outputs { return sum_to(in["a"], in.shape("shape")); }},
      {"var",
       [](const Feed& in) -> Outputs {
         return var(in["a"], in.dims("dim"), correction(in), keepdim(in));
       }},
      // softmax
      {"log_softmax",
       [](const Feed& in) -> Outputs { return log_softmax(in["a"], dim(in)); }},
      {"softmax", [](const Feed& in) -> Outputs { return softmax(in["a"], dim(in)); }},
      // products
      {"bmm", [](const Feed& in) -> Outputs { return bmm(in["a"], in["b"]); }},
      {"matmul", product},
      {"outer", [](const Feed& in) -> Outputs { return outer(in["a"], in["b"]); }},
      // order
      {"argsort",
       [](const Feed& in) -> Outputs {
         return argsort(in["a"], in.c.integer("dim", -1), in.c.flag("descending", false));
       }},
      {"cumsum", [](const Feed& in) -> Outputs { return cumsum(in["a"], dim(in)); }},
      {"sort",
       [](const Feed& in) -> Outputs {
         return sort(in["a"], in.c.integer("dim", -1), in.c.flag("descending", false));
       }},
      {"topk",
       [](const Feed& in) -> Outputs {
         return topk(in["a"], in.c.integer("k"), in.c.integer("dim", -1),
                     in.c.flag("largest", true));
       }},
  };
}

}  // namespace heed::golden

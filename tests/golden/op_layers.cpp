#include "autograd/elementwise.h"
#include "autograd/indexing.h"
#include "autograd/layer_norm.h"
#include "autograd/matmul.h"
#include "autograd/reductions.h"
#include "autograd/softmax.h"
#include "autograd/views.h"
#include "nn/functional.h"
#include "nn/loss.h"
#include "tensor/core/factories.h"
#include "tests/golden/op.h"

namespace heed::golden {
namespace {

nn::Reduction reduction(In in) {
  const bool given = in.c.attributes("").contains("reduction");
  const std::string name = given ? in.c.text("reduction") : "mean";
  if (name == "none") return nn::Reduction::none;
  if (name == "sum") return nn::Reduction::sum;
  if (name == "mean") return nn::Reduction::mean;
  throw CaseError("unknown reduction " + name);
}

Outputs linear(In in) {
  if (in.has("b")) return nn::linear(in["a"], in["w"], in["b"]);
  return nn::linear(in["a"], in["w"]);
}

Outputs layer_norm(In in) {
  const Shape shape = in.shape("normalized_shape");
  const double eps = in.c.number("eps", 1e-5);
  if (!in.has("w") && !in.has("b")) return nn::layer_norm(in["a"], shape, eps);
  const DType dtype = in["a"].dtype();
  if (!in.has("b")) return nn::layer_norm(in["a"], shape, in["w"], eps);
  const Variable weight = in.has("w") ? in["w"] : Variable(ones(shape, dtype));
  return nn::layer_norm(in["a"], shape, weight, in["b"], eps);
}

// The op below the layer: over the last dimension, with undefined operands for none.
Outputs layer_norm_rows(In in) {
  const Variable none;
  return heed::layer_norm(in["a"], in.has("w") ? in["w"] : none,
                          in.has("b") ? in["b"] : none, in.c.number("eps"));
}

Outputs embedding(In in) {
  std::optional<std::int64_t> padding;
  if (in.c.gives("padding_idx")) padding = in.c.integer("padding_idx");
  return nn::embedding(in.tensor("ids"), in["w"], padding);
}

Tensor class_weight(In in) { return in.has("weight") ? in.tensor("weight") : Tensor(); }

Outputs cross_entropy(In in) {
  return nn::cross_entropy(in["a"], in.tensor("target"),
                           {.weight = class_weight(in),
                            .ignore_index = in.c.integer("ignore_index", -100),
                            .reduction = reduction(in),
                            .label_smoothing = in.c.number("label_smoothing", 0)});
}

Outputs binary_cross_entropy(In in) {
  return nn::binary_cross_entropy_with_logits(
      in["a"], in["b"],
      {.reduction = reduction(in),
       .pos_weight = in.has("pos_weight") ? in.tensor("pos_weight") : Tensor()});
}

Outputs nll_of(const Variable& log_probabilities, In in) {
  return nn::nll_loss(log_probabilities, in.tensor("target"),
                      {.weight = class_weight(in),
                       .ignore_index = in.c.integer("ignore_index", -100),
                       .reduction = reduction(in)});
}

// Of log_softmax(a, 1), or of the log-probabilities given.
Outputs nll_loss(In in) {
  return nll_of(in.has("a") ? log_softmax(in["a"], 1) : in["log_probabilities"], in);
}

// A small graph, and how the note of its cases begins.
struct Graph {
  std::string_view note;
  Variable (*output)(In in);
};
constexpr Graph graphs[] = {
    {"(a*a + exp(a)) * a",
     [](In in) { return (in["a"] * in["a"] + exp(in["a"])) * in["a"]; }},
    {"a * detach(a)", [](In in) { return in["a"] * in["a"].detach(); }},
    {"tanh(a w) w^T + sum_0(a w)",
     [](In in) {
       const Variable& a = in["a"];
       const Variable& w = in["w"];
       return matmul(tanh(matmul(a, w)), transpose(w, 0, 1)) + sum(matmul(a, w), 0);
     }},
    {"b takes no part", [](In in) { return in["a"] * 2.0; }},
};

Outputs graph(In in) {
  const std::string note = in.c.metadata("notes");
  for (const Graph& row : graphs) {
    if (note.starts_with(row.note)) return row.output(in);
  }
  throw CaseError("unknown graph: " + note);
}

}  // namespace

Ops layer_ops() {
  return {
      {"celu", [](In in) { return nn::celu(in["a"], in.c.number("alpha")); }},
      {"glu", [](In in) { return nn::glu(in["a"], dim(in)); }},
      {"hardsigmoid", unary<nn::hardsigmoid>},
      {"hardswish", unary<nn::hardswish>},
      {"hardtanh",
       [](In in) {
         return nn::hardtanh(in["a"], in.c.number("min_val"), in.c.number("max_val"));
       }},
      {"mish", unary<nn::mish>},
      {"relu6", unary<nn::relu6>},
      {"selu", unary<nn::selu>},
      {"softmin", [](In in) { return nn::softmin(in["a"], dim(in)); }},
      {"softsign", unary<nn::softsign>},
      {"tanhshrink", unary<nn::tanhshrink>},
      {"cosine_embedding_loss",
       [](In in) {
         return nn::cosine_embedding_loss(
             in["a"], in["b"], in["target"],
             {.margin = in.c.number("margin"), .reduction = reduction(in)});
       }},
      {"margin_ranking_loss",
       [](In in) {
         return nn::margin_ranking_loss(
             in["a"], in["b"], in["target"],
             {.margin = in.c.number("margin"), .reduction = reduction(in)});
       }},
      {"pairwise_distance",
       [](In in) { return nn::pairwise_distance(in["a"], in["b"], in.c.number("p")); }},
      {"triplet_margin_loss",
       [](In in) {
         return nn::triplet_margin_loss(in["a"], in["b"], in["c"],
                                        {.margin = in.c.number("margin"),
                                         .p = in.c.number("p"),
                                         .reduction = reduction(in)});
       }},
      {"binary_cross_entropy",
       [](In in) {
         return nn::binary_cross_entropy(in["a"], in["b"], {.reduction = reduction(in)});
       }},
      {"binary_cross_entropy_with_logits", binary_cross_entropy},
      {"cross_entropy", cross_entropy},
      {"embedding", embedding},
      {"graph", graph},
      {"huber_loss",
       [](In in) {
         return nn::huber_loss(
             in["a"], in["b"],
             {.reduction = reduction(in), .delta = in.c.number("delta")});
       }},
      {"l1_loss", [](In in) { return nn::l1_loss(in["a"], in["b"], reduction(in)); }},
      {"layer_norm", layer_norm},
      {"layer_norm_rows", layer_norm_rows},
      {"linear", linear},
      {"mse_loss", [](In in) { return nn::mse_loss(in["a"], in["b"], reduction(in)); }},
      {"nll_loss", nll_loss},
      {"smooth_l1_loss",
       [](In in) {
         return nn::smooth_l1_loss(
             in["a"], in["b"], {.reduction = reduction(in), .beta = in.c.number("beta")});
       }},
  };
}

}  // namespace heed::golden

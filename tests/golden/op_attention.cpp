#include "autograd/additive_scores.h"
#include "autograd/elementwise.h"
#include "autograd/softmax.h"
#include "autograd/views.h"
#include "nn/heads.h"
#include "tensor/core/factories.h"
#include "tensor/reduce/reductions.h"
#include "tests/golden/op.h"

namespace heed::golden {
namespace {

// Lengths that broadcast to the queries (..., n), of which Mask::valid_lens takes some.
nn::Mask first_keys(In in) {
  if (!in.has("lens")) return {};
  const Tensor lens = in.tensor("lens");
  check(lens.numel() == 0 || min(lens).item() >= 0, "lens must not be negative");
  const Variable q = in["q"], k = in["k"];
  if (q.dim() <= 3 && lens.shape() == without_last(q.shape(), 1)) {
    return nn::Mask::valid_lens(lens);
  }
  Tensor keep = unsqueeze(lens, -1) > arange(k.size(-2), int64);
  while (keep.dim() < q.dim()) keep = unsqueeze(keep, 0);
  return nn::Mask::keep(keep);
}

// Whatever of a mask the inputs and attributes hold.
nn::Mask mask(In in) {
  nn::Mask mask;
  if (in.has("lens")) mask = mask & nn::Mask::valid_lens(in.tensor("lens"));
  if (in.has("keep")) mask = mask & nn::Mask::keep(in.tensor("keep"));
  if (in.has("drop")) mask = mask & nn::Mask::drop(in.tensor("drop"));
  if (in.has("bias")) mask = mask & nn::Mask::additive(in.tensor("bias"));
  if (in.c.flag("causal", false)) mask = mask & nn::Mask::causal();
  if (in.c.gives("align")) {
    mask = mask & nn::Mask::causal(in.c.text("align") == "top_left"
                                       ? nn::CausalAlign::top_left
                                       : nn::CausalAlign::bottom_right);
  }
  if (in.c.gives("empty_rows")) {
    mask = mask.empty_rows(in.c.text("empty_rows") == "uniform" ? nn::EmptyRows::uniform
                                                                : nn::EmptyRows::nan);
  }
  return mask;
}

nn::DotScore dot_score(In in) {
  if (!in.c.gives("scale")) return {};
  return {.scale = in.c.number("scale")};
}

Outputs output_and_weights(In in) {
  const nn::Attention result =
      nn::attention(dot_score(in), in["q"], in["k"], in["v"], mask(in));
  Outputs outputs;
  outputs["output"] = result.output;
  outputs["weights"] = result.weights;
  return outputs;
}

// Queries (n) with keys (n, m) of their own: a batch of one query each.
Variable one_query_each(const Variable& q) { return unsqueeze(unsqueeze(q, -1), -1); }

}  // namespace

Ops attention_ops() {
  return {
      {"additive_scores",
       [](In in) { return additive_scores(in["q"], in["k"], in["w"]); }},
      {"attend",
       [](In in) {
         return nn::attend(dot_score(in), in["q"], in["k"], in["v"], mask(in),
                           nn::Dropout(0));
       }},
      {"attend_heads",
       [](In in) {
         const auto split = [&](const char* name) {
           return nn::split_heads(in[name], in.c.integer("heads"));
         };
         return nn::join_heads(nn::attend(nn::DotScore{}, split("q"), split("k"),
                                          split("v"), mask(in), nn::Dropout(0)));
       }},
      {"attention", output_and_weights},
      {"composed_attention",
       [](In in) {
         return nn::attention(dot_score(in), in["q"], in["k"], in["v"], first_keys(in))
             .output;
       }},
      {"gaussian_attention",
       [](In in) {
         const Variable y =
             nn::attend(nn::GaussianScore{in["w"]}, one_query_each(in["q"]),
                        unsqueeze(in["k"], -1), unsqueeze(in["v"], -1));  // (n, 1, 1)
         return reshape(y, in["q"].shape());
       }},
      {"gaussian_weights",
       [](In in) {
         const Variable scores =
             nn::GaussianScore{in["w"]}(one_query_each(in["q"]), unsqueeze(in["k"], -1));
         return softmax(squeeze(scores, -2), -1);  // (n, m)
       }},
      {"join_heads", [](In in) { return nn::join_heads(in["a"]); }},
      {"masked_softmax", [](In in) { return nn::masked_softmax(in["a"], mask(in)); }},
      {"scaled_dot_product_attention",
       [](In in) {
         return nn::attend(dot_score(in), in["q"], in["k"], in["v"], first_keys(in),
                           nn::Dropout(0));
       }},
      {"split_heads",
       [](In in) { return nn::split_heads(in["a"], in.c.integer("heads")); }},
  };
}

}  // namespace heed::golden

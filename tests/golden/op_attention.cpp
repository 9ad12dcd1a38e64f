#include "autograd/additive_scores.h"
#include "autograd/attention.h"
#include "autograd/gaussian_weights.h"
#include "nn/attention.h"
#include "tests/golden/op.h"

namespace heed::golden {
namespace {

std::optional<Tensor> lens(const Feed& in) {
  if (!in.has("lens")) return {};
  return in.tensor("lens");
}

// Whatever of a mask the inputs and attributes hold.
nn::Mask mask(const Feed& in) {
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

nn::AttentionOptions options(const Feed& in) {
  nn::AttentionOptions options;
  if (in.c.gives("scale")) options.scale = in.c.number("scale");
  return options;
}

Outputs output_and_weights(const Feed& in) {
  const nn::Attention result =
      nn::attention(in["q"], in["k"], in["v"], mask(in), nn::Dropout(0), options(in));
  Outputs outputs;
  outputs["output"] = result.output;
  outputs["weights"] = result.weights;
  return outputs;
}

}  // namespace

Ops attention_ops() {
  return {
      {"additive_scores",
       [](const Feed& in) -> Outputs {
         return additive_scores(in["q"], in["k"], in["w"]);
       }},
      {"attend",
       [](const Feed& in) -> Outputs {
         return nn::attend(in["q"], in["k"], in["v"], mask(in), nn::Dropout(0),
                           options(in));
       }},
      {"attend_heads",
       [](const Feed& in) -> Outputs {
         return nn::attend_heads(in["q"], in["k"], in["v"], in.c.integer("heads"),
                                 mask(in), nn::Dropout(0));
       }},
      {"attention", output_and_weights},
      {"composed_attention",
       [](const Feed& in) -> Outputs {
         return composed_attention(in["q"], in["k"], in["v"], lens(in),
                                   in.c.number("scale"));
       }},
      {"gaussian_weights",
       [](const Feed& in) -> Outputs {
         return gaussian_weights(in["q"], in["k"], in["w"]);
       }},
      {"join_heads", [](const Feed& in) -> Outputs { return nn::join_heads(in["a"]); }},
      {"masked_softmax",
       [](const Feed& in) -> Outputs { return nn::masked_softmax(in["a"], mask(in)); }},
      {"scaled_dot_product_attention",
       [](const Feed& in) -> Outputs {
         return scaled_dot_product_attention(in["q"], in["k"], in["v"], lens(in),
                                             in.c.number("scale"));
       }},
      {"split_heads",
       [](const Feed& in) -> Outputs {
         return nn::split_heads(in["a"], in.c.integer("heads"));
       }},
  };
}

}  // namespace heed::golden

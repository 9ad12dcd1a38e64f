// The transformer's attention, layers and stacks.
#include "nn/transformer.h"

#include <fmt/core.h>

#include "tests/golden/replay.h"
#include "tests/golden/replay_module.h"

namespace heed::golden {
namespace {

nn::Activation activation(const Case& c) {
  const std::string name = c.text("activation");
  if (name == "relu") return nn::Activation::relu;
  if (name == "gelu") return nn::Activation::gelu;
  throw CaseError(fmt::format("unknown activation {}", name));
}

template <class Layer>
Layer layer(const Case& c) {
  const bool pre = c.flag("norm_first", false);
  return Layer(c.integer("d_model"), c.integer("nhead"),
               {.dim_feedforward = c.integer("dim_feedforward"),
                .dropout = c.number("dropout"),
                .activation = activation(c),
                .layer_norm_eps = c.number("layer_norm_eps"),
                .norm_order = pre ? nn::NormOrder::pre : nn::NormOrder::post,
                .dtype = c.dtype()});
}

template <class Stack, class Layer>
Stack stack(const Case& c) {
  std::optional<nn::LayerNorm> norm;
  if (c.flag("final_norm", false)) {
    norm.emplace(c.integer("d_model"), nn::LayerNormOptions{.dtype = c.dtype()});
  }
  return Stack(layer<Layer>(c), c.integer("num_layers"), norm);
}

nn::PackedMultiHeadAttention attention(const Case& c) {
  return {
      c.integer("d_model"),
      c.integer("nhead"),
      {.dropout = c.number("dropout"), .bias = c.flag("bias", true), .dtype = c.dtype()}};
}

// Causal if the case is, and of the lengths in.NAME if there are any.
nn::Mask mask(const Feed& in, bool causal, const std::string& name) {
  const nn::Mask first = causal ? nn::Mask::causal() : nn::Mask();
  return in.has(name) ? first & nn::Mask::valid_lens(in.tensor(name)) : first;
}

Outputs attention_outputs(nn::PackedMultiHeadAttention& net, const Feed& in) {
  const nn::Mask hides = mask(in, in.c.flag("causal", false), "lens");
  if (in.has("x")) return layer_outputs(net, in.c, in["x"], hides);
  return layer_outputs(net, in.c, in["q"], in["k"], in["v"], hides);
}

template <class Encoder>
Outputs encoder_outputs(Encoder& net, const Feed& in) {
  return net(in["src"], mask(in, in.c.flag("causal", false), "src_lens"));
}

template <class Decoder>
Outputs decoder_outputs(Decoder& net, const Feed& in) {
  return net(in["tgt"], in["memory"], mask(in, in.c.flag("causal", false), "tgt_lens"),
             mask(in, false, "memory_lens"));
}

}  // namespace

void replay_transformer(const Case& c, Report& report) {
  using nn::TransformerDecoder, nn::TransformerDecoderLayer, nn::TransformerEncoder,
      nn::TransformerEncoderLayer;
  const std::string module = c.text("module");
  if (module == "attention") {
    replay_module(c, report, attention, attention_outputs);
  } else if (module == "encoder_layer") {
    replay_module(c, report, layer<TransformerEncoderLayer>,
                  encoder_outputs<TransformerEncoderLayer>);
  } else if (module == "decoder_layer") {
    replay_module(c, report, layer<TransformerDecoderLayer>,
                  decoder_outputs<TransformerDecoderLayer>);
  } else if (module == "encoder") {
    replay_module(c, report, stack<TransformerEncoder, TransformerEncoderLayer>,
                  encoder_outputs<TransformerEncoder>);
  } else if (module == "decoder") {
    replay_module(c, report, stack<TransformerDecoder, TransformerDecoderLayer>,
                  decoder_outputs<TransformerDecoder>);
  } else {
    throw CaseError(fmt::format("unknown module {}", module));
  }
}

}  // namespace heed::golden

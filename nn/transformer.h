// The blocks of the transformer, and stacks of them.
// (Vaswani et al., 2017, section 3.1)
//
// Names of parameters, initial values and the order of draws are those of PyTorch's
// layers of the same names with batch_first=True, so that a state file of the one is a
// state file of the other. Where PyTorch takes two masks, here is one:
//
//   generate_square_subsequent_mask(n)    Mask::causal()
//   padding (batch, n), true where padded Mask::drop(padding.unsqueeze(1).unsqueeze(1));
//                                         at the end: Mask::valid_lens(lens), lens
//                                         (batch)
//   both                                  Mask::causal() & Mask::valid_lens(lens)
//
// A position that a mask hides as a key is still a query: padded positions have outputs
// too, which a loss leaves out.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "nn/dropout.h"
#include "nn/layer_norm.h"
#include "nn/linear.h"
#include "nn/mask.h"
#include "nn/packed_multi_head_attention.h"

namespace heed::nn {

// Where the norm stands around a sublayer, attention or feed-forward:
//
//   post   x ─┬─ sublayer ─ + ─ norm ─>      pre   x ─┬─ norm ─ sublayer ─ + ─>
//             └─────────────┘                         └────────────────────┘
//
// Either way x is added as it came in, not normalised. With pre the sums are never
// normalised, so that gradients pass unchanged to the first layer; give a stack of such
// layers a norm for its result.
enum class NormOrder {
  post,  // norm(x + sublayer(x))     (Vaswani et al., 2017)
  pre,   // x + sublayer(norm(x))     (Xiong et al., 2020)
};

// What stands between the two linear layers of the feed-forward part.
enum class Activation { relu, gelu };

// PyTorch's defaults.
struct TransformerLayerOptions {
  std::int64_t dim_feedforward = 2048;
  double dropout = 0.1;  // of the attention's weights, within the feed-forward part, and
                         // of what each sublayer adds
  Activation activation = Activation::relu;
  double layer_norm_eps = 1e-5;
  NormOrder norm_order = NormOrder::post;
  DType dtype = float32;
};

// Self-attention, then a feed-forward part,
//   linear2 dropout(activation(linear1 x)),  each position for itself.
struct TransformerEncoderLayer {
  PackedMultiHeadAttention self_attn;
  Linear linear1;  // d_model -> dim_feedforward
  Dropout dropout;
  Linear linear2;  // and back
  LayerNorm norm1, norm2;
  Dropout dropout1, dropout2;  // of the two sublayers' results
  Activation activation;
  NormOrder norm_order;

  // Throws Error unless the sizes are at least 1, nhead divides d_model, dropout is from
  // 0 to 1 and layer_norm_eps is positive.
  TransformerEncoderLayer(Size d_model, Size nhead,
                          const TransformerLayerOptions& options = {});

  // src (batch, n, d_model) -> the same shape. The mask is for scores (batch, heads,
  // n, n). Throws Error when a shape or the mask does not fit.
  Variable operator()(const Variable& src, const Mask& mask = {});

  void visit(auto&& f) {
    f("self_attn", self_attn);
    f("linear1", linear1);
    f("dropout", dropout);
    f("linear2", linear2);
    f("norm1", norm1);
    f("norm2", norm2);
    f("dropout1", dropout1);
    f("dropout2", dropout2);
  }
};

// Self-attention, then attention to the encoder's output, with queries from the decoder
// and keys and values from the encoder, then a feed-forward part.
struct TransformerDecoderLayer {
  PackedMultiHeadAttention self_attn, multihead_attn;
  Linear linear1;  // d_model -> dim_feedforward
  Dropout dropout;
  Linear linear2;  // and back
  LayerNorm norm1, norm2, norm3;
  Dropout dropout1, dropout2, dropout3;  // of the three sublayers' results
  Activation activation;
  NormOrder norm_order;

  // Throws Error as TransformerEncoderLayer's does.
  TransformerDecoderLayer(Size d_model, Size nhead,
                          const TransformerLayerOptions& options = {});

  // tgt (batch, n, d_model) and the encoder's output, memory (batch, m, d_model) ->
  // (batch, n, d_model). tgt_mask is for scores (batch, heads, n, n). It has no default:
  // a decoder that generates must not look ahead and needs Mask::causal(); {} hides
  // nothing. memory_mask is for scores (batch, heads, n, m). Throws Error when a shape or
  // a mask does not fit.
  Variable operator()(const Variable& tgt, const Variable& memory, const Mask& tgt_mask,
                      const Mask& memory_mask = {});

  void visit(auto&& f) {
    f("self_attn", self_attn);
    f("multihead_attn", multihead_attn);
    f("linear1", linear1);
    f("dropout", dropout);
    f("linear2", linear2);
    f("norm1", norm1);
    f("norm2", norm2);
    f("norm3", norm3);
    f("dropout1", dropout1);
    f("dropout2", dropout2);
    f("dropout3", dropout3);
  }
};

namespace detail {

// Throws Error, naming the stack, when it has no layers. It starts with one at least, and
// without any would pass on its input and list no parameters.
void check_has_layers(const char* stack, std::size_t layers);

}  // namespace detail

// Layers one after another, and a norm of the result if one is given:
//
//   nn::TransformerEncoder encoder(nn::TransformerEncoderLayer(512, 8), 6);
//
// As in PyTorch the layers are copies of one: they start with equal values. The norm is
// not copied: it shares its parameters with the one given. A stack without layers, such
// as one that was moved from, throws Error in every use.
struct TransformerEncoder {
  std::vector<TransformerEncoderLayer> layers;
  std::optional<LayerNorm> norm;

  // Throws Error unless num_layers is at least 1.
  TransformerEncoder(const TransformerEncoderLayer& layer, Size num_layers,
                     std::optional<LayerNorm> norm = {});

  // src (batch, n, d_model) -> the same shape; every layer gets the mask. Throws Error as
  // a layer does.
  Variable operator()(const Variable& src, const Mask& mask = {});

  void visit(auto&& f) {
    detail::check_has_layers("TransformerEncoder", layers.size());
    f("layers", layers);
    if (norm) f("norm", *norm);
  }
};

struct TransformerDecoder {
  std::vector<TransformerDecoderLayer> layers;
  std::optional<LayerNorm> norm;

  // Throws Error unless num_layers is at least 1.
  TransformerDecoder(const TransformerDecoderLayer& layer, Size num_layers,
                     std::optional<LayerNorm> norm = {});

  // tgt (batch, n, d_model) and memory (batch, m, d_model) -> (batch, n, d_model); every
  // layer gets memory and masks. Throws Error as a layer does.
  Variable operator()(const Variable& tgt, const Variable& memory, const Mask& tgt_mask,
                      const Mask& memory_mask = {});

  void visit(auto&& f) {
    detail::check_has_layers("TransformerDecoder", layers.size());
    f("layers", layers);
    if (norm) f("norm", *norm);
  }
};

}  // namespace heed::nn

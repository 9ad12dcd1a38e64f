#include "nn/transformer.h"

#include <utility>

#include "autograd/elementwise.h"
#include "nn/visit.h"

namespace heed::nn {
namespace {

PackedMultiHeadAttentionOptions attention_options(const TransformerLayerOptions& o) {
  return {.dropout = o.dropout, .dtype = o.dtype};
}
LayerNormOptions norm_options(const TransformerLayerOptions& o) {
  return {.eps = o.layer_norm_eps, .dtype = o.dtype};
}

// The residual connection around a sublayer, with its norm; all of (batch, n, d_model).
template <class Sublayer>
Variable residual(const Variable& x, const LayerNorm& norm, NormOrder order,
                  const Sublayer& sublayer) {
  return order == NormOrder::pre ? x + sublayer(norm(x)) : norm(x + sublayer(x));
}

template <class Layer>
Variable feed_forward(const Layer& layer, const Variable& x) {
  const Variable wide = layer.linear1(x);  // (batch, n, dim_feedforward)
  const Variable active =                  // the same
      layer.activation == Activation::relu ? relu(wide) : gelu(wide);
  return layer.linear2(layer.dropout(active));  // (batch, n, d_model)
}

// Each with parameters of its own.
template <class Layer>
std::vector<Layer> copies(const char* stack, const Layer& layer, std::int64_t count) {
  check(count >= 1, "{}: num_layers must be at least 1, got {}", stack, count);
  std::vector<Layer> layers;
  for (std::int64_t i = 0; i < count; ++i) layers.push_back(clone(layer));
  return layers;
}

}  // namespace

namespace detail {

void check_has_layers(const char* stack, std::size_t layers) {
  check(layers > 0, "{}: there are no layers; it was moved from, or they were removed",
        stack);
}

}  // namespace detail

TransformerEncoderLayer::TransformerEncoderLayer(Size d_model, Size nhead,
                                                 const TransformerLayerOptions& options)
    : self_attn(d_model, nhead, attention_options(options)),
      linear1(d_model, options.dim_feedforward, {.dtype = options.dtype}),
      dropout(options.dropout),
      linear2(options.dim_feedforward, d_model, {.dtype = options.dtype}),
      norm1(d_model, norm_options(options)),
      norm2(d_model, norm_options(options)),
      dropout1(options.dropout),
      dropout2(options.dropout),
      activation(options.activation),
      norm_order(options.norm_order) {}

Variable TransformerEncoderLayer::operator()(const Variable& src, const Mask& mask) {
  const auto attention = [&](const Variable& x) { return dropout1(self_attn(x, mask)); };
  const auto feedforward = [&](const Variable& x) {
    return dropout2(feed_forward(*this, x));
  };
  const Variable x = residual(src, norm1, norm_order, attention);  // (batch, n, d_model)
  return residual(x, norm2, norm_order, feedforward);              // (batch, n, d_model)
}

TransformerDecoderLayer::TransformerDecoderLayer(Size d_model, Size nhead,
                                                 const TransformerLayerOptions& options)
    : self_attn(d_model, nhead, attention_options(options)),
      multihead_attn(d_model, nhead, attention_options(options)),
      linear1(d_model, options.dim_feedforward, {.dtype = options.dtype}),
      dropout(options.dropout),
      linear2(options.dim_feedforward, d_model, {.dtype = options.dtype}),
      norm1(d_model, norm_options(options)),
      norm2(d_model, norm_options(options)),
      norm3(d_model, norm_options(options)),
      dropout1(options.dropout),
      dropout2(options.dropout),
      dropout3(options.dropout),
      activation(options.activation),
      norm_order(options.norm_order) {}

Variable TransformerDecoderLayer::operator()(const Variable& tgt, const Variable& memory,
                                             const Mask& tgt_mask,
                                             const Mask& memory_mask) {
  const auto self_attention = [&](const Variable& x) {
    return dropout1(self_attn(x, tgt_mask));
  };
  const auto cross_attention = [&](const Variable& x) {
    return dropout2(multihead_attn(x, memory, memory, memory_mask));
  };
  const auto feedforward = [&](const Variable& x) {
    return dropout3(feed_forward(*this, x));
  };
  Variable x = residual(tgt, norm1, norm_order, self_attention);  // (batch, n, d_model)
  x = residual(x, norm2, norm_order, cross_attention);            // (batch, n, d_model)
  return residual(x, norm3, norm_order, feedforward);             // (batch, n, d_model)
}

TransformerEncoder::TransformerEncoder(const TransformerEncoderLayer& layer,
                                       Size num_layers, std::optional<LayerNorm> norm)
    : layers(copies("TransformerEncoder", layer, num_layers)), norm(std::move(norm)) {}

Variable TransformerEncoder::operator()(const Variable& src, const Mask& mask) {
  detail::check_has_layers("TransformerEncoder", layers.size());
  Variable x = src;
  for (TransformerEncoderLayer& layer : layers) x = layer(x, mask);
  return norm ? (*norm)(x) : x;  // (batch, n, d_model)
}

TransformerDecoder::TransformerDecoder(const TransformerDecoderLayer& layer,
                                       Size num_layers, std::optional<LayerNorm> norm)
    : layers(copies("TransformerDecoder", layer, num_layers)), norm(std::move(norm)) {}

Variable TransformerDecoder::operator()(const Variable& tgt, const Variable& memory,
                                        const Mask& tgt_mask, const Mask& memory_mask) {
  detail::check_has_layers("TransformerDecoder", layers.size());
  Variable x = tgt;
  for (TransformerDecoderLayer& layer : layers) {
    x = layer(x, memory, tgt_mask, memory_mask);
  }
  return norm ? (*norm)(x) : x;  // (batch, n, d_model)
}

}  // namespace heed::nn

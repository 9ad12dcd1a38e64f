#include "nn/packed_multi_head_attention.h"

#include <utility>
#include <vector>

#include "autograd/views.h"
#include "nn/functional.h"
#include "nn/init.h"
#include "nn/inputs.h"
#include "tensor/core/factories.h"

namespace heed::nn {

PackedMultiHeadAttention::PackedMultiHeadAttention(
    Size embed_dim, Size num_heads, const PackedMultiHeadAttentionOptions& options)
    : Heads("PackedMultiHeadAttention", {"num_heads", num_heads},
            {{"embed_dim", embed_dim}}, options.dropout),
      out_proj(embed_dim, embed_dim, {.bias = options.bias, .dtype = options.dtype}) {
  Tensor weight = empty({3 * embed_dim, embed_dim}, options.dtype);
  in_proj_weight = Variable(init::xavier_uniform_(weight), true);
  if (options.bias) {
    in_proj_bias = Variable(zeros({3 * embed_dim}, options.dtype), true);
    // out_proj has drawn its bias, as PyTorch's does: the draws after it depend on that.
    // PyTorch then sets it to 0.
    out_proj.bias = Variable(zeros({embed_dim}, options.dtype), true);
  }
}

Variable PackedMultiHeadAttention::operator()(const Variable& x, const Mask& mask) {
  return (*this)(x, x, x, mask);
}

Variable PackedMultiHeadAttention::operator()(const Variable& queries,
                                              const Variable& keys,
                                              const Variable& values, const Mask& mask) {
  const std::int64_t d = in_proj_weight.size(1);
  const InputSizes wanted{
      .query_size = d, .key_size = d, .value_size = d, .dtype = in_proj_weight.dtype()};
  const Inputs in = take_inputs("PackedMultiHeadAttention", wanted,
                                {queries, keys, values}, mask, num_heads);
  const std::vector<Variable> W = chunk(in_proj_weight, 3);  // three of (d, d)
  std::vector<Variable> b(3);                                // three of (d), or undefined
  if (in_proj_bias.defined()) b = chunk(in_proj_bias, 3);
  const auto project = [&](const Variable& x, std::size_t i) {
    return split_heads(linear(x, W[i], b[i]), num_heads);
  };
  Variable q = project(in.queries, 0);  // (batch, heads, n, d / heads)
  Variable k = project(in.keys, 1);     // (batch, heads, m, d / heads)
  Variable v = project(in.values, 2);   // (batch, heads, m, d / heads)
  // (batch, n, d)
  return out_proj(attend(std::move(q), std::move(k), std::move(v), mask));
}

}  // namespace heed::nn

#include "nn/packed_multi_head_attention.h"

#include <vector>

#include "autograd/views.h"
#include "nn/attention.h"
#include "nn/functional.h"
#include "nn/init.h"
#include "nn/masked.h"
#include "tensor/factories.h"

namespace heed::nn {
namespace {

// embed_dim, if it is a multiple of num_heads.
std::int64_t checked_dim(std::int64_t embed_dim, std::int64_t num_heads) {
  check(num_heads >= 1, "PackedMultiHeadAttention: num_heads must be at least 1, got {}",
        num_heads);
  check(embed_dim % num_heads == 0,
        "PackedMultiHeadAttention: embed_dim must be a multiple of num_heads, got {} and "
        "{}",
        embed_dim, num_heads);
  return embed_dim;
}

}  // namespace

PackedMultiHeadAttention::PackedMultiHeadAttention(
    std::int64_t embed_dim, std::int64_t num_heads,
    const PackedMultiHeadAttentionOptions& options)
    : out_proj(checked_dim(embed_dim, num_heads), embed_dim,
               {.bias = options.bias, .dtype = options.dtype}),
      num_heads(num_heads),
      has_bias(options.bias),
      dropout(options.dropout) {
  Tensor weight = empty({3 * embed_dim, embed_dim}, options.dtype);
  in_proj_weight = Variable(init::xavier_uniform_(weight), true);
  if (has_bias) {
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
  check_inputs(
      "PackedMultiHeadAttention",
      {.query_size = d, .key_size = d, .value_size = d, .dtype = in_proj_weight.dtype()},
      queries, keys, values);
  const auto [x, y, z] =
      without_hidden({queries, keys, values}, mask,
                     {queries.size(0), num_heads, queries.size(1), keys.size(1)});
  const std::vector<Variable> W = chunk(in_proj_weight, 3);  // three of (d, d)
  std::vector<Variable> b;                                   // three of (d)
  if (has_bias) b = chunk(in_proj_bias, 3);
  const auto project = [&](const Variable& input, int i) {
    return has_bias ? linear(input, W[i], b[i]) : linear(input, W[i]);
  };
  const Variable heads =  // (batch, n, d)
      attend_heads(project(x, 0), project(y, 1), project(z, 2), num_heads, mask, dropout,
                   keep_weights ? &attention_weights : nullptr);
  return out_proj(heads);  // (batch, n, d)
}

}  // namespace heed::nn

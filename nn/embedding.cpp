#include "nn/embedding.h"

#include <fmt/format.h>

#include "nn/functional.h"
#include "tensor/core/views.h"
#include "tensor/random/random.h"

namespace heed::nn {

Embedding::Embedding(Size num_embeddings, Size embedding_dim, EmbeddingOptions options)
    : num_embeddings(num_embeddings),
      embedding_dim(embedding_dim),
      padding_idx(options.padding_idx) {
  check(num_embeddings >= 1 && embedding_dim >= 1,
        "Embedding: both sizes must be at least 1, got {} and {}", num_embeddings,
        embedding_dim);
  check(!padding_idx || (0 <= *padding_idx && *padding_idx < num_embeddings),
        "Embedding: padding_idx must be from 0 to {}, got {}", num_embeddings - 1,
        padding_idx.value_or(0));
  const Tensor w = randn({num_embeddings, embedding_dim}, options.dtype);
  if (padding_idx) w[*padding_idx].fill_(0);
  weight = Variable(w, true);
}

Variable Embedding::operator()(const Tensor& ids) const {
  return embedding(ids, weight, padding_idx);  // (ids..., embedding_dim)
}

std::string Embedding::summary() const {
  const std::string sizes = fmt::format("{}, {}", weight.size(0), weight.size(1));
  return padding_idx ? fmt::format("{}, padding_idx={}", sizes, *padding_idx) : sizes;
}

}  // namespace heed::nn

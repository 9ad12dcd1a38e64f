#include "nn/embedding.h"

#include <fmt/format.h>

#include "nn/functional.h"
#include "tensor/core/views.h"
#include "tensor/random/random.h"

namespace heed::nn {

namespace {

Tensor drawn(Size num_embeddings, Size embedding_dim, const EmbeddingOptions& options) {
  check(num_embeddings >= 1 && embedding_dim >= 1,
        "Embedding: both sizes must be at least 1, got {} and {}", num_embeddings,
        embedding_dim);
  return randn({num_embeddings, embedding_dim}, options.dtype);
}

}  // namespace

Embedding::Embedding(const Variable& weight, std::optional<std::int64_t> padding_idx)
    : num_embeddings(weight.size(0)),
      embedding_dim(weight.size(1)),
      weight(weight),
      padding_idx(padding_idx) {
  check(!padding_idx || (0 <= *padding_idx && *padding_idx < num_embeddings),
        "Embedding: padding_idx must be from 0 to {}, got {}", num_embeddings - 1,
        padding_idx.value_or(0));
}

Embedding::Embedding(Size num_embeddings, Size embedding_dim, EmbeddingOptions options)
    : Embedding(Variable(drawn(num_embeddings, embedding_dim, options), true),
                options.padding_idx) {
  if (padding_idx) weight.value()[*padding_idx].fill_(0);
}

Embedding Embedding::from_pretrained(const Tensor& embeddings,
                                     FromPretrainedOptions options) {
  check(is_floating(embeddings.dtype()),
        "Embedding: the embeddings must be float32 or float64, got {}",
        name(embeddings.dtype()));
  check(embeddings.dim() == 2 && embeddings.numel() > 0,
        "Embedding: the embeddings must have the shape (n, width), both at least 1, got "
        "{}",
        embeddings.shape());
  Variable weight(embeddings, true);
  weight.requires_grad_(!options.freeze);
  return Embedding(weight, options.padding_idx);
}

Variable Embedding::operator()(const Tensor& ids) const {
  return embedding(ids, weight, padding_idx);  // (ids..., embedding_dim)
}

std::string Embedding::summary() const {
  const std::string sizes = fmt::format("{}, {}", weight.size(0), weight.size(1));
  return padding_idx ? fmt::format("{}, padding_idx={}", sizes, *padding_idx) : sizes;
}

}  // namespace heed::nn

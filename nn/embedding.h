// The table that turns ids into vectors.
#pragma once

#include <optional>
#include <string>

#include "autograd/variable.h"

namespace heed::nn {

struct EmbeddingOptions {
  // The row of this id is zero at the start and gets no gradient.
  std::optional<std::int64_t> padding_idx = {};
  DType dtype = float32;
};

struct FromPretrainedOptions {
  bool freeze = true;  // the weight asks for no gradient
  std::optional<std::int64_t> padding_idx = {};
};

// weight[id] for each id.
struct Embedding {
  std::int64_t num_embeddings, embedding_dim;
  Variable weight;  // (num_embeddings, embedding_dim), drawn from N(0, 1)
  std::optional<std::int64_t> padding_idx;

  // Throws Error unless both sizes are at least 1 and padding_idx is a row.
  Embedding(Size num_embeddings, Size embedding_dim, EmbeddingOptions options = {});

  // The layer whose weight is `embeddings` (n, width) itself, not a copy. Throws Error
  // likewise.
  static Embedding from_pretrained(const Tensor& embeddings,
                                   FromPretrainedOptions options = {});

  // ids, int64 of any shape -> (ids..., embedding_dim). Throws Error for an id that is
  // not a row.
  Variable operator()(const Tensor& ids) const;

  void visit(auto&& f) { f("weight", weight); }
  std::string summary() const;

 private:
  Embedding(const Variable& weight, std::optional<std::int64_t> padding_idx);
};

}  // namespace heed::nn

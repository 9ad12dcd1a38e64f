// What learns to recall: an attention, or an average of the values as a baseline, and a
// layer that reads digits from its output.
#pragma once

#include <utility>

#include <heed.h>

#include "examples/associative_recall/task.h"

namespace heed::recall {

inline constexpr std::int64_t num_hiddens = 64;

// Dot-product attention has no parameters: its queries and keys are projected first.
struct ProjectedDotProductAttention : nn::DotProductAttention {
  nn::Linear W_q{query_size, num_hiddens}, W_k{key_size, num_hiddens};

  ProjectedDotProductAttention() : nn::DotProductAttention(0) {}

  Variable operator()(const Variable& queries, const Variable& keys,
                      const Variable& values, const nn::Mask& mask) {
    return nn::DotProductAttention::operator()(W_q(queries), W_k(keys), values, mask);
  }
  void visit(auto&& f) {
    f("W_q", W_q);
    f("W_k", W_k);
  }
};

// The baseline, which ignores the query: the same weight for every key that counts.
struct AveragePooling {
  Variable operator()(const Variable& queries, const Variable& keys,
                      const Variable& values, const nn::Mask& mask) const {
    const Tensor scores = zeros({queries.size(0), queries.size(1), keys.size(1)});
    return bmm(nn::masked_softmax(scores, mask), values);
  }
  void visit(auto&&) {}
};

// Attention, and a layer that reads a digit from its output for each key asked for.
template <class Attention>
struct Recall {
  Attention attention;
  nn::Linear readout;

  // The attention returns `found` numbers.
  Recall(Attention attention, std::int64_t found, std::int64_t asked)
      : attention(std::move(attention)), readout(found, asked * digits) {}

  // The scores of the digits: (batch * asked, digits).
  Variable operator()(const Batch& batch, const nn::Mask& mask) {
    const Variable found =
        attention(batch.queries, batch.keys, batch.values, mask);  // (batch, 1, found)
    return reshape(readout(found), {-1, digits});
  }
  void visit(auto&& f) {
    f("attention", attention);
    f("readout", readout);
  }
};

}  // namespace heed::recall

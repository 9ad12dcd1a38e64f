// Continuing a text with a language model, token by token.
//
//   nn::eval(model);
//   Tensor text = nn::generate(model, prompt, 100, {.temperature = 0.8, .top_k = 40});
#pragma once

#include <cstdint>

#include "nn/gpt.h"

namespace heed::nn {

// How the next token is chosen from logits.
struct SampleOptions {
  // Divides the logits: below 1 the likely gets likelier; 0 takes the likeliest.
  double temperature = 1;
  // Only this many of the likeliest tokens are kept, and those that tie with the last of
  // them; 0 keeps all.
  std::int64_t top_k = 0;
};

// The index of a token drawn for each row of logits (batch, vocab_size): (batch), int64.
// Throws Error for a temperature that is negative, infinite or NaN, a negative top_k, and
// when logits are not floating (batch, 1 or more), have NaN, or the largest of a row is
// infinite.
Tensor sample(const Tensor& logits, const SampleOptions& options,
              Generator& generator = default_generator());

// The logits of the next token, for texts that grow at their ends. Nothing is recorded
// for derivatives.
//
// With a cache only the new tokens are computed, as long as all tokens fit into the
// model's context. From then on, as without a cache, the last block_size tokens are
// computed anew each time: the context moves on with every token, so each token gets the
// embedding of the position before, and with it other keys and values.
class NextLogits {
 public:
  // The model is not copied: it must outlive this object, and not be changed meanwhile.
  explicit NextLogits(Gpt& model, bool use_cache = true)
      : model_(model), use_cache_(use_cache), cache_(model.cache()) {}

  // Adds tokens (batch, n), int64, n at least 1, to the texts -> the logits (batch,
  // vocab_size) of what follows them. Throws Error, and adds nothing, unless tokens are
  // such, of the batch of the first call, and when one of the last block_size ids is not
  // a token.
  Tensor operator()(const Tensor& tokens);

 private:
  Gpt& model_;
  bool use_cache_;
  Gpt::Cache cache_;  // of all tokens so far, while they fit
  Tensor seen_;  // (batch, up to block_size): the last tokens; undefined before the first
};

// The tokens (batch, n), at least one, and `count` more, each sampled from the logits
// that the model gives for at most block_size tokens before it: (batch, n + count). The
// model is used in the mode that it is in: after eval() there is no dropout. Throws Error
// for a negative count or one that memory cannot hold, and as NextLogits and sample do.
Tensor generate(Gpt& model, const Tensor& tokens, Size count,
                const SampleOptions& options = {},
                Generator& generator = default_generator());

}  // namespace heed::nn

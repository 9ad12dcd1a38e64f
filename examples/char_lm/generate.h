// The command `char_lm generate`.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "nn/gpt.h"

namespace heed::char_lm {

struct GenerateOptions {
  std::string out;  // the folder of the training
  std::string prompt = "\n";
  std::int64_t tokens = 500;
  nn::SampleOptions sampling{.temperature = 0.8};
  std::uint64_t seed = 42;
  bool cache = true;
};

// Writes on: the scores of the next token, for a text that grows at its end.
class Writer {
 public:
  Writer(nn::Gpt& model, bool use_cache)
      : model_(model), use_cache_(use_cache), cache_(model.cache()) {}

  // The scores (1, vocab_size) of the token behind `tokens`, which begin with those of
  // the call before and are at least one. Of more than the model's context the last ones
  // count.
  Tensor scores(const std::vector<std::int64_t>& tokens);

 private:
  nn::Gpt& model_;
  bool use_cache_;
  nn::Gpt::Cache cache_;
};

// Prints the prompt and what the model makes of it, and returns the exit code 0. Throws
// InputError when the folder holds no checkpoint or the prompt does not fit it.
int generate(const GenerateOptions& options);

}  // namespace heed::char_lm

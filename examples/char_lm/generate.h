// The command `char_lm generate`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "nn/generate.h"

namespace heed::char_lm {

struct GenerateOptions {
  std::string out;  // the folder of the training
  // A newline if none is given, or the first character where the text has no newline.
  std::optional<std::string> prompt;
  std::int64_t tokens = 500;
  nn::SampleOptions sampling{.temperature = 0.8};
  std::uint64_t seed = 42;
  bool cache = true;
};

// Prints the prompt and the model's continuation, control characters except tabs and line
// ends as escapes (printable() of tensor/core/text.h), and returns the exit code 0.
// Throws InputError when the folder holds no checkpoint or the prompt does not fit it.
int generate(const GenerateOptions& options);

}  // namespace heed::char_lm

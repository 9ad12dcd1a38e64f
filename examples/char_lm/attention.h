// The command `char_lm attention`.
#pragma once

#include <optional>
#include <string>

namespace heed::char_lm {

struct AttentionOptions {
  std::string out;     // the folder of the training
  std::string prompt;  // no longer than the model's context
  std::optional<std::string> html;
};

// Lets the model read the prompt, writes the page of all its heads
// (view/attention_page.h) into the file `html`, and returns the exit code 0. Throws
// InputError when the file cannot be written, the folder holds no checkpoint or the
// prompt does not fit it.
int attention(const AttentionOptions& options);

}  // namespace heed::char_lm

// What char_lm train has made of a text: the model, and the characters that it knows.
#pragma once

#include <string>

#include "data/text.h"
#include "nn/gpt.h"

namespace heed::char_lm {

struct Trained {
  nn::Gpt model;  // in eval()
  data::Vocabulary vocabulary;
  std::int64_t steps;  // how many it has been trained for
};

// Reads the checkpoint in the folder of a training. Throws InputError when there is none,
// or it cannot be read.
Trained load_trained(const std::string& folder);

// The ids of the characters of --prompt, int64 (n). Throws InputError when it is empty,
// is not UTF-8 or has a character that the model does not know.
Tensor encode_prompt(const data::Vocabulary& vocabulary, const std::string& prompt);

}  // namespace heed::char_lm

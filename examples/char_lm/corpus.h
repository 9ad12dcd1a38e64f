// The text that a character model learns, as ids of its characters. A part of the text,
// to learn or to check with, is what is often called a split.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "data/text.h"
#include "tensor/core/tensor.h"

namespace heed::char_lm {

// A text: the first nine tenths are for training, the rest is for validation.
struct Corpus {
  std::string source;       // where it comes from, for messages
  std::string fingerprint;  // what tells it from other texts
  data::Vocabulary vocabulary;
  Tensor train, validation;  // int64, an id for each character

  // `text` is UTF-8. Throws InputError when it is not, or is empty.
  Corpus(std::string_view text, std::string source);

  std::int64_t size() const { return train.numel() + validation.numel(); }
};

// The .h, .cpp and .md files of the heed in `root`, one after the other by name. Throws
// InputError when the sources are no longer there or one cannot be read.
std::string heed_sources(const std::string& root);

// The text in the file `path`, or, without a path, the sources of the heed that the
// program was built from. Throws InputError when the text cannot be read.
Corpus read_corpus(const std::optional<std::string>& path);

}  // namespace heed::char_lm

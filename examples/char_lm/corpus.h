// The text that a character model learns, as numbers.
//
// A number is a character's token id. A part of the text, to learn or to check with, is
// what is often called a split; a piece is a sequence of characters cut out of a part.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/random/random.h"

namespace heed::char_lm {

// The different characters (code points) of a text in their order; a character's number
// is its place among them.
class Vocabulary {
 public:
  explicit Vocabulary(std::u32string_view text);

  std::int64_t size() const { return static_cast<std::int64_t>(characters_.size()); }
  // The characters, each once.
  const std::u32string& characters() const { return characters_; }
  // The numbers of the characters of `text`. Throws InputError, naming those that are not
  // in the vocabulary and `source`, where the text comes from.
  std::vector<std::int64_t> encode(std::u32string_view text,
                                   std::string_view source) const;
  // The character of a number that encode() gave.
  char32_t decode(std::int64_t number) const {
    return characters_.at(static_cast<std::size_t>(number));
  }

 private:
  std::u32string characters_;
};

// A text: the first nine tenths are for training, the rest is for validation.
struct Corpus {
  std::string source;       // where it comes from, for messages
  std::string fingerprint;  // what tells it from other texts
  Vocabulary vocabulary;
  Tensor train, validation;  // int64, one number a character

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

// Pieces of a text, and for each character the one that follows it: both (pieces,
// length).
struct Batch {
  Tensor inputs, targets;
};

// The pieces that begin at `offsets`, int64 (pieces), and have `length` characters.
Batch pieces(const Tensor& part, const Tensor& offsets, std::int64_t length);
// `count` pieces that begin at random places of `part`.
Batch random_pieces(const Tensor& part, std::int64_t count, std::int64_t length,
                    Generator& generator);

}  // namespace heed::char_lm

// Texts: characters (Unicode code points) and their ids. tensor/core/text.h has the code
// points of a text one by one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tensor/core/tensor.h"

namespace heed::data {

// All code points. Throws Error, with `source`, the first wrong byte and its offset, when
// `text` is not UTF-8.
std::u32string from_utf8(std::string_view text, std::string_view source);

// The bytes of code points that are valid, as those of from_utf8 are.
std::string to_utf8(char32_t code);
std::string to_utf8(std::u32string_view codes);

// The text in the file `path`, unpacked if it is a gzip file. Throws Error when it cannot
// be read, is not UTF-8 or has more than 256 MiB.
std::u32string read_text(const std::string& path);

// The different characters of a text, sorted; the id of one is its place among them.
//
//   const std::u32string text = data::read_text("input.txt");
//   const data::Vocabulary vocabulary(text);
//   Tensor tokens = vocabulary.encode(text);           // int64 (n)
//   std::u32string same = vocabulary.decode(tokens);
class Vocabulary {
 public:
  explicit Vocabulary(std::u32string_view text);

  std::int64_t size() const { return static_cast<std::int64_t>(characters_.size()); }
  // The characters, each once.
  const std::u32string& characters() const& { return characters_; }
  // Of a temporary by value, so that it outlives the vocabulary.
  std::u32string characters() && { return std::move(characters_); }
  // The ids of the characters of `text`, int64 (n). Throws Error, naming the characters
  // that are not in the vocabulary and `source`, where the text comes from.
  Tensor encode(std::u32string_view text, std::string_view source = "text") const;
  // The characters of ids, int64 of any shape. Throws Error for one that is not from 0 to
  // size() - 1.
  std::u32string decode(const Tensor& ids) const;

 private:
  std::u32string characters_;
};

}  // namespace heed::data

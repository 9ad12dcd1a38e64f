#include "data/text.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "data/file.h"
#include "tensor/core/error.h"
#include "tensor/core/factories.h"
#include "tensor/core/text.h"

namespace heed::data {
namespace {

// 'é' (U+00E9); what is not printable by number alone.
std::string name_of(char32_t code) {
  const std::string number = fmt::format("U+{:04X}", static_cast<std::uint32_t>(code));
  const std::string character = to_utf8(code);
  if (printable(character) != character) return number;
  return fmt::format("'{}' ({})", character, number);
}

}  // namespace

std::u32string from_utf8(std::string_view text, std::string_view source) {
  std::u32string codes;
  for (std::size_t at = 0; at < text.size();) {
    const std::optional<CodePoint> first = first_code_point(text.substr(at));
    if (!first) {
      fail("{}: must be UTF-8, got byte 0x{:02x} at offset {}", source,
           static_cast<unsigned char>(text[at]), at);
    }
    codes += first->code;
    at += first->size;
  }
  return codes;
}

std::string to_utf8(char32_t code) {
  if (code < 0x80) return std::string(1, static_cast<char>(code));
  const auto tail = [code](int shift) {
    return static_cast<char>(0x80 | (code >> shift & 0x3f));
  };
  if (code < 0x800) return {static_cast<char>(0xc0 | code >> 6), tail(0)};
  if (code < 0x10000) return {static_cast<char>(0xe0 | code >> 12), tail(6), tail(0)};
  return {static_cast<char>(0xf0 | code >> 18), tail(12), tail(6), tail(0)};
}

std::string to_utf8(std::u32string_view codes) {
  std::string text;
  for (const char32_t code : codes) text += to_utf8(code);
  return text;
}

std::u32string read_text(const std::string& path) {
  return from_utf8(read_file(path, "a file of text"), path);
}

Vocabulary::Vocabulary(std::u32string_view text) {
  const std::set<char32_t> characters(text.begin(), text.end());
  characters_.assign(characters.begin(), characters.end());
}

Tensor Vocabulary::encode(std::u32string_view text, std::string_view source) const {
  std::vector<std::int64_t> ids;
  std::set<std::string> unknown;
  for (const char32_t code : text) {
    const auto at = std::lower_bound(characters_.begin(), characters_.end(), code);
    if (at == characters_.end() || *at != code) {
      unknown.insert(name_of(code));
    } else {
      ids.push_back(at - characters_.begin());
    }
  }
  if (!unknown.empty()) {
    fail("{}: the vocabulary has no {}", source, fmt::join(unknown, ", "));
  }
  return from_vector(ids);
}

std::u32string Vocabulary::decode(const Tensor& ids) const {
  std::u32string text;
  for (const std::int64_t id : ids.to_vector<std::int64_t>()) {
    check(id >= 0 && id < size(), "decode: an id must be from 0 to {}, got {}",
          size() - 1, id);
    text += characters_[static_cast<std::size_t>(id)];
  }
  return text;
}

}  // namespace heed::data

#include "examples/support/utf8.h"

#include <cstddef>
#include <optional>

#include "examples/support/input_error.h"
#include "tensor/core/text.h"

namespace heed::support {
std::u32string from_utf8(std::string_view text, std::string_view source) {
  std::u32string codes;
  for (std::size_t at = 0; at < text.size();) {
    const std::optional<CodePoint> first = first_code_point(text.substr(at));
    if (!first) {
      input_error("{}: must be UTF-8, got byte 0x{:02x} at offset {}", source,
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

}  // namespace heed::support

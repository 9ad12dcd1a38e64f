#include "examples/support/utf8.h"

#include "examples/support/input_error.h"

namespace heed::support {
namespace {

unsigned byte_at(std::string_view text, std::size_t i) {
  return static_cast<unsigned char>(text[i]);
}

// How many bytes the code points that begin with `lead` have; 0 if none do.
std::size_t size_from(unsigned lead) {
  if (lead < 0x80) return 1;
  if (lead < 0xc0) return 0;  // the middle of a code point
  if (lead < 0xe0) return 2;
  if (lead < 0xf0) return 3;
  return lead < 0xf8 ? 4 : 0;
}

}  // namespace

std::optional<CodePoint> first_code_point(std::string_view text) {
  if (text.empty()) return {};
  const unsigned lead = byte_at(text, 0);
  const std::size_t size = size_from(lead);
  if (size == 1) return CodePoint{lead, 1};
  if (size == 0 || text.size() < size) return {};
  char32_t code = lead & (0x7fU >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte_at(text, i) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte_at(text, i) & 0x3f);
  }
  constexpr char32_t least[] = {0x80, 0x800, 0x10000};  // of 2, 3 and 4 bytes
  const bool is_surrogate = 0xd800 <= code && code <= 0xdfff;
  if (code < least[size - 2] || code > 0x10ffff || is_surrogate) return {};
  return CodePoint{code, size};
}

std::u32string from_utf8(std::string_view text, std::string_view source) {
  std::u32string codes;
  for (std::size_t at = 0; at < text.size();) {
    const std::optional<CodePoint> first = first_code_point(text.substr(at));
    if (!first) {
      input_error("{}: must be UTF-8, got byte 0x{:02x} at offset {}", source,
                  byte_at(text, at), at);
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

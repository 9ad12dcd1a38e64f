#include "examples/support/text.h"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "examples/support/utf8.h"

namespace heed::support {
namespace {

// One character: where its bytes are, and the columns it takes.
struct Character {
  std::string_view bytes;  // one byte that is no UTF-8, or the bytes of a code point
  bool is_text = true;
  std::int64_t width = 1;
};

// The blocks of characters that fill two columns, as far as words need them: Hangul, the
// signs and punctuation of Chinese and Japanese, full-width forms, pictures.
bool is_wide(char32_t code) {
  return (0x1100 <= code && code <= 0x115f) || (0x2e80 <= code && code <= 0xa4cf) ||
         (0xac00 <= code && code <= 0xd7a3) || (0xf900 <= code && code <= 0xfaff) ||
         (0xfe30 <= code && code <= 0xfe6f) || (0xff00 <= code && code <= 0xff60) ||
         (0xffe0 <= code && code <= 0xffe6) || (0x1f300 <= code && code <= 0x1faff) ||
         (0x20000 <= code && code <= 0x3fffd);
}

// The character that `text`, which is not empty, begins with.
Character first_character(std::string_view text) {
  const std::optional<CodePoint> first = first_code_point(text);
  if (!first) return {text.substr(0, 1), false};
  const bool is_control = first->code < ' ' || first->code == 0x7f;
  return {text.substr(0, first->size), !is_control, is_wide(first->code) ? 2 : 1};
}

}  // namespace

std::int64_t text_width(std::string_view text) {
  std::int64_t width = 0;
  while (!text.empty()) {
    const Character character = first_character(text);
    width += character.width;
    text.remove_prefix(character.bytes.size());
  }
  return width;
}

std::string shortened(std::string_view text, std::int64_t width) {
  const bool fits = text_width(text) <= width;
  // A column is kept for the ellipsis.
  std::int64_t left = fits ? width : width - 1;
  std::string out;
  while (!text.empty()) {
    const Character character = first_character(text);
    left -= character.width;
    if (left < 0) break;
    if (character.is_text) {
      out += character.bytes;
    } else {
      out += static_cast<unsigned char>(character.bytes[0]) < 0x80 ? ' ' : '?';
    }
    text.remove_prefix(character.bytes.size());
  }
  return fits || width < 1 ? out : out + "\u2026";
}

std::string left_aligned(std::string_view text, std::int64_t width) {
  const std::string fitting = shortened(text, width);
  const std::int64_t blanks = std::max<std::int64_t>(width - text_width(fitting), 0);
  return fitting + std::string(static_cast<std::size_t>(blanks), ' ');
}

std::string right_aligned(std::string_view text, std::int64_t width) {
  const std::string fitting = shortened(text, width);
  const std::int64_t blanks = std::max<std::int64_t>(width - text_width(fitting), 0);
  return std::string(static_cast<std::size_t>(blanks), ' ') + fitting;
}

}  // namespace heed::support

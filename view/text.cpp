#include "view/text.h"

#include <algorithm>
#include <cstddef>

#include "tensor/core/text.h"

namespace heed::viz {
namespace {

// The blocks of characters that fill two columns, as far as words need them: Hangul, the
// signs and punctuation of Chinese and Japanese, full-width forms, pictures.
bool is_wide(char32_t code) {
  return (0x1100 <= code && code <= 0x115f) || (0x2e80 <= code && code <= 0xa4cf) ||
         (0xac00 <= code && code <= 0xd7a3) || (0xf900 <= code && code <= 0xfaff) ||
         (0xfe30 <= code && code <= 0xfe6f) || (0xff00 <= code && code <= 0xff60) ||
         (0xffe0 <= code && code <= 0xffe6) || (0x1f300 <= code && code <= 0x1faff) ||
         (0x20000 <= code && code <= 0x3fffd);
}

// The columns of a code point.
std::int64_t width_of(const CodePoint& point) { return is_wide(point.code) ? 2 : 1; }

}  // namespace

std::int64_t text_width(std::string_view text) {
  const std::string clean = printable(text);
  std::string_view rest = clean;
  std::int64_t width = 0;
  while (const auto first = first_code_point(rest)) {
    width += width_of(*first);
    rest.remove_prefix(first->size);
  }
  return width;
}

std::string shortened(std::string_view text, std::int64_t width) {
  std::string out = printable(text);
  if (text_width(out) <= width) return out;
  if (width < 1) return "";
  std::int64_t left = width - 1;  // a column is kept for the ellipsis
  std::size_t size = 0;
  while (const auto first = first_code_point(std::string_view(out).substr(size))) {
    left -= width_of(*first);
    if (left < 0) break;
    size += first->size;
  }
  return out.substr(0, size) + "\u2026";
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

}  // namespace heed::viz

#include "tensor/core/text.h"

#include <algorithm>
#include <cstdint>

#include <fmt/core.h>

namespace heed {
namespace {

unsigned byte_at(std::string_view text, std::size_t i) {
  return static_cast<unsigned char>(text[i]);
}

bool is_continuation(unsigned byte) { return (byte & 0xc0) == 0x80; }

// How many bytes the code points that begin with `lead` have; 0 if none do.
std::size_t size_from(unsigned lead) {
  if (lead < 0x80) return 1;
  if (lead < 0xc0) return 0;  // the middle of a code point
  if (lead < 0xe0) return 2;
  if (lead < 0xf0) return 3;
  return lead < 0xf8 ? 4 : 0;
}

bool is_printable(char32_t code) {
  const auto within = [code](char32_t first, char32_t last) {
    return first <= code && code <= last;
  };
  const bool is_control = code < ' ' || within(0x7f, 0x9f);
  const bool is_separator = within(0x2028, 0x2029);
  const bool turns = within(0x202a, 0x202e) || within(0x2066, 0x206f);
  // Soft hyphens, spaces without width, fillers, marks within text, tags. Joiners
  // (U+200C, U+200D) and the marks of a letter's own direction (U+200E, U+200F) belong
  // to languages.
  const bool is_hidden = code == 0xad || code == 0x180e || code == 0x200b ||
                         within(0x2060, 0x2064) || within(0x115f, 0x1160) ||
                         code == 0x3164 || code == 0xffa0 || code == 0xfeff ||
                         within(0xfff9, 0xfffb) || within(0xe0000, 0xe007f);
  const bool is_no_character = within(0xfdd0, 0xfdef) || (code & 0xfffe) == 0xfffe;
  return !is_control && !is_separator && !turns && !is_hidden && !is_no_character;
}

std::string escape(char32_t code) {
  switch (code) {
    case '\n': return "\\n";
    case '\r': return "\\r";
    case '\t': return "\\t";
    default: break;
  }
  const auto number = static_cast<std::uint32_t>(code);
  return number > 0xffff ? fmt::format("\\U{:08x}", number)
                         : fmt::format("\\u{:04x}", number);
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
    if (!is_continuation(byte_at(text, i))) return {};
    code = code << 6 | (byte_at(text, i) & 0x3f);
  }
  constexpr char32_t least[] = {0x80, 0x800, 0x10000};  // of 2, 3 and 4 bytes
  const bool is_surrogate = 0xd800 <= code && code <= 0xdfff;
  if (code < least[size - 2] || code > 0x10ffff || is_surrogate) return {};
  return CodePoint{code, size};
}

std::string printable(std::string_view text, std::string_view kept) {
  std::string out;
  while (!text.empty()) {
    const std::optional<CodePoint> first = first_code_point(text);
    const std::string_view bytes = text.substr(0, first ? first->size : 1);
    if (!first) {
      out += fmt::format("\\x{:02x}", byte_at(bytes, 0));
    } else if (is_printable(first->code) || kept.find(bytes) != kept.npos) {
      out += bytes;
    } else {
      out += escape(first->code);
    }
    text.remove_prefix(bytes.size());
  }
  return out;
}

std::string shown(std::string_view name, std::size_t longest) {
  std::size_t end = name.size();
  if (end > longest) {
    end = longest;  // but not within a character, of four bytes at most
    const std::size_t least = end - std::min<std::size_t>(end, 3);
    while (end > least && is_continuation(byte_at(name, end))) --end;
  }
  const std::string_view clipped = name.substr(0, end);
  std::string word = printable(clipped);
  const bool is_plain =
      word == clipped && !word.empty() && word.find_first_of(" \"\\") == word.npos;
  if (!is_plain) {
    std::string text;
    for (const char c : clipped) {
      if (c == '"' || c == '\\') text += '\\';
      text += c;
    }
    word = '"' + printable(text) + '"';
  }
  return end < name.size() ? word + "..." : word;
}

std::string detail::table(const std::vector<std::vector<std::string>>& rows,
                          std::string_view alignment) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool is_right = i < alignment.size() && alignment[i] == '>';
      line += is_right ? fmt::format("{:>{}}  ", row[i], widths[i])
                       : fmt::format("{:<{}}  ", row[i], widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace heed

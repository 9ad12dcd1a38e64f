// UTF-8 and its code points. (RFC 3629)
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace heed::support {

struct CodePoint {
  char32_t code;
  std::size_t size;  // in bytes of UTF-8
};

// The code point that `text` begins with; none when it is empty, or its first bytes are
// not UTF-8: overlong forms, surrogates and what is beyond U+10FFFF are not.
std::optional<CodePoint> first_code_point(std::string_view text);

// All code points. Throws InputError, with `source`, the first wrong byte and its offset,
// when `text` is not UTF-8.
std::u32string from_utf8(std::string_view text, std::string_view source);

// The bytes of code points that are valid, as those of from_utf8 are.
std::string to_utf8(char32_t code);
std::string to_utf8(std::u32string_view codes);

}  // namespace heed::support

// UTF-8 and its code points (tensor/core/text.h has those of a text one by one).
#pragma once

#include <string>
#include <string_view>

namespace heed::support {

// All code points. Throws InputError, with `source`, the first wrong byte and its offset,
// when `text` is not UTF-8.
std::u32string from_utf8(std::string_view text, std::string_view source);

// The bytes of code points that are valid, as those of from_utf8 are.
std::string to_utf8(char32_t code);
std::string to_utf8(std::u32string_view codes);

}  // namespace heed::support

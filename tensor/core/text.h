// Text from outside, of a file or a command line, as messages and terminals may show it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

struct CodePoint {
  char32_t code;
  std::size_t size;  // in bytes of UTF-8
};

// The code point that `text` begins with; none when it is empty, or its first bytes are
// not UTF-8: overlong forms, surrogates and what is beyond U+10FFFF are not. (RFC 3629)
std::optional<CodePoint> first_code_point(std::string_view text);

// `text` with escapes, \u001b or \n, in place of what a terminal would obey, a reader
// would not see or an XML file may not hold: control characters except those in `kept`,
// separators of lines, marks that turn the direction of writing, and code points that are
// no characters. A byte that is not UTF-8 becomes \xff. What else there is stays, in any
// language.
std::string printable(std::string_view text, std::string_view kept = {});

// A name as it stands in messages: as it is if it is a plain word; otherwise printable
// and in double quotes, "a \"name\""; a longer one than so many bytes is clipped.
std::string shown(std::string_view name, std::size_t longest = 80);

namespace detail {

// Rows of cells as lines of text, with columns as wide as their longest cell; `alignment`
// has '<' or '>' for each column, '<' for those that it lacks. (A cell counts a column
// for every byte: a table of names in other scripts is uneven, and readable.) There must
// be a first row, and none may have more cells.
std::string table(const std::vector<std::vector<std::string>>& rows,
                  std::string_view alignment = {});

}  // namespace detail
}  // namespace heed

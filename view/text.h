// The width of text, for titles and names that must fit a place.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace heed::viz {

// The columns that printable(text) takes in a terminal (tensor/core/text.h): two for the
// wide characters of East Asia, one for any other.
std::int64_t text_width(std::string_view text);

// printable(text) in at most `width` columns: the end of a longer one is replaced by an
// ellipsis.
std::string shortened(std::string_view text, std::int64_t width);

// `text` shortened or filled up with blanks to just `width` columns.
std::string left_aligned(std::string_view text, std::int64_t width);
std::string right_aligned(std::string_view text, std::int64_t width);

}  // namespace heed::viz

// The page's HTML, style and scripts, which embed.py has put together.
#pragma once

#include <string_view>

namespace heed::viz::detail {

// With @DATA@ and @WEIGHTS@ where these belong.
extern const std::string_view page;

}  // namespace heed::viz::detail

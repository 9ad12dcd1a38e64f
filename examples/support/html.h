// The option --html of programs that write an attention page (view/attention_page.h).
#pragma once

#include <optional>
#include <string>

#include "examples/support/program.h"

namespace heed::support {

inline CommandLine::Option add_html(CommandLine& app, std::optional<std::string>& file) {
  return app.add_text("--html", file, "FILE",
                      "Write a page that shows the attention weights in a browser");
}

// Throws InputError when the file could not be written: before the work that it is for.
inline void check_html(const std::optional<std::string>& file) {
  check_file("--html", file);
}

}  // namespace heed::support

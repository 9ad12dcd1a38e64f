// The option --html of programs that write an attention page (view/attention_page.h).
#pragma once

#include <optional>
#include <string>

#include "examples/support/program.h"
#include "nn/state/atomic_file.h"
#include "tensor/core/text.h"

namespace heed::support {

inline CommandLine::Option add_html(CommandLine& app, std::optional<std::string>& file) {
  return app.add_text("--html", file, "FILE",
                      "Write a page that shows the attention weights in a browser");
}

// Throws InputError when the file could not be written: before the work that it is for.
inline void check_html(const std::optional<std::string>& file) {
  if (!file) return;
  if (file->empty()) input_error("--html: the name of the file is empty");
  from_user([&] { const nn::AtomicFile attempt("--html: " + printable(*file), *file); });
}

}  // namespace heed::support

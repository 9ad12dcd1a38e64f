// Ctrl-C and SIGTERM, noted when they come and acted on between two steps.
#pragma once

#include <string>

namespace heed::training {

// While it lives, the first SIGINT (Ctrl-C) or SIGTERM is only noted; a second one, of
// either kind, ends the program at once, as usual. There may be one at a time.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  // The signal that has come, 0 if none has.
  int signal() const;
};

// The text as a word of the shell, for the command line that resumes a run. A text that
// is not printable is written with escapes in $'...', which bash and similar shells read.
std::string shell_word(const std::string& text);

}  // namespace heed::training

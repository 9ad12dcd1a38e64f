// Ending at a good moment.
#pragma once

namespace heed::char_lm {

// While it lives, the first SIGINT (Ctrl-C) or SIGTERM is only noted; a second one ends
// the program at once, as usual. There may be one at a time.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  // The signal that has come, 0 if none has.
  int signal() const;
};

}  // namespace heed::char_lm

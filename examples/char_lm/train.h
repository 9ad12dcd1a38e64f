// The command `char_lm train`.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "examples/char_lm/settings.h"
#include "examples/support/figures.h"

namespace heed::char_lm {

// The checkpoint in the folder of a training.
std::string checkpoint_path(const std::string& folder);

struct TrainOptions {
  std::optional<std::string> text;  // a file; heed's own sources if none is given
  std::string out;                  // the folder of the checkpoint and the log
  bool resume = false;
  std::int64_t checkpoint_every = 250;
  support::FigureOptions figures;
  Settings settings;
  std::map<std::string, std::string> given;  // the settings of the command line
};

// Trains, and returns the exit code: 0, or 128 + the number of the signal that ended it
// early. Throws InputError when a file, folder or option is at fault, and Error when the
// training diverges; the checkpoint of before is then still there.
int train(const TrainOptions& options);

}  // namespace heed::char_lm

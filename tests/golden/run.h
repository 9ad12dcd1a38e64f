// The whole run: options, all cases, what is printed.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace heed::golden {

// Replays the folder that the arguments name, as `golden --help` says. Prints the
// findings to `out`, and what makes a run impossible to `err`. Returns the exit code: 0
// when every case passed, 1 when one failed, 2 for wrong arguments or a folder that
// cannot be read.
int run(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);

}  // namespace heed::golden

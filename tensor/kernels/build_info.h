// What this build of heed is made of.
#pragma once

#include <string>

namespace heed {

// One line about this build: heed's version, the kernels chosen for this processor,
// BLIS's version and, if heed uses BLIS's kernels here, their name, and the number of
// threads. Throws Error when HEED_LEVEL is wrong.
std::string build_info();

}  // namespace heed

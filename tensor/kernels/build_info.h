// What this build of heed is made of.
#pragma once

#include <string>

namespace heed {

// One line about this build: heed's version, the kernels chosen for this processor,
// BLIS's version and kernels, and the number of threads.
std::string build_info();

}  // namespace heed

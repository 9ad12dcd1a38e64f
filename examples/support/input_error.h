// What the programs throw when the fault lies in what the user gave them.
#pragma once

#include <stdexcept>
#include <utility>

#include <fmt/core.h>

namespace heed::support {

// A wrong option, file or folder. CommandLine::run (program.h) prints the message and
// ends with exit code 2.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

template <class... Args>
[[noreturn]] void input_error(fmt::format_string<Args...> message, Args&&... args) {
  throw InputError(fmt::format(message, std::forward<Args>(args)...));
}

}  // namespace heed::support

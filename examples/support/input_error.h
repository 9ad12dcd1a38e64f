// What the programs throw when the fault lies in what the user gave them.
#pragma once

#include <stdexcept>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "tensor/core/error.h"

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

// What f() returns. An Error that it throws becomes an InputError: for reading what the
// user has named. `source`, if any, is put before the message.
template <class F>
decltype(auto) from_user(F&& f, std::string_view source = "") {
  try {
    return std::forward<F>(f)();
  } catch (const Error& error) {
    throw InputError(source.empty() ? error.what()
                                    : fmt::format("{}: {}", source, error.what()));
  }
}

}  // namespace heed::support

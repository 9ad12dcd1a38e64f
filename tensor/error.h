// The one kind of exception that heed throws, and the one way to throw it.
#pragma once

#include <stdexcept>
#include <utility>

#include <fmt/core.h>

namespace heed {

// What every function of heed throws when its arguments do not fit. The message names
// the operation, what must hold and what was found:
//   matmul: the inner sizes must be equal, got (2, 3) and (4, 5)
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Throws an Error with the formatted message.
template <class... Args>
[[noreturn]] void fail(fmt::format_string<Args...> message, Args&&... args) {
  throw Error(fmt::format(message, std::forward<Args>(args)...));
}

// Throws an Error with the formatted message unless `ok`; formats only then.
template <class... Args>
void check(bool ok, fmt::format_string<Args...> message, Args&&... args) {
  if (!ok) [[unlikely]] fail(message, std::forward<Args>(args)...);
}

}  // namespace heed

// The message of an InputError, for a test that compares the whole of it.
#pragma once

#include <string>

#include "examples/support/input_error.h"

namespace heed::support {

// The message of the InputError that f throws, "nothing was thrown" if there is none.
template <class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

}  // namespace heed::support

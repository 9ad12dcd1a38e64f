// The message of an Error, for a test that compares the whole of it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "tensor/core/error.h"

namespace heed {

// The message of the Error that f throws, "no error" if it throws none.
template <class F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

// Each call must throw an Error whose message begins with `start`.
inline void check_refused(const std::string& start,
                          const std::vector<std::function<void()>>& calls) {
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const std::string message = error_of(calls[i]);
    BOOST_TEST(message.starts_with(start), "call " << i << ": " << message);
  }
}

// For BOOST_CHECK_EXCEPTION: whether `message` is the whole message of the Error.
inline auto says(const std::string& message) {
  return [message](const Error& error) {
    BOOST_TEST(error.what() == message);
    return error.what() == message;
  };
}

}  // namespace heed

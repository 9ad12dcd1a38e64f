// The message of an Error, for a test that compares the whole of it.
#pragma once

#include <string>

#include <boost/test/unit_test.hpp>

#include "tensor/error.h"

namespace heed {

// The message of the Error that f throws.
template <class F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

// For BOOST_CHECK_EXCEPTION: whether the Error says just this.
inline auto says(const std::string& message) {
  return [message](const Error& error) {
    BOOST_TEST(error.what() == message);
    return error.what() == message;
  };
}

}  // namespace heed

// Comparing what a program prints with what PyTorch prints.
#pragma once

#include <string>
#include <vector>

namespace heed::examples {

// A text with "#" for each of its numbers that have a decimal point; and these numbers,
// each with one unit of its fourth decimal, the last that is printed.
struct Printed {
  struct Number {
    double value, unit;
  };
  std::string layout;
  std::vector<Number> numbers;

  explicit Printed(const std::string& text);
};

// Tests that `expected`, which begins and ends with a line end, stands in `out` after
// the first line that is `heading`. A number may be off by a unit of its last digit, or
// by what float32 rounds in a sum near 1: that depends on the processor.
void check_printed(const std::string& out, const std::string& heading,
                   const std::string& expected);

}  // namespace heed::examples

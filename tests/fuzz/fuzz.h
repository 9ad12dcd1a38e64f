// What the fuzzers share. Each is a program of libFuzzer's, which calls try_input() with
// inputs that it changes so that they reach more and more of the code.
#pragma once

#include <string_view>

namespace heed::fuzz {

// Each fuzzer defines it: gives the input to what is under test.
void try_input(std::string_view input);

// Ends the fuzzer, which then keeps the input, unless `holds`.
void require(bool holds, const char* what, std::string_view found = "");

// A message goes to the terminal, whatever was in the file: it is UTF-8 without control
// characters, which could change the terminal's title or overwrite other lines.
void check_message(std::string_view message);

}  // namespace heed::fuzz

// Running an example program as a user does.
#pragma once

#include <string>

#include "tests/support/folder.h"

namespace heed::examples {

struct Outcome {
  int code;
  std::string out, err;
};

// Runs a program of the examples' folder with `arguments` as in a shell, `environment` as
// in NAME=value before it. Throws std::runtime_error when it cannot be run or a signal
// ended it.
Outcome run(const std::string& program, const std::string& arguments = "",
            const std::string& environment = "");

// The same, but what the program prints goes to a file (/dev/full), not to Outcome::out.
Outcome run_into(const std::string& file, const std::string& program,
                 const std::string& arguments = "");

// What a program says of arguments or input at fault. Tests that it says something, that
// it prints nothing else, and that its exit code is 2.
std::string check_refused(const std::string& program, const std::string& arguments);

std::string contents(const std::string& path);

// The command of the shell that runs a program of the examples' folder and writes what it
// prints into the files "out" and "err" of the folder `output`. Throws std::runtime_error
// when the environment names no folder of examples.
std::string command(const std::string& program, const std::string& arguments,
                    const support::TemporaryFolder& output);

}  // namespace heed::examples

// What every program does with its command line and its errors.
#pragma once

#include <functional>
#include <string>

#include <CLI/CLI.hpp>

#include "examples/support/figures.h"
#include "examples/support/input_error.h"
#include "tensor/core/dtype.h"

namespace heed::support {

// Exit codes: 0 all is well, 1 the program's claim does not hold or a computation failed,
// 2 the user's input is at fault.

// Reads the command line into the options of `app`, then calls `body` and returns its
// exit code. --help prints the help and returns 0. A wrong option or an InputError from
// `body` prints a message on stderr and returns 2; any other exception, 1, and so does
// output that cannot be written.
int run_program(CLI::App& app, int argc, char** argv, const std::function<int()>& body);

// An option that takes a number from `low` to `high`: a whole one where T is std::int64_t
// or std::uint64_t, a finite decimal one where it is double. Anything else is a wrong
// option. `value` holds the default, which --help shows.
template <class T>
CLI::Option* add_number(CLI::App& app, const std::string& name, T& value, T low, T high,
                        const std::string& text);

// --name, which makes `value` true, or false where the name is "!--name". =true may
// follow it, or =false, as if it were not given.
CLI::Option* add_flag(CLI::App& app, const std::string& name, bool& value,
                      const std::string& text);

// --dtype float32|float64
CLI::Option* add_dtype(CLI::App& app, DType& dtype);

// --figures DIR, with `text` as its help, and --figure-format svg|png.
void add_figures(CLI::App& app, FigureOptions& figures, const std::string& text);

// --threads N, which takes effect at once.
CLI::Option* add_threads(CLI::App& app);

}  // namespace heed::support

// What every program does with its command line and its errors.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "examples/support/figures.h"
#include "examples/support/input_error.h"
#include "tensor/core/dtype.h"

namespace CLI {
class Option;
}

namespace heed::support {

// The options of a program. CLI11 reads them; its headers take seconds to compile, so
// that program.cpp alone includes them.
class CommandLine {
 public:
  // An option that has been added, to say what it requires.
  class Option {
   public:
    bool is_given() const;
    Option& required();
    // It is an error to give this option without the other, or together with the other.
    Option& needs(const Option& other);
    Option& excludes(const Option& other);

   private:
    friend class CommandLine;
    explicit Option(CLI::Option* option) : option_(option) {}
    CLI::Option* option_;
  };

  // --help prints `about` first; messages begin with `name`.
  CommandLine(const std::string& about, const std::string& name);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  // Each option has a `help` text, and its variable holds the default. --help shows the
  // defaults of numbers and choices.

  // A text, which --help shows as `kind`, and as `otherwise` the default of an optional
  // one.
  Option add_text(const std::string& name, std::string& value, const std::string& kind,
                  const std::string& help);
  Option add_text(const std::string& name, std::optional<std::string>& value,
                  const std::string& kind, const std::string& help,
                  const std::string& otherwise = "");
  Option add_choice(const std::string& name, std::string& value,
                    const std::vector<std::string>& choices, const std::string& help);
  // A number from `low` to `high`: a whole one where T is std::int64_t or std::uint64_t,
  // a finite decimal one where it is double. Anything else is a wrong option.
  template <class T>
  Option add_number(const std::string& name, T& value, T low, T high,
                    const std::string& help);
  // --name, which makes `value` true, or false where the name is "!--name". --name=true
  // does the same; --name=false is as if the option were not given.
  Option add_flag(const std::string& name, bool& value, const std::string& help);
  // --dtype float32|float64
  Option add_dtype(DType& dtype);
  // --figures DIR, with `help`, and --figure-format svg|png.
  void add_figures(FigureOptions& figures, const std::string& help);
  // --live, which makes `live` true (live_chart in figures.h).
  Option add_live(bool& live);
  // --threads N, which takes effect at once.
  Option add_threads();

  // A command with options of its own. Where there are some, one of them must be given.
  CommandLine& add_command(const std::string& name, const std::string& about);
  // Whether this command is the one that is given.
  bool is_given() const;
  // Whether the option is.
  bool is_given(const std::string& name) const;

  // Reads the options. Throws InputError when one is wrong.
  void parse(const std::vector<std::string>& arguments);
  // The main() of the program: reads the command line, then calls `body` and returns its
  // exit code, 0 when all is well, 1 when the program's claim does not hold. --help
  // prints the help and returns 0. A wrong option or an InputError from `body` prints a
  // message on stderr and returns 2; any other exception, 1, and so does output that
  // cannot be written.
  int run(int argc, char** argv, const std::function<int()>& body);

 private:
  struct Parts;
  explicit CommandLine(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace heed::support

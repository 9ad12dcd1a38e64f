#include "examples/support/program.h"

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <limits>
#include <sstream>
#include <string_view>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tensor/core/text.h"
#include "tensor/core/threads.h"
#include "tensor/kernels/level.h"

namespace heed::support {
namespace {

// Exit codes; 0 when all is well.
constexpr int failure = 1, wrong_input = 2;

// Prints an error. If that fails, the exit code still tells of it. A message may quote a
// file or the command line, so control characters are escaped.
void print_error(const CLI::App& app, const char* message) {
  std::fflush(stdout);
  std::fputs(fmt::format("{}: {}\n", app.get_name(), printable(message)).c_str(), stderr);
}

// HEED_LEVEL is input too; without this only the first computation would check it.
void check_environment() {
  from_user([] { return kernels::level(); });
}

// Parses the command line. What CLI11 does not know is named as it was given: CLI11
// itself names the last first, and none where a required option or command is missing.
template <class... Arguments>
void parse_known(CLI::App& app, Arguments&&... arguments) {
  try {
    app.parse(std::forward<Arguments>(arguments)...);
  } catch (const CLI::ParseError& error) {
    const std::vector<std::string> unknown = app.remaining(true);
    if (error.get_exit_code() == 0 || unknown.empty()) throw;
    throw CLI::ParseError(
        fmt::format("arguments not expected: {}", fmt::join(unknown, " ")),
        CLI::ExitCodes::ExtrasError);
  }
}

// Prints what CLI11 throws: the help that was asked for, or what is wrong. Through stdio
// like all other output, so that run() notices when it cannot be written.
int answer(const CLI::App& app, const CLI::ParseError& error) {
  std::ostringstream out, err;
  const int code = app.exit(error, out, err) == 0 ? 0 : wrong_input;
  std::fputs(out.str().c_str(), stdout);
  if (code != 0) {
    std::fputs(fmt::format("{}: {}", app.get_name(), printable(err.str(), "\n")).c_str(),
               stderr);
  }
  return code;
}

// Runs the program, and prints what it throws. Returns the exit code.
int parse_and_run(CLI::App& app, int argc, char** argv,
                  const std::function<int()>& body) {
  try {
    parse_known(app, argc, argv);
    check_environment();
    return body();
  } catch (const CLI::ParseError& error) {
    return answer(app, error);
  } catch (const InputError& error) {
    print_error(app, error.what());
    return wrong_input;
  } catch (const std::exception& error) {
    print_error(app, error.what());
  }
  return failure;
}

// The number from `low` to `high` that `given` spells in decimal. CLI11's own conversion
// takes a leading 0 for octal and lets numbers overflow.
template <class T>
T read_number(const std::string& option, const std::string& given, T low, T high) {
  T value = 0;
  const char* const end = given.data() + given.size();
  const auto [stop, error] = std::from_chars(given.data(), end, value);
  if (error == std::errc() && stop == end && low <= value && value <= high) return value;
  const std::string_view kind = std::is_integral_v<T> ? "whole" : "finite";
  const bool has_end = std::is_integral_v<T> || high < std::numeric_limits<T>::max();
  const std::string range = has_end ? fmt::format("from {} to {}", low, high)
                                    : fmt::format("of at least {}", low);
  throw CLI::ValidationError(
      option, fmt::format("a {} number {} is needed, got {}", kind, range, shown(given)));
}

// An option whose value is of this kind. The name of a FILE or a DIR must not be empty.
CLI::Option* with_kind(CLI::Option* option, const std::string& kind) {
  const char* const named = kind.starts_with("FILE") ? "file"
                            : kind == "DIR"          ? "folder"
                                                     : nullptr;
  if (named) {
    option->check([named](const std::string& given) {
      return given.empty() ? fmt::format("the name of the {} is empty", named) : "";
    });
  }
  return option->type_name(kind);
}

}  // namespace

// A command's parser belongs to that of the program.
struct CommandLine::Parts {
  std::unique_ptr<CLI::App> owned;
  CLI::App& app;
  std::vector<std::unique_ptr<CommandLine>> commands = {};
};

bool CommandLine::Option::is_given() const { return option_->count() > 0; }

CommandLine::Option& CommandLine::Option::required() {
  option_->required();
  return *this;
}

CommandLine::Option& CommandLine::Option::needs(const Option& other) {
  option_->needs(other.option_);
  return *this;
}

CommandLine::Option& CommandLine::Option::excludes(const Option& other) {
  option_->excludes(other.option_);
  return *this;
}

CommandLine::CommandLine(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

CommandLine::CommandLine(const std::string& about, const std::string& name) {
  auto app = std::make_unique<CLI::App>(about, name);
  CLI::App& here = *app;
  parts_ = std::make_unique<Parts>(Parts{std::move(app), here});
}

CommandLine::~CommandLine() = default;

CommandLine::Option CommandLine::add_text(const std::string& name, std::string& value,
                                          const std::string& kind,
                                          const std::string& help) {
  return Option(with_kind(parts_->app.add_option(name, value, help), kind));
}

CommandLine::Option CommandLine::add_text(const std::string& name,
                                          std::optional<std::string>& value,
                                          const std::string& kind,
                                          const std::string& help,
                                          const std::string& otherwise) {
  return Option(
      with_kind(parts_->app.add_option(name, value, help), kind)->default_str(otherwise));
}

CommandLine::Option CommandLine::add_choice(const std::string& name, std::string& value,
                                            const std::vector<std::string>& choices,
                                            const std::string& help) {
  return Option(parts_->app.add_option(name, value, help)
                    ->type_name(fmt::format("{}", fmt::join(choices, "|")))
                    ->check(CLI::IsMember(choices).description(""))
                    ->capture_default_str());
}

template <class T>
CommandLine::Option CommandLine::add_number(const std::string& name, T& value, T low,
                                            T high, const std::string& help) {
  const auto assign = [&value, name, low, high](const std::string& given) {
    value = read_number(name, given, low, high);
  };
  return Option(parts_->app.add_option_function<std::string>(name, assign, help)
                    ->type_name(std::is_integral_v<T> ? "N" : "NUMBER")
                    ->default_str(fmt::format("{}", value)));
}

template CommandLine::Option CommandLine::add_number(const std::string&, std::int64_t&,
                                                     std::int64_t, std::int64_t,
                                                     const std::string&);
template CommandLine::Option CommandLine::add_number(const std::string&, std::uint64_t&,
                                                     std::uint64_t, std::uint64_t,
                                                     const std::string&);
template CommandLine::Option CommandLine::add_number(const std::string&, double&, double,
                                                     double, const std::string&);

CommandLine::Option CommandLine::add_flag(const std::string& name, bool& value,
                                          const std::string& help) {
  const bool sets = !name.starts_with('!');
  // CLI11 also takes whole numbers, and lets them overflow.
  const auto check_value = [](const std::string& given) {
    const bool fits = given == "true" || given == "false";
    return fits ? "" : "true, false or no value is needed, got " + shown(given);
  };
  return Option(parts_->app
                    .add_flag_callback(
                        name.substr(sets ? 0 : 1), [&value, sets] { value = sets; }, help)
                    ->check(check_value));
}

CommandLine::Option CommandLine::add_dtype(DType& dtype) {
  const auto assign = [&dtype](const std::string& given) {
    if (given != name(float32) && given != name(float64))
      throw CLI::ValidationError(
          "--dtype", fmt::format("float32 or float64 is needed, got {}", shown(given)));
    dtype = given == name(float32) ? float32 : float64;
  };
  return Option(parts_->app
                    .add_option_function<std::string>(
                        "--dtype", assign,
                        "The type of the numbers; float64 draws others, as in PyTorch")
                    ->type_name("float32|float64")
                    ->default_str(std::string(name(dtype))));
}

void CommandLine::add_figures(FigureOptions& figures, const std::string& help) {
  const Option folder = add_text("--figures", figures.folder, "DIR", help);
  add_choice("--figure-format", figures.format, {"svg", "png"}, "The kind of the figures")
      .needs(folder);
}

CommandLine::Option CommandLine::add_live(bool& live) {
  return add_flag("--live", live,
                  "Draw the training while it runs: in a window of gnuplot's, or in the "
                  "terminal;\nwith --figures also into the file live.svg there");
}

CommandLine::Option CommandLine::add_threads() {
  const auto assign = [](const std::string& given) {
    const int threads = read_number("--threads", given, 1, 1024);
    // More threads than processors would wait for one another most of the time.
    const auto processors = static_cast<int>(std::thread::hardware_concurrency());
    set_num_threads(processors > 0 ? std::min(threads, processors) : threads);
  };
  return Option(parts_->app
                    .add_option_function<std::string>(
                        "--threads", assign,
                        "How many threads work, at most one a processor; the results do "
                        "not depend on it")
                    ->type_name("N")
                    ->default_str("OMP_NUM_THREADS, or all processors"));
}

CommandLine& CommandLine::add_command(const std::string& name, const std::string& about) {
  parts_->app.require_subcommand(1);
  CLI::App& app = *parts_->app.add_subcommand(name, about);
  parts_->commands.emplace_back(
      new CommandLine(std::make_unique<Parts>(Parts{nullptr, app})));
  return *parts_->commands.back();
}

bool CommandLine::is_given() const { return parts_->app.parsed(); }

bool CommandLine::is_given(const std::string& name) const {
  return parts_->app.count(name) > 0;
}

void CommandLine::parse(const std::vector<std::string>& arguments) {
  try {
    // CLI11 takes them from the end.
    parse_known(parts_->app,
                std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::ParseError& error) {
    throw InputError(error.what());
  }
}

int CommandLine::run(int argc, char** argv, const std::function<int()>& body) {
  // A file beyond the limit on sizes (ulimit -f) is then reported as a full disk is.
  std::signal(SIGXFSZ, SIG_IGN);
  const int code = parse_and_run(parts_->app, argc, argv, body);
  // ferror() also tells of earlier output that could not be written.
  const bool is_written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  if (is_written || code != 0) return code;
  print_error(parts_->app, "the output cannot be written");
  return failure;
}

}  // namespace heed::support

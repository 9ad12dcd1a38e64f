#include "examples/support/program.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <limits>
#include <sstream>
#include <string_view>
#include <system_error>
#include <thread>
#include <type_traits>

#include <fmt/format.h>

#include "tensor/core/text.h"
#include "tensor/core/threads.h"
#include "tensor/kernels/build_info.h"

namespace heed::support {
namespace {

constexpr int failure = 1, wrong_input = 2;

// As far as stderr takes it: the exit code says the rest. Much of a message may come from
// a file or the command line.
void complain(const CLI::App& app, const char* message) {
  std::fflush(stdout);
  std::fputs(fmt::format("{}: {}\n", app.get_name(), printable(message)).c_str(), stderr);
}

// HEED_LEVEL is input too, and would be looked at by the first computation only.
void check_environment() {
  try {
    build_info();
  } catch (const Error& error) {
    throw InputError(error.what());
  }
}

// Tells what CLI11 throws: the help that was asked for, or what is wrong. Through stdio
// like all else, so that a failure is seen.
int answer(const CLI::App& app, const CLI::ParseError& error) {
  std::ostringstream out, err;
  const int code = app.exit(error, out, err) == 0 ? 0 : wrong_input;
  std::fputs(out.str().c_str(), stdout);
  std::fputs(printable(err.str(), "\n").c_str(), stderr);
  return code;
}

// Runs the program, and tells what it throws. Returns the exit code.
int parse_and_run(CLI::App& app, int argc, char** argv,
                  const std::function<int()>& body) {
  try {
    app.parse(argc, argv);
    check_environment();
    return body();
  } catch (const CLI::ParseError& error) {
    return answer(app, error);
  } catch (const InputError& error) {
    complain(app, error.what());
    return wrong_input;
  } catch (const std::exception& error) {
    complain(app, error.what());
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

}  // namespace

int run_program(CLI::App& app, int argc, char** argv, const std::function<int()>& body) {
  const int code = parse_and_run(app, argc, argv, body);
  // What could not be written earlier has left its mark.
  const bool is_written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  if (is_written || code != 0) return code;
  complain(app, "the output cannot be written");
  return failure;
}

template <class T>
CLI::Option* add_number(CLI::App& app, const std::string& name, T& value, T low, T high,
                        const std::string& text) {
  const auto assign = [&value, name, low, high](const std::string& given) {
    value = read_number(name, given, low, high);
  };
  return app.add_option_function<std::string>(name, assign, text)
      ->type_name(std::is_integral_v<T> ? "N" : "NUMBER")
      ->default_str(fmt::format("{}", value));
}

template CLI::Option* add_number(CLI::App&, const std::string&, std::int64_t&,
                                 std::int64_t, std::int64_t, const std::string&);
template CLI::Option* add_number(CLI::App&, const std::string&, std::uint64_t&,
                                 std::uint64_t, std::uint64_t, const std::string&);
template CLI::Option* add_number(CLI::App&, const std::string&, double&, double, double,
                                 const std::string&);

CLI::Option* add_flag(CLI::App& app, const std::string& name, bool& value,
                      const std::string& text) {
  const bool sets = !name.starts_with('!');
  // CLI11 also takes whole numbers, and lets them overflow.
  const auto check_value = [](const std::string& given) {
    const bool fits = given == "true" || given == "false";
    return fits ? "" : "true, false or no value is needed, got " + shown(given);
  };
  return app
      .add_flag_callback(
          name.substr(sets ? 0 : 1), [&value, sets] { value = sets; }, text)
      ->check(check_value);
}

CLI::Option* add_dtype(CLI::App& app, DType& dtype) {
  const auto assign = [&dtype](const std::string& given) {
    if (given != name(float32) && given != name(float64))
      throw CLI::ValidationError(
          "--dtype", fmt::format("float32 or float64 is needed, got {}", shown(given)));
    dtype = given == name(float32) ? float32 : float64;
  };
  return app
      .add_option_function<std::string>(
          "--dtype", assign,
          "The type of the numbers; float64 draws others, as in PyTorch")
      ->type_name("float32|float64")
      ->default_str(std::string(name(dtype)));
}

void add_figures(CLI::App& app, FigureOptions& figures, const std::string& text) {
  CLI::Option* const folder =
      app.add_option("--figures", figures.folder, text)->type_name("DIR");
  app.add_option("--figure-format", figures.format, "The kind of the figures")
      ->type_name("svg|png")
      ->check(CLI::IsMember({"svg", "png"}).description(""))
      ->needs(folder)
      ->capture_default_str();
}

CLI::Option* add_threads(CLI::App& app) {
  const auto assign = [](const std::string& given) {
    const int threads = read_number("--threads", given, 1, 1024);
    // More than there are processors would wait for one another most of the time.
    const auto processors = static_cast<int>(std::thread::hardware_concurrency());
    set_num_threads(processors > 0 ? std::min(threads, processors) : threads);
  };
  return app
      .add_option_function<std::string>(
          "--threads", assign,
          "How many threads work, at most one a processor; the results do not depend on "
          "it")
      ->type_name("N")
      ->default_str("OMP_NUM_THREADS, or all processors");
}

}  // namespace heed::support

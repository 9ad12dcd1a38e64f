// A command line of any bytes, one argument on each line, is refused, or the values that
// it gives the program are within the limits that the options state.
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "examples/support/program.h"
#include "tests/fuzz/fuzz.h"

// The whole program char_lm, with other functions than train() and generate() behind its
// command line: those below.
#define main char_lm_main
#include "examples/char_lm/main.cpp"
#undef main

using namespace heed::fuzz;

namespace heed::char_lm {

int train(const TrainOptions& options) {
  Settings::visit(options.settings, [](const char* name, const auto& value, auto least,
                                       auto largest, const char*) {
    using T = std::decay_t<decltype(value)>;
    require(static_cast<T>(least) <= value && value <= static_cast<T>(largest),
            "a setting within its limits", name);
  });
  require(0 < options.checkpoint_every && options.checkpoint_every <= many,
          "--checkpoint-every within its limits");
  // A checkpoint keeps the settings as text.
  const auto strings = to_strings(options.settings);
  require(to_strings(settings_from(strings, "fuzz")) == strings, "the same settings");
  for (const auto& [name, text] : options.given) {
    require(strings.at(name) == text, "the settings given to be those there are", name);
  }
  check_settings(options.settings);
  return 0;
}

int generate(const GenerateOptions& options) {
  require(0 < options.tokens && options.tokens <= many, "--tokens within its limits");
  require(0 <= options.sampling.temperature && options.sampling.temperature <= 1e6,
          "--temperature within its limits");
  require(0 <= options.sampling.top_k && options.sampling.top_k <= many,
          "--top-k within its limits");
  return 0;
}

}  // namespace heed::char_lm

namespace {

// A program with an option of every kind that the others have.
int every_kind(int argc, char** argv) {
  CommandLine app("Every kind of option", "every_kind");
  std::int64_t whole = 1;
  std::uint64_t seed = 0;
  double number = 0;
  bool flag = false;
  DType dtype = float32;
  FigureOptions figures;
  app.add_number("--whole", whole, std::int64_t{-8}, std::int64_t{8}, "");
  app.add_number("--seed", seed, std::uint64_t{0},
                 std::numeric_limits<std::uint64_t>::max(), "");
  app.add_number("--number", number, 0.0, std::numeric_limits<double>::max(), "");
  app.add_flag("--flag", flag, "");
  app.add_flag("!--no-flag", flag, "");
  app.add_dtype(dtype);
  app.add_figures(figures, "");
  app.add_threads();
  return app.run(argc, argv, [&] {
    require(-8 <= whole && whole <= 8, "--whole within its limits");
    require(0 <= number && std::isfinite(number), "--number within its limits");
    require(dtype == float32 || dtype == float64, "a floating-point --dtype");
    require(figures.format == "svg" || figures.format == "png", "--figure-format");
    return 0;
  });
}

}  // namespace

void heed::fuzz::try_input(std::string_view input) {
  std::vector<std::string> arguments = {"program"};
  for (std::string_view rest = input; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    arguments.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  const bool is_char_lm = arguments.size() > 1 && !arguments[1].starts_with('-');
  const int code = (is_char_lm ? char_lm_main : every_kind)(
      static_cast<int>(argv.size()) - 1, argv.data());
  require(code == 0 || code == 2, "exit code 0, or 2 for wrong input");
}

#include "examples/char_lm/settings.h"

#include <type_traits>
#include <vector>

#include <fmt/format.h>

#include "examples/support/input_error.h"
#include "examples/support/program.h"
#include "tensor/core/text.h"

namespace heed::char_lm {

using support::input_error;

nn::GptOptions Settings::gpt_options(std::int64_t vocab_size) const {
  return {.vocab_size = vocab_size,
          .block_size = context,
          .n_layer = layers,
          .n_head = heads,
          .n_embd = width,
          .dropout = dropout,
          .bias = bias};
}

void add_settings(support::CommandLine& app, Settings& settings) {
  Settings::visit(settings, [&app]<class T>(const std::string& name, T& value, auto least,
                                            auto largest, const char* help) {
    if constexpr (std::is_same_v<T, bool>) {
      app.add_flag("--" + name, value, help);
    } else {
      app.add_number("--" + name, value, static_cast<T>(least), static_cast<T>(largest),
                     help);
    }
  });
}

training::SettingsText to_strings(const Settings& settings) {
  training::SettingsText strings;
  Settings::visit(settings, [&strings](const char* name, const auto& value, auto&&...) {
    strings[name] = fmt::format("{}", value);
  });
  return strings;
}

training::SettingsText given_strings(const support::CommandLine& app,
                                     const Settings& settings) {
  training::SettingsText given = to_strings(settings);
  std::erase_if(
      given, [&app](const auto& setting) { return !app.is_given("--" + setting.first); });
  return given;
}

Settings settings_from(const training::SettingsText& strings, const std::string& source) {
  Settings settings;
  support::CommandLine app("", "");
  add_settings(app, settings);
  std::vector<std::string> arguments;
  Settings::visit(settings, [&](const std::string& name, auto&&...) {
    const auto found = strings.find(name);
    if (found == strings.end()) {
      input_error("{}: the setting {} is missing", source, name);
    }
    arguments.push_back("--" + name + "=" + found->second);
  });
  try {
    app.parse(arguments);
  } catch (const support::InputError& error) {
    input_error("{}: a setting is wrong: {}", source, printable(error.what()));
  }
  return settings;
}

void check_settings(const Settings& s) {
  if (s.width % s.heads != 0) {
    input_error("--heads must divide --width, got {} and {}", s.heads, s.width);
  }
  if (s.lr == 0) input_error("--lr must be above 0, got 0");
  if (s.min_lr > s.lr) {
    input_error("--min-lr must not be above --lr, got {} and {}", s.min_lr, s.lr);
  }
}

}  // namespace heed::char_lm

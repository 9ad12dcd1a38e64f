#include "view/terminal.h"

#include <cstdlib>
#include <iterator>
#include <string_view>

#include <sys/ioctl.h>
#include <unistd.h>

#include <fmt/format.h>

#include "view/figure_text.h"
#include "view/text.h"

namespace heed::viz {
namespace {

std::string_view environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

bool is_rewritable(int descriptor) {
  const std::string_view terminal = environment("TERM");
  return isatty(descriptor) != 0 && !terminal.empty() && terminal != "dumb";
}

Colours terminal_colours(int descriptor) {
  if (!is_rewritable(descriptor) || !environment("NO_COLOR").empty())
    return Colours::none;
  const std::string_view depth = environment("COLORTERM");
  return depth == "truecolor" || depth == "24bit" ? Colours::any : Colours::palette;
}

int terminal_width(int descriptor) {
  winsize size{};
  const bool known = ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

int terminal_height(int descriptor) {
  winsize size{};
  const bool known = ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_row > 0;
  return known ? size.ws_row : 24;
}

std::string to_text(const Figure& figure, Colours colours, int width, int height) {
  const TextOptions options{colours, width, height};
  return std::visit([&](const auto& kind) { return text_of(kind, options); }, figure);
}

void show(const Figure& figure) {
  fmt::print("{}", to_text(figure, terminal_colours(STDOUT_FILENO),
                           terminal_width(STDOUT_FILENO)));
}

// --- what the kinds of figures share

std::string curve_code(std::size_t i, Colours colours) {
  // The entries of the palette of 256 that are nearest to the curves' colours.
  constexpr int palette[std::size(curve_colours)] = {25, 166, 36, 178, 74, 175};
  if (colours == Colours::none) return "";
  if (colours == Colours::palette)
    return fmt::format("\x1b[38;5;{}m", palette[i % std::size(palette)]);
  const std::uint32_t colour = curve_colour(i);
  return fmt::format("\x1b[38;2;{};{};{}m", colour >> 16, colour >> 8 & 255,
                     colour & 255);
}

std::string_view end_code(Colours colours) {
  return colours == Colours::none ? "" : "\x1b[0m";
}

void append_labels(std::string& out, const std::string& down, const std::string& across,
                   std::int64_t width) {
  std::string labels = down.empty() ? "" : "down: " + down;
  if (!across.empty()) labels += (labels.empty() ? "across: " : "; across: ") + across;
  if (!labels.empty()) out += shortened(labels, width) + "\n";
}

void end_line(std::string& out) {
  while (out.ends_with(' ')) out.pop_back();
  out += '\n';
}

}  // namespace heed::viz

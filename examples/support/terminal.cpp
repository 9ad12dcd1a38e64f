#include "examples/support/terminal.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <string_view>
#include <vector>

#include <sys/ioctl.h>
#include <unistd.h>

#include <fmt/format.h>

namespace heed::support {
namespace {

std::string_view environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

using Colour = std::array<double, 3>;  // red, green, blue from 0 to 1

// The colour at `place` of the scale, 0 its low end and 1 its high one; grey for NaN.
Colour scale_colour(double place) {
  if (std::isnan(place)) return {0.5, 0.5, 0.5};
  constexpr int last = static_cast<int>(std::size(colour_stops)) - 1;
  const double position = std::sqrt(std::clamp(place, 0.0, 1.0)) * last;
  const int stop = std::min(static_cast<int>(position), last - 1);
  const double share = position - stop;
  Colour colour;
  for (std::size_t i = 0; i < 3; ++i)
    colour[i] = (1 - share) * colour_stops[stop][i] + share * colour_stops[stop + 1][i];
  return colour;
}

int byte(double share) { return static_cast<int>(std::lround(255 * share)); }

// The nearest of the six levels of the palette's colour cube: 0, 95, 135, 175, 215, 255.
int cube_level(double share) {
  const int value = byte(share);
  if (value < 48) return 0;
  return value < 115 ? 1 : (value - 35) / 40;
}

// The parameters that choose `colour`, or the nearest one of the palette, whose cube of
// 6 x 6 x 6 colours begins at entry 16.
std::string code(const Colour& colour, Colours colours) {
  const auto [red, green, blue] = colour;
  if (colours == Colours::any)
    return fmt::format("2;{};{};{}", byte(red), byte(green), byte(blue));
  return fmt::format(
      "5;{}", 16 + 36 * cube_level(red) + 6 * cube_level(green) + cube_level(blue));
}

constexpr std::string_view plain = "\x1b[0m";

// One matrix, averaged down to `height` x `width` places on the colour scale.
struct Panel {
  std::int64_t height, width;
  std::vector<double> places;

  double at(std::int64_t i, std::int64_t j) const {
    return places[static_cast<std::size_t>(i * width + j)];
  }
};

Panel averaged(const double* matrix, std::int64_t m, std::int64_t n, std::int64_t height,
               std::int64_t width, ColourRange range) {
  Panel panel{height, width, {}};
  for (std::int64_t i = 0; i < height; ++i)
    for (std::int64_t j = 0; j < width; ++j) {
      const std::int64_t top = i * m / height, bottom = (i + 1) * m / height;
      const std::int64_t left = j * n / width, right = (j + 1) * n / width;
      double sum = 0;
      for (std::int64_t k = top; k < bottom; ++k)
        for (std::int64_t l = left; l < right; ++l) sum += matrix[k * n + l];
      const double mean = sum / static_cast<double>((bottom - top) * (right - left));
      panel.places.push_back((mean - range.low) / (range.high - range.low));
    }
  return panel;
}

// `title` in exactly `width` columns.
std::string fitted(std::string_view title, std::int64_t width) {
  const auto columns = static_cast<std::size_t>(width);
  return fmt::format("{:<{}}", title.substr(0, columns), columns);
}

// One line of a panel: each character shows two places, one above the other, the upper
// one as the colour of the half block and the lower one as that behind it.
void append_line(std::string& out, const Panel& panel, std::int64_t line,
                 Colours colours) {
  for (std::int64_t j = 0; j < panel.width; ++j) {
    const std::int64_t upper = 2 * line, lower = upper + 1;
    out += fmt::format("\x1b[38;{}", code(scale_colour(panel.at(upper, j)), colours));
    if (lower < panel.height)
      out += fmt::format(";48;{}", code(scale_colour(panel.at(lower, j)), colours));
    out += "m\u2580";
  }
  out += plain;
}

void append_scale(std::string& out, ColourRange range, Colours colours) {
  constexpr int columns = 24;
  out += fmt::format("{:.3g} ", range.low);
  for (int i = 0; i < columns; ++i)
    out += fmt::format("\x1b[48;{}m ", code(scale_colour((i + 0.5) / columns), colours));
  out += fmt::format("{} {:.3g}\n", plain, range.high);
}

}  // namespace

Colours terminal_colours() {
  if (isatty(STDOUT_FILENO) == 0) return Colours::none;
  if (!environment("NO_COLOR").empty()) return Colours::none;
  const std::string_view terminal = environment("TERM");
  if (terminal.empty() || terminal == "dumb") return Colours::none;
  const std::string_view depth = environment("COLORTERM");
  return depth == "truecolor" || depth == "24bit" ? Colours::any : Colours::palette;
}

int terminal_width() {
  winsize size{};
  const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

std::string in_colour(const Heatmaps& heatmaps, Colours colours, int width) {
  check_heatmaps(heatmaps);
  if (colours == Colours::none) return "";
  const std::int64_t rows = heatmaps.matrices.size(0);
  const std::int64_t columns = heatmaps.matrices.size(1);
  const std::int64_t m = heatmaps.matrices.size(2), n = heatmaps.matrices.size(3);
  const ColourRange range = colour_range(heatmaps);
  const std::vector<double> elements =
      heatmaps.matrices.to(float64).contiguous().to_vector<double>();

  constexpr std::int64_t gap = 2, most_height = 64;
  const std::int64_t room = std::max<std::int64_t>((width + gap) / columns - gap, 1);
  const std::int64_t panel_width = std::min(n, room);
  // Square cells, as far as a screenful goes.
  const std::int64_t panel_height = std::clamp<std::int64_t>(
      m * panel_width / n, 1, std::min<std::int64_t>(m, most_height));

  std::string out;
  for (std::int64_t row = 0; row < rows; ++row) {
    std::vector<Panel> panels;
    for (std::int64_t column = 0; column < columns; ++column) {
      const std::int64_t index = row * columns + column;
      panels.push_back(averaged(elements.data() + index * m * n, m, n, panel_height,
                                panel_width, range));
      const auto title = static_cast<std::size_t>(index);
      out += fitted(title < heatmaps.titles.size() ? heatmaps.titles[title] : "",
                    panel_width);
      out += column + 1 == columns ? "\n" : std::string(gap, ' ');
    }
    for (std::int64_t line = 0; 2 * line < panel_height; ++line)
      for (std::int64_t column = 0; column < columns; ++column) {
        append_line(out, panels[static_cast<std::size_t>(column)], line, colours);
        out += column + 1 == columns ? "\n" : std::string(gap, ' ');
      }
  }
  out += fmt::format("down: {}; across: {}\n", heatmaps.ylabel, heatmaps.xlabel);
  append_scale(out, range, colours);
  return out;
}

void show_heatmaps(const Heatmaps& heatmaps) {
  const Colours colours = terminal_colours();
  if (colours != Colours::none)
    fmt::print("\n{}", in_colour(heatmaps, colours, terminal_width()));
}

}  // namespace heed::support

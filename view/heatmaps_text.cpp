// Heat maps as text.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "view/colour_scale.h"
#include "view/figure_text.h"
#include "view/text.h"

namespace heed::viz {
namespace {

int byte(double share) { return static_cast<int>(std::lround(255 * share)); }

// The entries of the palette of 256 that heat maps use: the reds of the scale, then what
// is off it. Nearer ones among the others would change the hue along the scale.
constexpr int palette[] = {231, 224, 217, 210, 203, 160, 124, 88, 52, 153, 18, 102};

// An entry's colour. Entries 16 to 231 are a cube: 36 times the level of red, 6 times
// that of green and once that of blue.
Colour entry_colour(int entry) {
  constexpr double levels[] = {0, 95, 135, 175, 215, 255};
  const int place = entry - 16;
  return {levels[place / 36] / 255, levels[place / 6 % 6] / 255, levels[place % 6] / 255};
}

int nearest_entry(const Colour& colour) {
  const auto distance = [&colour](int entry) {
    const Colour other = entry_colour(entry);
    double sum = 0;
    for (std::size_t i = 0; i < colour.size(); ++i)
      sum += (colour[i] - other[i]) * (colour[i] - other[i]);
    return sum;
  };
  return *std::min_element(std::begin(palette), std::end(palette),
                           [&](int a, int b) { return distance(a) < distance(b); });
}

// The parameters that choose `colour`, or the nearest one of the palette.
std::string code(const Colour& colour, Colours colours) {
  const auto [red, green, blue] = colour;
  if (colours == Colours::any)
    return fmt::format("2;{};{};{}", byte(red), byte(green), byte(blue));
  return fmt::format("5;{}", nearest_entry(colour));
}

constexpr std::string_view plain = "\x1b[0m";

std::int64_t longest(const std::vector<std::string>& texts, std::int64_t limit) {
  std::int64_t width = 0;
  for (const std::string& text : texts) width = std::max(width, text_width(text));
  return std::min(width, limit);
}

constexpr std::int64_t gap = 2;         // columns between panels
constexpr std::int64_t narrowest = 40;  // terminal, for the lines below the panels

// How panels are laid out, in columns and in half lines: a character shows two cells, one
// above the other.
struct Layout {
  std::int64_t panel_width = 0, panel_height = 0;
  std::int64_t slot = 0;      // a panel, or its title if that is wider
  std::int64_t together = 1;  // panels side by side; the rest of their row stands below
  std::int64_t names = 0;     // what the names of the rows take, to the left
  bool names_above = false;   // whether there is room for those of the columns
};

Layout layout_of(const Heatmaps& heatmaps, const TextOptions& options) {
  constexpr std::int64_t screenful = 64, longest_title = 32, longest_name = 12;
  // Panels shrink in order to stand side by side, but no further than this.
  constexpr std::int64_t narrow = 24;
  const std::int64_t panels = heatmaps.matrices.size(1);
  const std::int64_t m = heatmaps.matrices.size(2), n = heatmaps.matrices.size(3);
  const bool can_name = 2 * m <= screenful;
  Layout layout;
  if (can_name && !heatmaps.yticks.empty())
    layout.names = longest(heatmaps.yticks, longest_name) + 1;
  const std::int64_t room = std::max<std::int64_t>(options.width - layout.names, 1);
  const std::int64_t title = longest(heatmaps.titles, std::min(longest_title, room));
  const auto fitting = [&](std::int64_t panel) {
    return std::max<std::int64_t>((room + gap) / (std::max(panel, title) + gap), 1);
  };

  // Square cells: large for a small matrix, but smaller where more panels fit then. A
  // character without colours fills a line.
  const std::int64_t largest = options.colours == Colours::none ? 2 : 4;
  std::int64_t cell = std::clamp<std::int64_t>(narrow / std::max(m, n), 1, largest);
  for (std::int64_t less = cell - 1; less >= 2; --less)
    if (fitting(cell * n) < std::min(fitting(less * n), panels)) cell = less;
  const std::int64_t share =
      std::max((room + gap) / panels - gap, std::min(room, narrow));
  layout.panel_width = std::min(cell * n, share);
  if (layout.panel_width >= n) layout.panel_width -= layout.panel_width % n;
  layout.panel_height =
      std::clamp<std::int64_t>(m * layout.panel_width / n, 1, screenful);

  // With names, and without colours, a row of the matrix takes whole lines. A column
  // takes what its name takes.
  if (layout.names > 0 || (can_name && options.colours == Colours::none))
    layout.panel_height =
        std::max(layout.panel_height / (2 * m), std::int64_t{1}) * 2 * m;
  const std::int64_t named_width = n * (longest(heatmaps.xticks, longest_name) + 1);
  layout.names_above = can_name && !heatmaps.xticks.empty() && named_width <= room;
  if (layout.names_above) {
    layout.panel_width = named_width;
    layout.panel_height = 2 * m;
  }

  layout.slot = std::max(layout.panel_width, title);
  const std::int64_t most = std::min(fitting(layout.panel_width), panels);
  const std::int64_t lines = (panels + most - 1) / most;
  layout.together = (panels + lines - 1) / lines;
  return layout;
}

// A matrix (m, n), enlarged to a panel or averaged down.
struct Panel {
  Panel(const double* matrix, std::int64_t m, std::int64_t n, const Layout& layout);

  double at(std::int64_t i, std::int64_t j) const {
    return elements[static_cast<std::size_t>(i * width + j)];
  }

  std::int64_t height, width;
  std::vector<double> elements;
};

Panel::Panel(const double* matrix, std::int64_t m, std::int64_t n, const Layout& layout)
    : height(layout.panel_height), width(layout.panel_width) {
  for (std::int64_t i = 0; i < height; ++i)
    for (std::int64_t j = 0; j < width; ++j) {
      const std::int64_t top = i * m / height, left = j * n / width;
      const std::int64_t bottom = std::max((i + 1) * m / height, top + 1);
      const std::int64_t right = std::max((j + 1) * n / width, left + 1);
      double sum = 0;
      for (std::int64_t k = top; k < bottom; ++k)
        for (std::int64_t l = left; l < right; ++l) sum += matrix[k * n + l];
      elements.push_back(sum / static_cast<double>((bottom - top) * (right - left)));
    }
}

// One line of a panel without colours, where a character stands for the mean of two
// cells, one above the other, which are parts of one element unless the panel is averaged
// down or has more than 32 rows. Each of the `n` elements of a row is shown once.
std::string signs(const Panel& panel, std::int64_t line, std::int64_t n,
                  const ColourScale& scale) {
  std::string out;
  const std::int64_t upper = 2 * line, lower = std::min(upper + 1, panel.height - 1);
  for (std::int64_t j = 0; j < panel.width; ++j) {
    const bool is_shown = j == 0 || j * n / panel.width > (j - 1) * n / panel.width;
    out += is_shown ? scale.sign((panel.at(upper, j) + panel.at(lower, j)) / 2) : ' ';
  }
  return out;
}

// One line of a panel: the upper cell is the colour of the half block, the lower one the
// colour of its background.
std::string cells(const Panel& panel, std::int64_t line, const ColourScale& scale,
                  Colours colours) {
  std::string out;
  for (std::int64_t j = 0; j < panel.width; ++j) {
    const std::int64_t upper = 2 * line, lower = upper + 1;
    out += fmt::format("\x1b[38;{}", code(scale(panel.at(upper, j)), colours));
    if (lower < panel.height)
      out += fmt::format(";48;{}", code(scale(panel.at(lower, j)), colours));
    out += "m\u2580";
  }
  return out + std::string(plain);
}

// Panels `first` to `last` - 1 side by side, with the names above and beside them.
void append_panels(std::string& out, const Heatmaps& heatmaps, const Layout& layout,
                   std::int64_t first, std::int64_t last, const double* elements,
                   const ColourScale& scale, Colours colours) {
  const std::int64_t m = heatmaps.matrices.size(2), n = heatmaps.matrices.size(3);
  const std::string margin = left_aligned("", layout.names);
  const std::string between = left_aligned("", gap);
  std::string titles = margin, names = margin;
  std::vector<Panel> panels;
  for (std::int64_t panel = first; panel < last; ++panel) {
    const auto index = static_cast<std::size_t>(panel);
    titles += left_aligned(index < heatmaps.titles.size() ? heatmaps.titles[index] : "",
                           layout.slot) +
              between;
    std::string names_here;
    if (layout.names_above)
      for (const std::string& name : heatmaps.xticks)
        names_here += left_aligned(name, layout.panel_width / n - 1) + " ";
    names += left_aligned(names_here, layout.slot) + between;
    panels.emplace_back(elements + panel * m * n, m, n, layout);
  }
  if (!heatmaps.titles.empty()) end_line(out += titles);
  if (layout.names_above) end_line(out += names);

  const std::int64_t lines_a_row = layout.panel_height / (2 * m);  // if there are names
  for (std::int64_t line = 0; 2 * line < layout.panel_height; ++line) {
    if (layout.names > 0 && line % lines_a_row == (lines_a_row - 1) / 2)
      out += right_aligned(heatmaps.yticks[static_cast<std::size_t>(line / lines_a_row)],
                           layout.names - 1) +
             " ";
    else
      out += margin;
    for (const Panel& panel : panels)
      out += (colours == Colours::none ? signs(panel, line, n, scale)
                                       : cells(panel, line, scale, colours)) +
             left_aligned("", layout.slot - layout.panel_width) + between;
    end_line(out);
  }
}

// A line such as ". 0 to 0.1  9 0.87 to 0.97  - -inf".
void append_signs(std::string& out, const ColourScale& scale) {
  const double low = scale.low(), high = scale.high(), tenth = (high - low) / 10;
  const auto label = [&](double number) { return scale.label(number, tenth / 50); };
  out += fmt::format(". {} to {}  9 {} to {}", label(low), label(low + tenth),
                     label(high - tenth), label(high));
  for (const auto& off_scale : scale.off_scale())
    out += fmt::format("  {} {}", off_scale.sign, off_scale.name);
  out += '\n';
}

// A line such as "0 (the colours) 0.97  (a colour) -inf".
void append_scale(std::string& out, const ColourScale& scale, Colours colours) {
  if (colours == Colours::none) return append_signs(out, scale);
  constexpr int columns = 24;
  const auto blank = [colours](const Colour& colour) {
    return fmt::format("\x1b[48;{}m ", code(colour, colours));
  };
  const double width = scale.high() - scale.low();
  out += scale.label(scale.low(), width / 500) + " ";
  for (int i = 0; i < columns; ++i)
    out += blank(scale(scale.low() + (i + 0.5) / columns * width));
  out += fmt::format("{} {}", plain, scale.label(scale.high(), width / 500));
  for (const auto& off_scale : scale.off_scale())
    out += fmt::format("  {0} {1} {2}", blank(off_scale.colour), plain, off_scale.name);
  out += '\n';
}

}  // namespace

std::string text_of(const Heatmaps& heatmaps, const TextOptions& options) {
  check_figure(heatmaps);
  const Colours colours = options.colours;
  const std::int64_t rows = heatmaps.matrices.size(0);
  const std::int64_t columns = heatmaps.matrices.size(1);
  const ColourScale scale(heatmaps.matrices);
  const Layout layout = layout_of(heatmaps, options);
  const std::vector<double> elements =
      heatmaps.matrices.to(float64).contiguous().to_vector<double>();

  std::string out;
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t column = 0; column < columns; column += layout.together)
      append_panels(out, heatmaps, layout, row * columns + column,
                    row * columns + std::min(column + layout.together, columns),
                    elements.data(), scale, colours);
  append_labels(out, heatmaps.ylabel, heatmaps.xlabel,
                std::max<std::int64_t>(options.width, narrowest));
  append_scale(out, scale, colours);
  return out;
}

}  // namespace heed::viz

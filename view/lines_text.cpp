// Line charts as text.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "view/figure_text.h"
#include "view/text.h"

namespace heed::viz {
namespace {

// A curve's mark where there are no colours.
constexpr std::string_view marks = "*+ox#@";

char mark_of(std::size_t curve) { return marks[curve % marks.size()]; }

// The place between the axes. A cell is a character of two by four dots.
class Canvas {
 public:
  Canvas(int width, int height)
      : width_(width),
        height_(height),
        cells_(static_cast<std::size_t>(width * height)) {}

  // The dots of a place from 0 to 1 across and upwards.
  struct Dot {
    int column, row;
  };
  Dot dot(double across, double upwards) const {
    return {static_cast<int>(std::lround(across * (2 * width_ - 1))),
            static_cast<int>(std::lround((1 - upwards) * (4 * height_ - 1)))};
  }

  void draw_dot(Dot dot, std::size_t curve);
  void draw_line(Dot from, Dot to, std::size_t curve);  // except `from`
  // A line of characters.
  std::string row(int row, Colours colours) const;

 private:
  struct Cell {
    unsigned dots = 0;  // as bits of a braille character
    std::size_t curve = 0;
  };

  int width_, height_;  // in cells
  std::vector<Cell> cells_;
};

void Canvas::draw_dot(Dot dot, std::size_t curve) {
  // Unicode numbers the dots of a braille character down the left column, then the right
  // one; the lowest row was added later. (The Unicode Standard, block Braille Patterns)
  constexpr unsigned bits[4][2] = {
      {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
  Cell& cell = cells_[static_cast<std::size_t>(dot.row / 4 * width_ + dot.column / 2)];
  cell.dots |= bits[dot.row % 4][dot.column % 2];
  cell.curve = curve;
}

void Canvas::draw_line(Dot from, Dot to, std::size_t curve) {
  const int across = to.column - from.column, down = to.row - from.row;
  const int steps = std::max({std::abs(across), std::abs(down), 1});
  for (int i = 1; i <= steps; ++i)
    draw_dot({from.column + static_cast<int>(std::lround(1.0 * across * i / steps)),
              from.row + static_cast<int>(std::lround(1.0 * down * i / steps))},
             curve);
}

// The character of a cell in UTF-8: U+2800 and the dots.
std::string braille(unsigned dots) {
  return {'\xe2', static_cast<char>(0xa0 | dots >> 6),
          static_cast<char>(0x80 | (dots & 63))};
}

std::string Canvas::row(int row, Colours colours) const {
  std::string out;
  std::size_t blanks = 0;             // after that
  std::optional<std::size_t> colour;  // of the text so far
  for (int column = 0; column < width_; ++column) {
    const Cell& cell = cells_[static_cast<std::size_t>(row * width_ + column)];
    if (cell.dots == 0) {
      ++blanks;
      continue;
    }
    out += std::string(std::exchange(blanks, 0), ' ');
    if (colours == Colours::none) {
      out += mark_of(cell.curve);
      continue;
    }
    if (colour != cell.curve) out += curve_code(cell.curve, colours);
    colour = cell.curve;
    out += braille(cell.dots);
  }
  if (colour) out += end_code(colours);
  return out + std::string(blanks, ' ');
}

void draw(Canvas& canvas, const Lines& lines, const Axes& axes) {
  for (std::size_t i = 0; i < lines.curves.size(); ++i) {
    const Curve& curve = lines.curves[i];
    const Axis& y_axis = axes.y_of(curve);
    const bool joined = is_line(curve.style);
    Canvas::Dot last{};
    bool has_last = false;
    for (std::size_t k = 0; k < curve.y.size(); ++k) {
      if (!axes.x.draws(curve.x[k]) || !y_axis.draws(curve.y[k])) {
        has_last = false;
        continue;
      }
      const Canvas::Dot dot =
          canvas.dot(axes.x.place(curve.x[k]), y_axis.place(curve.y[k]));
      canvas.draw_dot(dot, i);
      if (has_last && joined) canvas.draw_line(last, dot, i);
      last = dot;
      has_last = true;
    }
  }
}

// The names of a y axis, one for each line of the chart; empty where there is no tick.
std::vector<std::string> names_of(const Axis& axis, const Canvas& canvas, int height) {
  std::vector<std::string> names(static_cast<std::size_t>(height));
  for (const Tick& tick : axis.ticks(std::max(2.0, height / 2.5)))
    names[static_cast<std::size_t>(canvas.dot(0, tick.place).row / 4)] = tick.name;
  return names;
}

std::int64_t longest(const std::vector<std::string>& names) {
  std::int64_t width = 0;
  for (const std::string& name : names) width = std::max(width, text_width(name));
  return width;
}

// The line below the chart and the numbers below that; `left` columns are before them.
void append_x_axis(std::string& out, const Lines& lines, const Axis& axis, int left,
                   int width, bool has_y2) {
  const auto at = [](int columns) {
    return std::string(static_cast<std::size_t>(columns), ' ');
  };
  std::vector<bool> ticks(static_cast<std::size_t>(width));
  std::string names = at(left + 1);
  const bool whole = lines.whole_x && axis.scale() == Scale::linear;
  for (const Tick& tick : axis.ticks(std::max(2.0, width / 10.0), whole)) {
    const int column = static_cast<int>(std::lround(tick.place * (2 * width - 1))) / 2;
    ticks[static_cast<std::size_t>(column)] = true;
    const int size = static_cast<int>(tick.name.size());
    // In the middle below its tick, but within the width of the chart, and not where the
    // one before it stands.
    const int begin =
        left + 1 + std::clamp(column - size / 2, 0, std::max(width - size, 0));
    const int gap = begin - static_cast<int>(names.size());
    if (size > width || gap < (names.size() > static_cast<std::size_t>(left + 1) ? 1 : 0))
      continue;
    names += at(gap) + tick.name;
  }
  out += at(left) + "\u2514";
  for (const bool tick : ticks) out += tick ? "\u252c" : "\u2500";
  out += has_y2 ? "\u2518\n" : "\n";
  if (names.size() > static_cast<std::size_t>(left + 1)) end_line(out += names);
  if (!lines.xlabel.empty()) {
    const std::string label = shortened(lines.xlabel, width);
    const auto before = static_cast<int>((width - text_width(label)) / 2);
    end_line(out += at(left + 1 + before) + label);
  }
}

// "-- training  -- validation", in as many lines as it takes.
void append_legend(std::string& out, const Lines& lines, const TextOptions& options) {
  std::int64_t column = 0;
  for (std::size_t i = 0; i < lines.curves.size(); ++i) {
    if (lines.curves[i].title.empty()) continue;
    const std::string title =
        shortened(legend_of(lines.curves[i]), std::max(options.width - 3, 1));
    const std::int64_t width = 3 + text_width(title);
    if (column > 0 && column + 2 + width > options.width) {
      out += '\n';
      column = 0;
    }
    if (column > 0) out += "  ";
    column += width + (column > 0 ? 2 : 0);
    const std::string sample =
        is_line(lines.curves[i].style) ? "\u2812\u2812" : "\u2802\u2802";
    out += options.colours == Colours::none ? std::string(2, mark_of(i))
                                            : curve_code(i, options.colours) + sample +
                                                  std::string(end_code(options.colours));
    out += " " + title;
  }
  if (column > 0) out += '\n';
}

}  // namespace

std::string text_of(const Lines& given_lines, const TextOptions& given) {
  check_figure(given_lines);
  Lines lines = given_lines;
  for (Curve& curve : lines.curves)
    if (curve.smoothing > 0) curve.y = smoothed(curve.y, curve.smoothing);
  TextOptions options = given;
  options.width = std::max(options.width, 20);
  const int height = std::max(options.height, 2);
  const Axes axes(lines);
  const Canvas empty(1, height);
  const std::vector<std::string> left = names_of(axes.y, empty, height);
  const std::vector<std::string> right =
      axes.has_y2 ? names_of(axes.y2, empty, height) : std::vector<std::string>();
  const auto left_width = static_cast<int>(longest(left));
  const auto right_width = static_cast<int>(longest(right));
  const int width =
      std::max(options.width - left_width - 1 - (axes.has_y2 ? right_width + 1 : 0), 2);
  Canvas canvas(width, height);
  draw(canvas, lines, axes);

  std::string out;
  if (!lines.title.empty()) out += shortened(lines.title, options.width) + "\n";
  // The labels of the y axes stand above them.
  if (!lines.ylabel.empty() || !lines.y2label.empty()) {
    const std::string y2label = shortened(lines.y2label, options.width / 2);
    end_line(out +=
             left_aligned(lines.ylabel, options.width - text_width(y2label)) + y2label);
  }
  for (int row = 0; row < height; ++row) {
    const auto i = static_cast<std::size_t>(row);
    out += right_aligned(left[i], left_width) + (left[i].empty() ? "\u2502" : "\u2524") +
           canvas.row(row, options.colours);
    if (axes.has_y2) out += (right[i].empty() ? "\u2502" : "\u251c") + right[i];
    end_line(out);
  }
  append_x_axis(out, lines, axes.x, left_width, width, axes.has_y2);
  append_legend(out, lines, options);
  return out;
}

}  // namespace heed::viz

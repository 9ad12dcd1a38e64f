// Line charts for gnuplot.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "view/axis.h"
#include "view/figures.h"
#include "view/gnuplot.h"
#include "view/text.h"

namespace heed::viz {
namespace {

// How gnuplot draws a curve of this colour; some styles have their own.
std::string drawn(Style style, std::uint32_t colour) {
  switch (style) {
    case Style::line: return fmt::format("lines lw 2 lc rgb {}", colour);
    case Style::thick_line: return fmt::format("lines lw 3.5 lc rgb {}", colour);
    case Style::dashed_line: return "lines lw 2 dt (12,6) lc rgb '#222222'";
    case Style::line_with_points:
      return fmt::format("linespoints lw 2.5 pt 7 ps 0.6 lc rgb {}", colour);
    case Style::points: return "points pt 7 ps 0.55 lc rgb '#888888'";
    case Style::circles: break;
  }
  return fmt::format("points pt 6 ps 1.6 lw 2 lc rgb {}", colour);
}

// The points as a block of data of that name. What has no place is NaN there, at which
// gnuplot interrupts a line. Returns whether any point has a place.
bool append_data(std::string& commands, std::string_view name,
                 const std::vector<double>& x, const std::vector<double>& y,
                 const Axis& x_axis, const Axis& y_axis) {
  const auto out = std::back_inserter(commands);
  bool has_points = false;
  fmt::format_to(out, "{} << end_of_data\n", name);
  for (std::size_t k = 0; k < x.size(); ++k) {
    const bool is_drawn = x_axis.draws(x[k]) && y_axis.draws(y[k]);
    has_points |= is_drawn;
    if (is_drawn)
      fmt::format_to(out, "{:.9g} {:.9g}\n", x[k], y[k]);
    else
      commands += "NaN NaN\n";
  }
  commands += "end_of_data\n";
  return has_points;
}

// "x", "y" or "y2", with its range and its label.
void append_axis(std::string& commands, std::string_view name, const Axis& axis,
                 double margin, const std::string& label) {
  const auto out = std::back_inserter(commands);
  const int longest = name == "x" ? 90 : 60;  // what fits beside the axis
  fmt::format_to(out, "set {}label {}\nset {}range [{}:{}]\n", name,
                 as_string(shortened(label, longest)), name, axis.low(margin),
                 axis.high(margin));
  if (axis.scale() == Scale::linear) return;
  // gnuplot names powers of ten only, however few of them there are.
  std::string ticks;
  for (const Tick& tick : axis.ticks(8))
    ticks += fmt::format("{}{} {}", ticks.empty() ? "" : ", ", as_string(tick.name),
                         axis.at(tick.place));
  fmt::format_to(out, "set logscale {0} 10\nset {0}tics ({1})\n", name, ticks);
}

}  // namespace

Drawing drawing_of(const Lines& lines) {
  check_figure(lines);
  const Axes axes(lines);
  Drawing drawing{.width = 700, .height = 500, .commands = std::string(common_settings)};
  std::string& commands = drawing.commands;
  const auto out = std::back_inserter(commands);
  fmt::format_to(out,
                 "set title {}\n"
                 "set key below center samplen 3 height 0.8 reverse Left\n"
                 "set grid lc rgb '#dddddd' lw 1 dt 1\n"
                 "set format '%h'\n",  // the default has a blank in front
                 as_string(shortened(lines.title, 90)));
  append_axis(commands, "x", axes.x, 0.03, lines.xlabel);
  append_axis(commands, "y", axes.y, 0.06, lines.ylabel);
  if (axes.has_y2) {
    append_axis(commands, "y2", axes.y2, 0.06, lines.y2label);
    commands += "set y2tics\n";
  }
  if (lines.whole_x && lines.xscale == Scale::linear)
    fmt::format_to(out, "set xtics {}\n",
                   std::max(1.0, tick_step(axes.x.high() - axes.x.low(), 6)));
  std::string plots;
  int blocks = 0;
  const auto add = [&](const Curve& curve, const std::vector<double>& y,
                       const std::string& style, const std::string& title) {
    const std::string name = fmt::format("$curve{}", blocks++);
    const bool has_points =
        append_data(commands, name, curve.x, y, axes.x, axes.y_of(curve));
    // gnuplot warns of data without a point, but not of a function without a value.
    plots += fmt::format("{}{} {} with {} {}", plots.empty() ? "plot " : ", ",
                         has_points ? name : "NaN",
                         has_points && curve.y2 ? "axes x1y2" : "", style, title);
  };
  for (std::size_t i = 0; i < lines.curves.size(); ++i) {
    const Curve& curve = lines.curves[i];
    const std::uint32_t colour = curve_colour(i);
    const std::string title = "title " + as_string(legend_of(curve));
    if (curve.smoothing > 0) {
      constexpr std::uint32_t pale = 0xb0000000;  // mostly transparent
      add(curve, curve.y, fmt::format("lines lw 1 lc rgb {}", pale | colour), "notitle");
      add(curve, smoothed(curve.y, curve.smoothing), drawn(curve.style, colour), title);
    } else {
      add(curve, curve.y, drawn(curve.style, colour), title);
    }
  }
  commands += plots + "\n";
  return drawing;
}

}  // namespace heed::viz

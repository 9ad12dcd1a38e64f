#include "examples/support/figures.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <limits>
#include <string_view>
#include <system_error>

#include <unistd.h>

#include <fmt/format.h>

#include "examples/support/gnuplot.h"
#include "examples/support/input_error.h"
#include "tensor/core/text.h"

namespace heed::support {
namespace {

// Colours that colour-blind eyes can tell apart as well (Okabe and Ito, 2008).
constexpr std::string_view curve_colours[] = {"#0072b2", "#d55e00", "#009e73",
                                              "#e69f00", "#56b4e9", "#cc79a7"};

std::string drawn(Style style, std::string_view colour) {
  switch (style) {
    case Style::line: return fmt::format("lines lw 2 lc rgb '{}'", colour);
    case Style::thick_line: return fmt::format("lines lw 3.5 lc rgb '{}'", colour);
    case Style::dashed_line: return "lines lw 2 dt (12,6) lc rgb '#222222'";
    case Style::line_with_points:
      return fmt::format("linespoints lw 2.5 pt 7 ps 0.6 lc rgb '{}'", colour);
    case Style::points: return "points pt 7 ps 0.55 lc rgb '#888888'";
    case Style::circles: break;
  }
  return fmt::format("points pt 6 ps 1.6 lw 2 lc rgb '{}'", colour);
}

// Where the finite numbers lie.
struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -low;

  void include(double number) {
    if (!std::isfinite(number)) return;
    low = std::min(low, number);
    high = std::max(high, number);
  }
  // As gnuplot writes it, with a margin of `share` of its width on both sides.
  std::string padded(double share) const {
    if (!(low <= high)) return "[0:1]";
    const double margin = low < high ? share * (high - low) : 1;
    return fmt::format("[{}:{}]", low - margin, high + margin);
  }
};

Drawing drawing_of(const Chart& chart) {
  Drawing drawing{.width = 700, .height = 500, .commands = std::string(common_settings)};
  auto out = std::back_inserter(drawing.commands);
  fmt::format_to(out, "set title {}\nset xlabel {}\nset ylabel {}\n",
                 as_string(chart.title), as_string(chart.xlabel),
                 as_string(chart.ylabel));
  fmt::format_to(out,
                 "set key below center samplen 3 height 0.8 reverse Left\n"
                 "set grid lc rgb '#dddddd' lw 1 dt 1\n");
  check(!chart.curves.empty(), "figure: a chart needs a curve");
  std::string plots;
  Range x_range, y_range;
  for (std::size_t i = 0; i < chart.curves.size(); ++i) {
    const Curve& curve = chart.curves[i];
    check(curve.x.size() == curve.y.size(),
          "figure: a curve needs as many x as y, got {} and {}", curve.x.size(),
          curve.y.size());
    fmt::format_to(out, "$curve{} << end_of_data\n", i);
    for (std::size_t k = 0; k < curve.x.size(); ++k) {
      fmt::format_to(out, "{:.9g} {:.9g}\n", curve.x[k], curve.y[k]);
      x_range.include(curve.x[k]);
      y_range.include(curve.y[k]);
    }
    fmt::format_to(out, "end_of_data\n");
    plots += fmt::format("{}$curve{} with {} title {}", i == 0 ? "plot " : ", ", i,
                         drawn(curve.style, curve_colours[i % std::size(curve_colours)]),
                         as_string(curve.title));
  }
  fmt::format_to(out, "set xrange {}\nset yrange {}\n", x_range.padded(0.03),
                 y_range.padded(0.06));
  if (chart.whole_x)
    fmt::format_to(out, "set xtics {}\n",
                   std::max(1.0, tick_step(x_range.high - x_range.low, 6)));
  drawing.commands += plots + "\n";
  return drawing;
}

}  // namespace

bool save_figure(const std::string& path, const Chart& chart) {
  return draw(path, drawing_of(chart));
}

void make_folder(const std::string& path) {
  if (path.empty()) input_error("the name of the folder is empty");
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (!error && !std::filesystem::is_directory(path, error) && !error)
    error = std::make_error_code(std::errc::not_a_directory);
  if (!error && access(path.c_str(), W_OK) != 0)
    error = std::error_code(errno, std::generic_category());
  if (error) input_error("{}: the folder cannot be written: {}", path, error.message());
}

void make_folder(const FigureOptions& options) {
  if (options.folder) make_folder(*options.folder);
}

void save_figures(const FigureOptions& options, const std::vector<NamedFigure>& figures) {
  if (!options.folder) return;
  std::string paths;
  for (const NamedFigure& named : figures) {
    const std::string path =
        fmt::format("{}/{}.{}", *options.folder, named.name, options.format);
    const bool saved = std::visit(
        [&path](const auto& figure) { return save_figure(path, figure); }, named.figure);
    if (!saved) {
      fmt::print("\ngnuplot is not installed: no figures are drawn\n");
      return;
    }
    paths += " " + printable(path);
  }
  fmt::print("\nfigures:{}\n", paths);
}

}  // namespace heed::support

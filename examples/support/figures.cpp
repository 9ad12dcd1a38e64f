#include "examples/support/figures.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <limits>
#include <string_view>
#include <system_error>

#include <unistd.h>

#include <fmt/format.h>

#include "examples/support/gnuplot.h"
#include "examples/support/input_error.h"

namespace heed::support {
namespace {

// `text` as a string of gnuplot's, on one line.
std::string as_string(std::string_view text) {
  std::string out = "'";
  for (char c : text) {
    const bool control = static_cast<unsigned char>(c) < ' ';
    out += control ? ' ' : c;
    if (c == '\'') out += c;
  }
  return out + "'";
}

// The distance of ticks that puts at most about six along `extent` whole numbers.
std::int64_t tick_step(double extent) {
  std::int64_t power = 1;
  while (true) {
    for (std::int64_t step : {power, 2 * power, 5 * power})
      if (extent <= 6.0 * static_cast<double>(step)) return step;
    power *= 10;
  }
}

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

constexpr std::string_view common_settings =
    "set encoding utf8\n"
    "set tics out nomirror\n"
    "set border lw 1\n";

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
    fmt::format_to(out, "set xtics {}\n", tick_step(x_range.high - x_range.low));
  drawing.commands += plots + "\n";
  return drawing;
}

// A panel's place in the picture, in pixels from its lower left corner.
struct Box {
  double left, bottom, width, height;
};

Drawing drawing_of(const Heatmaps& heatmaps) {
  check_heatmaps(heatmaps);
  const std::int64_t rows = heatmaps.matrices.size(0);
  const std::int64_t columns = heatmaps.matrices.size(1);
  const std::int64_t m = heatmaps.matrices.size(2), n = heatmaps.matrices.size(3);

  // Square cells, unless the matrix is so long that a panel would become a thread.
  constexpr double left = 75, right = 95, top = 45, bottom = 72, gap = 35;
  const double side = std::clamp(1000 / static_cast<double>(columns), 140.0, 300.0);
  const double ratio =
      std::clamp(static_cast<double>(n) / static_cast<double>(m), 0.3, 3.0);
  const double width = ratio < 1 ? side * ratio : side;
  const double height = ratio < 1 ? side : side / ratio;
  const double full_width =
      left + right + static_cast<double>(columns) * (width + gap) - gap;
  const double full_height = bottom + static_cast<double>(rows) * (height + top);
  Drawing drawing{.width = static_cast<int>(full_width),
                  .height = static_cast<int>(full_height),
                  .commands = std::string(common_settings)};
  auto out = std::back_inserter(drawing.commands);

  const auto [low, high] = colour_range(heatmaps);
  fmt::format_to(out, "set palette defined (");
  for (std::size_t i = 0; i < std::size(colour_stops); ++i)
    fmt::format_to(out, "{}{} {} {} {}", i == 0 ? "" : ", ", i * i, colour_stops[i][0],
                   colour_stops[i][1], colour_stops[i][2]);
  fmt::format_to(out,
                 ")\n"
                 "set cbrange [{}:{}]\n"
                 "set xrange [-0.5:{}]\n"
                 "set yrange [{}:-0.5]\n"
                 "set xtics {}\n"
                 "set ytics {}\n"
                 "unset key\n"
                 "set multiplot\n",
                 low, high, static_cast<double>(n) - 0.5, static_cast<double>(m) - 0.5,
                 tick_step(static_cast<double>(n)), tick_step(static_cast<double>(m)));

  // gnuplot draws no image of a single row or column, but one of two halves.
  const std::int64_t high_cells = m == 1 ? 2 : 1, wide_cells = n == 1 ? 2 : 1;
  const std::vector<double> elements =
      heatmaps.matrices.to(float64).contiguous().to_vector<double>();
  for (std::int64_t panel = 0; panel < rows * columns; ++panel) {
    const std::int64_t row = panel / columns, column = panel % columns;
    const bool is_last = panel + 1 == rows * columns;
    const Box box{left + static_cast<double>(column) * (width + gap),
                  bottom + static_cast<double>(rows - 1 - row) * (height + top), width,
                  height};
    fmt::format_to(out,
                   "set lmargin at screen {:.5f}\nset rmargin at screen {:.5f}\n"
                   "set bmargin at screen {:.5f}\nset tmargin at screen {:.5f}\n",
                   box.left / full_width, (box.left + box.width) / full_width,
                   box.bottom / full_height, (box.bottom + box.height) / full_height);
    const auto index = static_cast<std::size_t>(panel);
    fmt::format_to(out,
                   "set title {} offset 0,-0.4\nset xlabel {} offset 0,0.2\n"
                   "set ylabel {}\n",
                   as_string(index < heatmaps.titles.size() ? heatmaps.titles[index]
                                                            : ""),
                   as_string(row + 1 == rows ? heatmaps.xlabel : ""),
                   as_string(column == 0 ? heatmaps.ylabel : ""));
    fmt::format_to(out, "set format x '{}'\nset format y '{}'\n",
                   row + 1 == rows ? "%g" : "", column == 0 ? "%g" : "");
    if (is_last)
      fmt::format_to(out, "set colorbox user origin {:.5f},{:.5f} size {:.5f},{:.5f}\n",
                     (full_width - right + 20) / full_width,
                     (bottom + 0.1 * (full_height - bottom - top)) / full_height,
                     15 / full_width, 0.8 * (full_height - bottom - top) / full_height);
    else
      fmt::format_to(out, "unset colorbox\n");
    fmt::format_to(out, "$panel{} << end_of_data\n", panel);
    const double* const elements_here = elements.data() + panel * m * n;
    for (std::int64_t i = 0; i < m * high_cells; ++i) {
      for (std::int64_t j = 0; j < n * wide_cells; ++j)
        fmt::format_to(out, "{:.5g} ",
                       elements_here[i / high_cells * n + j / wide_cells]);
      drawing.commands += '\n';
    }
    fmt::format_to(out,
                   "end_of_data\n"
                   "plot $panel{} matrix using (($1+0.5)/{}-0.5):(($2+0.5)/{}-0.5):3 "
                   "with image\n",
                   panel, wide_cells, high_cells);
  }
  fmt::format_to(out, "unset multiplot\n");
  return drawing;
}

}  // namespace

bool save_figure(const std::string& path, const Chart& chart) {
  return draw(path, drawing_of(chart));
}

bool save_figure(const std::string& path, const Heatmaps& heatmaps) {
  return draw(path, drawing_of(heatmaps));
}

void make_folder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (!error && !std::filesystem::is_directory(path, error) && !error)
    error = std::make_error_code(std::errc::not_a_directory);
  if (!error && access(path.c_str(), W_OK) != 0)
    error = std::error_code(errno, std::generic_category());
  if (error) input_error("{}: the folder cannot be written: {}", path, error.message());
}

void check_heatmaps(const Heatmaps& heatmaps) {
  check(heatmaps.matrices.dim() == 4 && heatmaps.matrices.numel() > 0,
        "figure: heat maps need the shape (rows, columns, m, n) and no 0 in it, got {}",
        heatmaps.matrices.shape());
}

ColourRange colour_range(const Heatmaps& heatmaps) {
  double low = 0, high = -std::numeric_limits<double>::infinity();
  for (double element :
       heatmaps.matrices.to(float64).contiguous().to_vector<double>()) {
    if (!std::isfinite(element)) continue;
    low = std::min(low, element);
    high = std::max(high, element);
  }
  if (high <= low) high = low + 1;
  return {low, high};
}

}  // namespace heed::support

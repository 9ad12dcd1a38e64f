// Figures: heat maps, line charts and bars. They are drawn by gnuplot into SVG or PNG
// files, and as text in the terminal (terminal.h).
//
//   viz::Lines chart{.title = "training", .xlabel = "step", .ylabel = "loss"};
//   chart.curves.push_back({"seed 0", steps, losses});
//   viz::save_figure("loss.svg", chart);
//   viz::show(chart);
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tensor/core/tensor.h"

namespace heed::viz {

// A grid of matrices in colour, with shared axes and one colour scale for all. Row 0 of a
// matrix is at the top. NaN and infinities have colours of their own, which the scale
// names. A single row of more than seven panels, as of many heads, is folded into rows of
// equal length, or nearly so.
struct Heatmaps {
  Tensor matrices;                       // (rows, columns, m, n): rows x columns panels
  std::string xlabel = {}, ylabel = {};  // what the n and the m count
  std::vector<std::string> titles = {};  // one a panel, row by row; may be fewer
  // The names of the n and of the m, such as the words of a sentence; numbers if empty.
  std::vector<std::string> xticks = {}, yticks = {};
};

enum class Style { line, thick_line, dashed_line, line_with_points, points, circles };
enum class Scale { linear, log };

// One entry of a chart's legend: y over x, of equal length. A y that is NaN or infinite,
// or not positive on a logarithmic scale, leaves a gap.
struct Curve {
  std::string title;
  std::vector<double> x = {}, y = {};
  Style style = Style::line;
  bool y2 = false;  // belongs to the second y axis, at the right
  // From 0, none, to below 1: the curve is drawn as smoothed() makes it, in a picture
  // above a pale line of what it was.
  double smoothing = 0;
};

// A line chart.
struct Lines {
  std::string title = {}, xlabel = {}, ylabel = {};
  std::vector<Curve> curves = {};
  bool whole_x = false;  // x counts something: no ticks between whole numbers
  std::string y2label = {};
  Scale xscale = Scale::linear, yscale = Scale::linear, y2scale = Scale::linear;
};

// Bars in groups: the numbers of each series stand side by side, one for each name.
struct Bars {
  struct Series {
    std::string title;  // in the legend
    std::vector<double> numbers;
  };
  std::string title = {}, xlabel = {}, ylabel = {};  // the x axis has the names
  std::vector<std::string> names = {};               // of the groups
  std::vector<Series> series = {};
};

using Figure = std::variant<Heatmaps, Lines, Bars>;

// The picture that gnuplot draws, as the bytes of an "svg" or "png" file; none when
// gnuplot is not installed. Throws Error for another format, an ill-formed figure, such
// as a chart without a curve, and when gnuplot fails.
std::optional<std::string> picture(const Figure& figure, std::string_view format);

// Draws into the file `path`, which must end in .svg or .png; the folder must be there.
// Returns false, and writes nothing, when gnuplot is not installed. Throws Error as
// picture() does, for another ending and for a file that cannot be written; then the file
// is as it was before.
bool save_figure(const std::string& path, const Figure& figure);

// The exponential moving average that TensorBoard shows: m_i = w m_{i-1} + (1 - w) y_i,
// divided by 1 - w^i, so that the beginning is not pulled towards 0. (Kingma and Ba,
// Adam, 2015, section 3, explain the divisor.) NaN and infinities stay where they are and
// are passed over. Throws Error unless the weight w is from 0 to below 1.
std::vector<double> smoothed(std::span<const double> y, double weight);

// Throws Error when the figure is ill-formed, as picture() does.
void check_figure(const Heatmaps& heatmaps);
void check_figure(const Lines& lines);
void check_figure(const Bars& bars);

}  // namespace heed::viz

// Figures, drawn by gnuplot into SVG or PNG files.
#pragma once

#include <string>
#include <vector>

#include "tensor/tensor.h"

namespace heed::support {

enum class Style { line, thick_line, dashed_line, line_with_points, points, circles };

// One entry of a chart's legend: y over x, of equal length. NaN leaves a gap.
struct Curve {
  std::string title;
  std::vector<double> x, y;
  Style style = Style::line;
};

struct Chart {
  std::string title, xlabel, ylabel;
  std::vector<Curve> curves;
  bool whole_x = false;  // x counts something: no ticks between whole numbers
};

// A grid of matrices in colour, with shared axes and one colour bar for all. Row 0 of a
// matrix is at the top.
struct Heatmaps {
  Tensor matrices;                  // (rows, columns, m, n): rows x columns panels
  std::string xlabel, ylabel;       // what the n and the m count
  std::vector<std::string> titles;  // one a panel, row by row; may be fewer
};

// Draws into the file `path`, which must end in .svg or .png; the folder must be there.
// Returns false, and writes nothing, when gnuplot is not installed. Throws InputError for
// another ending or a file that cannot be written, and Error when gnuplot fails or the
// figure is ill-formed; then the file is as it was before.
bool save_figure(const std::string& path, const Chart& chart);
bool save_figure(const std::string& path, const Heatmaps& heatmaps);

// Makes the folder `path`, and those above it, unless it is there. Throws InputError when
// that fails or the folder cannot be written to.
void make_folder(const std::string& path);

// Throws Error unless there is something to draw: a shape of four sizes, none of them 0.
void check_heatmaps(const Heatmaps& heatmaps);

// The smallest and the largest finite element of the matrices, the ends of the colour
// scale: from 0 where nothing is below it, and never of width 0.
struct ColourRange {
  double low = 0, high = 1;
};
ColourRange colour_range(const Heatmaps& heatmaps);

// The colours of the scale, from its low end to its high one, as red, green, blue from 0
// to 1. Colour i of n stands at (i / (n - 1))^2 of the way, for attention weights are
// mostly small: a row of one large weight should not make all others look the same.
inline constexpr double colour_stops[][3] = {
    {1.00, 0.97, 0.95}, {0.99, 0.66, 0.54}, {0.95, 0.36, 0.26},
    {0.74, 0.08, 0.10}, {0.36, 0.00, 0.05},
};

}  // namespace heed::support

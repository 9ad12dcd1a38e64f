// Figures, drawn by gnuplot into SVG or PNG files.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tensor/core/tensor.h"

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

// A grid of matrices in colour, with shared axes and one colour scale (colour_scale.h)
// for all. Row 0 of a matrix is at the top. A single row of more than six panels, as of
// many heads, is folded into rows of equal length, or nearly so.
struct Heatmaps {
  Tensor matrices;                       // (rows, columns, m, n): rows x columns panels
  std::string xlabel, ylabel;            // what the n and the m count
  std::vector<std::string> titles = {};  // one a panel, row by row; may be fewer
  // The names of the n and of the m, such as the words of a sentence; numbers if empty.
  std::vector<std::string> xticks = {}, yticks = {};
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

// What --figures and --figure-format of a program ask for (add_figures in program.h).
struct FigureOptions {
  std::optional<std::string> folder;
  std::string format = "svg";  // or "png"
};

// Makes the folder, if one is asked for. Called before the program's work, so that a
// folder that cannot be written is reported at once.
void make_folder(const FigureOptions& options);

// A figure, and the name of its file without folder and ending.
struct NamedFigure {
  std::string name;
  std::variant<Chart, Heatmaps> figure;
};

// Draws the figures into the folder, if one is asked for, and prints their files, or that
// gnuplot is not installed. Throws as save_figure does.
void save_figures(const FigureOptions& options, const std::vector<NamedFigure>& figures);

// Throws Error unless the shape has four sizes, none of them 0, there are no more titles
// than panels, and names for all of the n and the m or for none.
void check_heatmaps(const Heatmaps& heatmaps);

}  // namespace heed::support

// Heat maps for gnuplot: each panel is a picture whose colours are computed here, in a
// place computed here; gnuplot adds frames and text.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "tensor/core/error.h"
#include "view/axis.h"
#include "view/colour_scale.h"
#include "view/figures.h"
#include "view/gnuplot.h"
#include "view/text.h"

namespace heed::viz {
namespace {

// Lengths are in pixels, from the lower left corner of the picture. The room for text is
// estimated, because only gnuplot knows its font.
constexpr double letter = 8.5, line = 20;

std::int64_t letters(double pixels) { return static_cast<std::int64_t>(pixels / letter); }

// The columns for a row of panels: all of up to seven, or as many as leave the fewest
// gaps.
int fold(int panels) {
  if (panels <= 7) return panels;
  const auto gaps = [panels](int columns) {
    return (panels + columns - 1) / columns * columns - panels;
  };
  const int least = static_cast<int>(std::ceil(std::sqrt(panels)));
  int best = least;
  for (int columns = least; columns <= 8; ++columns)
    if (gaps(columns) < gaps(best)) best = columns;
  return best;
}

double longest_name(const std::vector<Tick>& ticks) {
  std::int64_t longest = 0;
  for (const Tick& tick : ticks) longest = std::max(longest, text_width(tick.name));
  return letter * static_cast<double>(longest);
}

// Ticks as gnuplot takes them; without names where those of the next panel serve.
std::string tick_list(const std::vector<Tick>& ticks, bool with_names) {
  std::string list;
  for (const auto& [place, name] : ticks)
    list += fmt::format("{}{} {}", list.empty() ? "" : ", ",
                        as_tick(with_names ? name : ""), place);
  return list;
}

// Ticks that divide an axis of `cells` into at most `most` parts: whole numbers from 0,
// or the names of every cell, every second one, ...
std::vector<Tick> axis_ticks(int cells, const std::vector<std::string>& names,
                             double most) {
  constexpr std::int64_t longest = 16;
  const double step = std::max(1.0, names.empty() ? tick_step(cells, std::min(most, 6.0))
                                                  : std::ceil(cells / most));
  std::vector<Tick> ticks;
  for (double place = 0; place < cells; place += step)
    ticks.push_back(
        {place, names.empty()
                    ? fmt::format("{}", place)
                    : shortened(names[static_cast<std::size_t>(place)], longest)});
  return ticks;
}

// The ticks of the colour scale, at places from 0 to 1.
std::vector<Tick> scale_ticks(const ColourScale& scale, double most) {
  const double low = scale.low(), width = scale.high() - low;
  const double step = tick_step(width, most);
  std::vector<Tick> ticks;
  for (double i = std::ceil(low / step); i * step <= low + width * (1 + 1e-9); ++i) {
    const double number = i * step + 0.0;  // + 0.0 makes 0 of -0
    ticks.push_back({(number - low) / width, scale.label(number, step)});
  }
  return ticks;
}

// 24 bits, red first.
int pixel(const Colour& colour) {
  int bits = 0;
  for (const double share : colour)
    bits = bits << 8 | static_cast<int>(std::lround(255 * share));
  return bits;
}

// Panels in a grid, and to the right of them the colour bar, with the colours that are
// off the scale below it.
class Panels {
 public:
  explicit Panels(const Heatmaps& heatmaps);
  Drawing drawing();

 private:
  void add_panel(int panel);
  void add_bar();
  // Sets gnuplot's margins so that what follows is drawn in this box.
  void place(double left, double bottom, double width, double height);

  static constexpr double gap = 35, top = 45;  // between panels; above each
  static constexpr double bar_width = 15, square = 13;

  const Heatmaps& heatmaps_;
  const ColourScale scale_;
  const std::vector<double> elements_;
  const int m_, n_;  // of a matrix
  int panels_, columns_, rows_;
  double width_, height_;  // of a panel
  std::vector<Tick> xticks_, yticks_, bar_ticks_;
  bool slanted_;  // the names along x
  double left_, right_, bottom_, full_width_, full_height_;
  double bar_bottom_, bar_height_;
  std::string commands_;
};

Panels::Panels(const Heatmaps& heatmaps)
    : heatmaps_(heatmaps),
      scale_(heatmaps.matrices),
      elements_(heatmaps.matrices.to(float64).contiguous().to_vector<double>()),
      m_(static_cast<int>(heatmaps.matrices.size(2))),
      n_(static_cast<int>(heatmaps.matrices.size(3))) {
  columns_ = static_cast<int>(heatmaps.matrices.size(1));
  panels_ = static_cast<int>(heatmaps.matrices.size(0)) * columns_;
  if (columns_ == panels_) columns_ = fold(panels_);
  rows_ = (panels_ + columns_ - 1) / columns_;

  // Square cells, unless the matrix is so long that a panel would become too thin; large
  // enough for their names.
  const bool named = !heatmaps.xticks.empty() || !heatmaps.yticks.empty();
  const double side = std::max(std::clamp(1000.0 / columns_, 140.0, 300.0),
                               named ? std::min(line * std::max(m_, n_), 900.0) : 0);
  const double ratio = std::clamp(1.0 * n_ / m_, 0.3, 3.0);
  width_ = ratio < 1 ? side * ratio : side;
  height_ = ratio < 1 ? side : side / ratio;

  const double number = letter * static_cast<double>(fmt::formatted_size("{}", n_) + 2);
  xticks_ =
      axis_ticks(n_, heatmaps.xticks, width_ / (heatmaps.xticks.empty() ? number : line));
  yticks_ = axis_ticks(m_, heatmaps.yticks, height_ / line);
  slanted_ =
      longest_name(xticks_) + letter / 2 > width_ / static_cast<double>(xticks_.size());
  left_ = 55 + longest_name(yticks_);
  bottom_ = 52 + (slanted_ ? 0.8 * longest_name(xticks_) : line);
  full_height_ = bottom_ + rows_ * (height_ + top);

  const double room = full_height_ - bottom_ - top, total = std::min(room, 340.0);
  const double off_scale = line * static_cast<double>(scale_.off_scale().size());
  bar_height_ = std::max(total - (off_scale > 0 ? off_scale + line / 2 : 0), 2 * line);
  bar_bottom_ = bottom_ + (room + total) / 2 - bar_height_;
  bar_ticks_ = scale_ticks(scale_, bar_height_ / (1.4 * line));
  right_ = 65 + std::max(longest_name(bar_ticks_), off_scale > 0 ? 4 * letter : 0);
  full_width_ = left_ + columns_ * (width_ + gap) - gap + right_;
}

void Panels::place(double left, double bottom, double width, double height) {
  fmt::format_to(std::back_inserter(commands_),
                 "set lmargin at screen {:.5f}\nset rmargin at screen {:.5f}\n"
                 "set bmargin at screen {:.5f}\nset tmargin at screen {:.5f}\n",
                 left / full_width_, (left + width) / full_width_, bottom / full_height_,
                 (bottom + height) / full_height_);
}

void Panels::add_panel(int panel) {
  const auto out = std::back_inserter(commands_);
  const int row = panel / columns_, column = panel % columns_;
  const double left = left_ + column * (width_ + gap);
  const double bottom = bottom_ + (rows_ - 1 - row) * (height_ + top);
  place(left, bottom, width_, height_);
  // Text may reach over its panel, but not into the next one's. gnuplot would leave out
  // names of axes for which it thinks that there is no room.
  const std::int64_t across = letters(width_ + (columns_ == 1 ? right_ : gap - letter));
  const bool is_lowest = panel + columns_ >= panels_, is_leftmost = column == 0;
  const auto index = static_cast<std::size_t>(panel);
  const auto within = [](std::int64_t longest, const std::string& text) {
    return as_string(shortened(text, longest));
  };
  fmt::format_to(
      out,
      "set title {} offset 0,-0.4\n"
      "set label 1 {} at screen {:.5f},{:.5f} center\n"
      "set label 2 {} at screen {:.5f},{:.5f} center rotate by 90\n"
      "set xtics {} ({})\nset ytics ({})\n",
      within(across, index < heatmaps_.titles.size() ? heatmaps_.titles[index] : ""),
      within(across, is_lowest ? heatmaps_.xlabel : ""),
      (left + width_ / 2) / full_width_, (bottom - bottom_ + line) / full_height_,
      within(letters(height_ + top), is_leftmost ? heatmaps_.ylabel : ""),
      line / full_width_, (bottom + height_ / 2) / full_height_,
      slanted_ ? "rotate by 45 right" : "norotate", tick_list(xticks_, is_lowest),
      tick_list(yticks_, is_leftmost));

  // Several pixels a cell: some viewers blur their borders. And gnuplot draws no image of
  // a single row or column.
  const int pixels = std::clamp(128 / std::max(m_, n_), 1, 8);
  const int high = m_ == 1 ? std::max(pixels, 2) : pixels;
  const int wide = n_ == 1 ? std::max(pixels, 2) : pixels;
  const double* const matrix = elements_.data() + std::ptrdiff_t{panel} * m_ * n_;
  fmt::format_to(out, "$panel{} << end_of_data\n", panel);
  for (int i = 0; i < m_ * high; ++i) {
    for (int j = 0; j < n_ * wide; ++j)
      fmt::format_to(out, "{} ", pixel(scale_(matrix[i / high * n_ + j / wide])));
    commands_ += '\n';
  }
  fmt::format_to(out,
                 "end_of_data\n"
                 "plot $panel{} matrix using (($1+0.5)/{}-0.5):(($2+0.5)/{}-0.5):"
                 "(red($3)):(green($3)):(blue($3)) with rgbimage\n",
                 panel, wide, high);
}

void Panels::add_bar() {
  constexpr int colours = 256;
  const auto out = std::back_inserter(commands_);
  const double left = full_width_ - right_ + 20;
  double bottom = bar_bottom_ - line / 2;
  for (const ColourScale::OffScale& off_scale : scale_.off_scale()) {
    bottom -= line;
    fmt::format_to(
        out,
        "set object rectangle from screen {:.5f},{:.5f} to screen {:.5f},{:.5f}"
        " fillstyle solid border lc 'black' fillcolor rgb {}\n"
        "set label {} at screen {:.5f},{:.5f} left\n",
        left / full_width_, bottom / full_height_, (left + square) / full_width_,
        (bottom + square) / full_height_, pixel(off_scale.colour),
        as_string(off_scale.name), (left + 2 * square) / full_width_,
        (bottom + square / 2) / full_height_);
  }
  place(left, bar_bottom_, bar_width, bar_height_);
  fmt::format_to(out,
                 "set title ''\nunset label 1\nunset label 2\n"
                 "unset xtics\nunset ytics\nset y2tics ({})\n"
                 "set xrange [-0.5:1.5]\nset y2range [0:1]\n$scale << end_of_data\n",
                 tick_list(bar_ticks_, true));
  for (int i = 0; i < colours; ++i) {
    const double share = (i + 0.5) / colours;
    fmt::format_to(out, "{0} {0}\n",
                   pixel(scale_(scale_.low() + share * (scale_.high() - scale_.low()))));
  }
  fmt::format_to(out,
                 "end_of_data\n"
                 "plot $scale matrix using 1:(($2+0.5)/{}):"
                 "(red($3)):(green($3)):(blue($3)) axes x1y2 with rgbimage\n",
                 colours);
}

Drawing Panels::drawing() {
  commands_ = common_settings;
  fmt::format_to(std::back_inserter(commands_),
                 "red(bits) = int(bits) >> 16\n"
                 "green(bits) = (int(bits) >> 8) & 255\n"
                 "blue(bits) = int(bits) & 255\n"
                 "set xrange [-0.5:{}]\nset yrange [{}:-0.5]\nunset key\n"
                 "set multiplot\n",
                 n_ - 0.5, m_ - 0.5);
  for (int panel = 0; panel < panels_; ++panel) add_panel(panel);
  add_bar();
  commands_ += "unset multiplot\n";
  return {static_cast<int>(full_width_), static_cast<int>(full_height_), commands_};
}

}  // namespace

Drawing drawing_of(const Heatmaps& heatmaps) {
  check_figure(heatmaps);
  return Panels(heatmaps).drawing();
}

void check_figure(const Heatmaps& heatmaps) {
  const Tensor& matrices = heatmaps.matrices;
  check(matrices.dim() == 4 && matrices.numel() > 0,
        "figure: heat maps need the shape (rows, columns, m, n) and no 0 in it, got {}",
        matrices.shape());
  check(static_cast<std::int64_t>(heatmaps.titles.size()) <=
            matrices.size(0) * matrices.size(1),
        "figure: at most a title a panel is needed, got {} for the shape {}",
        heatmaps.titles.size(), matrices.shape());
  const auto check_names = [&](const char* axis, const std::vector<std::string>& names,
                               std::int64_t count) {
    check(names.empty() || static_cast<std::int64_t>(names.size()) == count,
          "figure: {} must be {} names or none, got {}", axis, count, names.size());
  };
  check_names("xticks", heatmaps.xticks, matrices.size(3));
  check_names("yticks", heatmaps.yticks, matrices.size(2));
}

}  // namespace heed::viz

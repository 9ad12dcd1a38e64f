// The axis of a chart: the range of its numbers, its ticks, and where a number stands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "view/figures.h"

namespace heed::viz {

// Whether a number has a place on an axis: a finite one, and positive on a logarithmic
// one.
bool is_drawn(double number, Scale scale);

// The least of 1, 2, 5, 10, 20, ... and of 0.5, 0.2, 0.1, ... at which ticks divide
// `extent` into at most `most` parts.
double tick_step(double extent, double most);

// A number in as many digits as tell it from one at the distance `step`, where no number
// is larger than `largest`.
std::string tick_label(double number, double largest, double step);

struct Tick {
  double place;  // along the axis; from 0 to 1 for those of an Axis
  std::string name;
};

class Axis {
 public:
  explicit Axis(Scale scale = Scale::linear) : scale_(scale) {}

  // Makes room for the number, if it has a place. Throws Error when it is too far from
  // the others for a double.
  void include(double number);

  bool has_width() const { return low_ < high_; }
  bool draws(double number) const { return is_drawn(number, scale_); }
  // From 0, at the smallest number, to 1, at the largest one; 0.5 where all are equal.
  double place(double number) const;
  // The numbers of both ends, with a margin of that share of the axis. Where there is
  // none or all are equal, numbers around it. Throws Error when the ends are too far
  // apart for a double.
  double low(double margin = 0) const;
  double high(double margin = 0) const;
  // The number at a place.
  double at(double place) const;
  // Ticks at round numbers, those of a counter at whole ones, which divide the axis into
  // at most `most` parts.
  std::vector<Tick> ticks(double most, bool whole = false) const;

  Scale scale() const { return scale_; }

 private:
  // Along the axis numbers are equally spaced, or their logarithms are.
  double along(double number) const;
  double number_at(double along) const;
  double end(double along) const;  // number_at(), or Error where that is infinite

  Scale scale_;
  double low_ = std::numeric_limits<double>::infinity(), high_ = -low_;  // along
};

// Whether the style joins its points.
bool is_line(Style style);

// The axes of a chart, with room for its curves as they are given.
struct Axes {
  explicit Axes(const Lines& lines);

  const Axis& y_of(const Curve& curve) const { return curve.y2 ? y2 : y; }

  Axis x, y, y2;
  bool has_y2 = false;
};

// The entry in the legend: a curve of the second axis says so.
std::string legend_of(const Curve& curve);

// The colours of curves and bars: red, green and blue in 24 bits. Colour-blind eyes can
// tell them apart as well (Okabe and Ito, 2008).
inline constexpr std::uint32_t curve_colours[] = {0x0072b2, 0xd55e00, 0x009e73,
                                                  0xe69f00, 0x56b4e9, 0xcc79a7};

inline std::uint32_t curve_colour(std::size_t i) {
  return curve_colours[i % std::size(curve_colours)];
}

}  // namespace heed::viz

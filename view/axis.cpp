#include "view/axis.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "tensor/core/error.h"

namespace heed::viz {

bool is_drawn(double number, Scale scale) {
  return std::isfinite(number) && (scale == Scale::linear || number > 0);
}

double tick_step(double extent, double most) {
  const double least = extent / most;
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double digit : {1, 2, 5})
    // A rounding error, as in 0.3 / 3, must not cost a tick.
    if (least <= digit * power * (1 + 1e-9)) return digit * power;
  return 10 * power;
}

std::string tick_label(double number, double largest, double step) {
  const auto power = [](double x) { return static_cast<int>(std::floor(std::log10(x))); };
  int digits = std::clamp(power(largest) - power(step) + 1, 1, 17);
  // 20 and not 2e+01.
  if (1 <= largest && largest < 1e6) digits = std::max(digits, power(largest) + 1);
  return fmt::format("{:.{}g}", number, digits);
}

double Axis::along(double number) const {
  return scale_ == Scale::log ? std::log10(number) : number;
}

double Axis::number_at(double along) const {
  return scale_ == Scale::log ? std::pow(10.0, along) : along;
}

void Axis::include(double number) {
  if (!draws(number)) return;
  low_ = std::min(low_, along(number));
  high_ = std::max(high_, along(number));
  check(std::isfinite(high_ - low_), "figure: the numbers are too far apart, {} and {}",
        low_, high_);
}

double Axis::place(double number) const {
  const double width = high_ - low_;
  return width > 0 ? (along(number) - low_) / width : 0.5;
}

double Axis::low(double margin) const {
  if (low_ > high_) return number_at(0);
  return end(low_ < high_ ? low_ - margin * (high_ - low_) : low_ - 1);
}

double Axis::high(double margin) const {
  if (low_ > high_) return number_at(1);
  return end(low_ < high_ ? high_ + margin * (high_ - low_) : high_ + 1);
}

double Axis::end(double along) const {
  const double number = number_at(along);
  check(std::isfinite(number), "figure: the numbers are too far apart, {} and {}",
        number_at(low_), number_at(high_));
  return number;
}

double Axis::at(double place) const { return number_at(low_ + place * (high_ - low_)); }

std::vector<Tick> Axis::ticks(double most, bool whole) const {
  std::vector<Tick> ticks;
  if (low_ > high_) return ticks;
  if (low_ == high_) return {{0.5, fmt::format("{:.6g}", number_at(low_))}};
  const double width = high_ - low_;
  const double largest = std::max(std::abs(number_at(low_)), std::abs(number_at(high_)));
  const auto add = [&](double number, double step) {
    const double share = place(number);
    if (-1e-9 <= share && share <= 1 + 1e-9)
      ticks.push_back({std::clamp(share, 0.0, 1.0), tick_label(number, largest, step)});
  };
  // Powers of ten, unless there are so few that other round numbers tell more.
  if (scale_ == Scale::log && width >= 2) {
    const double decades = std::ceil(width / most);
    for (double power = std::ceil(low_ / decades - 1e-9) * decades; power <= high_ + 1e-9;
         power += decades) {
      const double number = std::pow(10.0, power);
      ticks.push_back({place(number), fmt::format("{:g}", number)});
    }
    return ticks;
  }
  const double low = number_at(low_), high = number_at(high_);
  double step = tick_step(high - low, most);
  if (whole) step = std::max(step, 1.0);
  for (double i = std::ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; ++i)
    add(i * step + 0.0, step);  // + 0.0 makes 0 of -0
  return ticks;
}

bool is_line(Style style) { return style != Style::points && style != Style::circles; }

Axes::Axes(const Lines& lines) : x(lines.xscale), y(lines.yscale), y2(lines.y2scale) {
  for (const Curve& curve : lines.curves) {
    has_y2 |= curve.y2;
    Axis& y_axis = curve.y2 ? y2 : y;
    for (std::size_t i = 0; i < curve.x.size(); ++i) {
      if (!x.draws(curve.x[i]) || !y_axis.draws(curve.y[i])) continue;
      x.include(curve.x[i]);
      y_axis.include(curve.y[i]);
    }
  }
}

std::string legend_of(const Curve& curve) {
  return curve.y2 ? curve.title + " (right)" : curve.title;
}

}  // namespace heed::viz

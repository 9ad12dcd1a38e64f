#include "view/colour_scale.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>

#include "tensor/core/error.h"
#include "view/axis.h"

namespace heed::viz {
namespace {

// The colours along the scale, at equal distances.
constexpr Colour stops[] = {
    {1.00, 0.97, 0.95}, {0.99, 0.66, 0.54}, {0.95, 0.36, 0.26},
    {0.74, 0.08, 0.10}, {0.36, 0.00, 0.05},
};

// Blues and a grey, which do not occur on the scale.
constexpr ColourScale::OffScale minus_infinity{"-inf", {0.75, 0.85, 0.94}, '-'};
constexpr ColourScale::OffScale infinity{"inf", {0.05, 0.15, 0.40}, '+'};
constexpr ColourScale::OffScale nan{"nan", {0.55, 0.55, 0.55}, '?'};

}  // namespace

ColourScale::ColourScale(const Tensor& numbers) {
  double low = 0, high = -std::numeric_limits<double>::infinity();
  bool has_minus_infinity = false, has_infinity = false, has_nan = false;
  for (const double number : numbers.to(float64).contiguous().to_vector<double>()) {
    if (std::isnan(number)) {
      has_nan = true;
    } else if (std::isinf(number)) {
      (number < 0 ? has_minus_infinity : has_infinity) = true;
    } else {
      low = std::min(low, number);
      high = std::max(high, number);
    }
  }
  // Numbers that are closer than this are shown as equal.
  const double least_width =
      std::max(std::numeric_limits<double>::min(), 1e-12 * std::abs(low));
  low_ = low;
  high_ = high >= low + least_width ? high : low + std::max(1.0, std::abs(low));
  check(std::isfinite(high_ - low_), "figure: the numbers are too far apart, {} and {}",
        low_, high_);
  if (has_minus_infinity) off_scale_.push_back(minus_infinity);
  if (has_infinity) off_scale_.push_back(infinity);
  if (has_nan) off_scale_.push_back(nan);
}

Colour ColourScale::operator()(double number) const {
  if (std::isnan(number)) return nan.colour;
  if (std::isinf(number)) return number < 0 ? minus_infinity.colour : infinity.colour;
  constexpr int last = static_cast<int>(std::size(stops)) - 1;
  const double share_of_width = std::clamp((number - low_) / (high_ - low_), 0.0, 1.0);
  const double position = (low_ < 0 ? share_of_width : std::sqrt(share_of_width)) * last;
  const int stop = std::min(static_cast<int>(position), last - 1);
  const double share = position - stop;
  Colour colour;
  for (std::size_t i = 0; i < colour.size(); ++i)
    colour[i] = (1 - share) * stops[stop][i] + share * stops[stop + 1][i];
  return colour;
}

char ColourScale::sign(double number) const {
  if (std::isnan(number)) return nan.sign;
  if (std::isinf(number)) return number < 0 ? minus_infinity.sign : infinity.sign;
  const double share = (number - low_) / (high_ - low_);
  const int tenth = std::clamp(static_cast<int>(10 * share), 0, 9);
  return tenth == 0 ? '.' : static_cast<char>('0' + tenth);
}

std::string ColourScale::label(double number, double step) const {
  return tick_label(number, std::max(std::abs(low_), std::abs(high_)), step);
}

}  // namespace heed::viz

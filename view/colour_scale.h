// The colours of heat maps, in figures and in the terminal.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/core/tensor.h"

namespace heed::viz {

using Colour = std::array<double, 3>;  // red, green, blue from 0 to 1

// From the smallest finite number to the largest one: from white through red to a dark
// red. It begins at 0 where nothing is below it, and its width is never 0.
class ColourScale {
 public:
  // The scale for these numbers. Throws Error when they are too far apart for a double.
  explicit ColourScale(const Tensor& numbers);

  double low() const { return low_; }
  double high() const { return high_; }

  // Where nothing is below 0, the colour follows the square root: attention weights are
  // mostly small, and one large weight should not make all others look the same.
  Colour operator()(double number) const;

  // A number where there are no colours: the tenth of the scale that it is in, as a
  // digit, but a point for the lowest tenth; or the sign of what is off the scale.
  char sign(double number) const;

  // A number of the scale in as many digits as tell it from one at the distance `step`.
  std::string label(double number, double step) const;

  // What has no place on the scale has a colour of its own: -inf, as in a mask that is
  // added to scores; inf; and nan, the weights of a query that may attend to nothing.
  struct OffScale {
    std::string_view name;
    Colour colour;
    char sign;  // where there are no colours
  };
  // Those that occur among the numbers.
  const std::vector<OffScale>& off_scale() const { return off_scale_; }

 private:
  double low_ = 0, high_ = 1;
  std::vector<OffScale> off_scale_;
};

}  // namespace heed::viz

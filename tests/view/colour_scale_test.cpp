// The colours of heat maps.
#include "view/colour_scale.h"

#include <cmath>
#include <string>

#include <boost/test/unit_test.hpp>

#include "tensor/core/factories.h"
#include "tests/infinity.h"

namespace {

using namespace heed;
using namespace heed::viz;

void check_ends(const Tensor& numbers, double low, double high) {
  const ColourScale scale(numbers);
  BOOST_TEST(scale.low() == low);
  BOOST_TEST(scale.high() == high);
}

double red(const Colour& colour) { return colour[0]; }

BOOST_AUTO_TEST_SUITE(colour_scale)

BOOST_AUTO_TEST_CASE(ends) {
  check_ends(tensor({0.25, 0.5}), 0, 0.5);
  check_ends(tensor({-2.0, 3.0}), -2, 3);
  check_ends(tensor({1, 2}), 0, 2);
  check_ends(tensor({true, false}), 0, 1);
}

BOOST_AUTO_TEST_CASE(it_has_a_width) {
  check_ends(tensor({0.0, 0.0}), 0, 1);
  check_ends(tensor({-5.0, -5.0}), -5, 0);
  check_ends(tensor({5e-324}, float64), 0, 1);
  check_ends(tensor({-1e10, -1e10 + 1e-5}, float64), -1e10, 0);
}

BOOST_AUTO_TEST_CASE(only_finite_numbers_are_on_it) {
  check_ends(tensor({-infinity, 0.5, infinity, std::nan("")}), 0, 0.5);
  check_ends(tensor({-infinity, std::nan("")}), 0, 1);
  const ColourScale scale(tensor({std::nan(""), infinity, 0.0, -infinity}));
  BOOST_TEST_REQUIRE(scale.off_scale().size() == 3u);
  BOOST_TEST(scale.off_scale()[0].name == "-inf");
  BOOST_TEST(scale.off_scale()[1].name == "inf");
  BOOST_TEST(scale.off_scale()[2].name == "nan");
  BOOST_TEST((scale.off_scale()[0].colour == scale(-infinity)));
  BOOST_TEST((scale.off_scale()[1].colour == scale(infinity)));
  BOOST_TEST((scale.off_scale()[2].colour == scale(std::nan(""))));
  BOOST_TEST(ColourScale(tensor({0.0, 1.0})).off_scale().empty());
}

BOOST_AUTO_TEST_CASE(large_numbers_are_darker) {
  const ColourScale weights(tensor({0.0, 1.0})), scores(tensor({-1.0, 1.0}));
  double last = 2;
  for (const double number : {0.0, 0.1, 0.5, 0.7, 1.0}) {
    const Colour colour = weights(number);
    BOOST_TEST(colour[0] + colour[1] + colour[2] < last * 3);
    last = (colour[0] + colour[1] + colour[2]) / 3;
  }
  // The root spreads small weights: 0.25 has the colour of the middle, as 0 has between
  // -1 and 1.
  BOOST_TEST(red(weights(0.25)) == red(scores(0)));
  // What rounding puts outside has the colour of the end.
  BOOST_TEST((weights(1.0001) == weights(1)));
  BOOST_TEST((weights(-0.0001) == weights(0)));
}

BOOST_AUTO_TEST_CASE(labels_tell_neighbours_apart) {
  const ColourScale weights(tensor({0.0, 0.9634})), scores(tensor({-1002.25, -1000.0}));
  BOOST_TEST(weights.label(0.3, 0.1) == "0.3");
  BOOST_TEST(weights.label(0.9634, 0.002) == "0.963");
  BOOST_TEST(scores.label(-1000.5, 0.5) == "-1000.5");
  BOOST_TEST(scores.label(-1001, 1) == "-1001");
  BOOST_TEST(ColourScale(tensor({3e9})).label(1e9, 1e9) == "1e+09");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace

// Line charts: their axes, what gnuplot writes, and the text in the terminal.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "tests/errors.h"
#include "tests/infinity.h"
#include "tests/view/drawn.h"
#include "view/axis.h"
#include "view/figures.h"
#include "view/terminal.h"

namespace {

using namespace heed;
using namespace heed::viz;

std::string ticks_of(Scale scale, const std::vector<double>& numbers, double most,
                     bool whole = false) {
  Axis axis(scale);
  for (const double number : numbers) axis.include(number);
  std::string names;
  for (const Tick& tick : axis.ticks(most, whole))
    names += (names.empty() ? "" : " ") + tick.name;
  return names;
}

BOOST_AUTO_TEST_SUITE(lines)

BOOST_AUTO_TEST_CASE(ticks_are_round) {
  BOOST_TEST(tick_step(6, 6) == 1);
  BOOST_TEST(tick_step(50, 6) == 10);
  BOOST_TEST(tick_step(0.7, 6) == 0.2);
  BOOST_TEST(tick_step(0.3, 3) == 0.1);
  BOOST_TEST(tick_step(1.1e9, 5) == 5e8);
  BOOST_TEST(tick_step(101, 10) == 20);
  BOOST_TEST(ticks_of(Scale::linear, {0.3, 1.1}, 5) == "0.4 0.6 0.8 1");
  BOOST_TEST(ticks_of(Scale::linear, {-3, 3}, 4) == "-2 0 2");
  BOOST_TEST(ticks_of(Scale::linear, {1, 3}, 5, true) == "1 2 3");
  BOOST_TEST(ticks_of(Scale::linear, {7, 7}, 5) == "7");
  BOOST_TEST(ticks_of(Scale::linear, {}, 5) == "");
  BOOST_TEST(ticks_of(Scale::log, {0.0005, 300}, 8) == "0.001 0.01 0.1 1 10 100");
  BOOST_TEST(ticks_of(Scale::log, {0.0005, 300}, 3) == "0.01 1 100");
  BOOST_TEST(ticks_of(Scale::log, {20, 90}, 4) == "20 40 60 80");
  // What has no place on the axis does not widen it.
  BOOST_TEST(ticks_of(Scale::log, {-1, 0, 1, 1000, infinity, std::nan("")}, 8) ==
             "1 10 100 1000");
}

BOOST_AUTO_TEST_CASE(smoothing) {
  const std::vector<double> y{1, 3, std::nan(""), 5};
  const std::vector<double> out = smoothed(y, 0.5);
  BOOST_TEST(out[0] == 1);  // not 0.5: the beginning is not pulled towards 0
  BOOST_TEST(out[1] == (0.25 * 1 + 0.5 * 3) / 0.75);
  BOOST_TEST(std::isnan(out[2]));
  BOOST_TEST(out[3] == (0.125 * 1 + 0.25 * 3 + 0.5 * 5) / 0.875);
  BOOST_TEST((smoothed(std::vector<double>{2, 4}, 0) == std::vector<double>{2, 4}));
  BOOST_TEST(error_of([&] { smoothed(y, 1); }) ==
             "smoothed: the weight must be from 0 to below 1, got 1");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace

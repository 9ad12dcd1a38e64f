// Bars: what gnuplot writes, and the text in the terminal.
#include <string>

#include <boost/test/unit_test.hpp>

#include "tests/errors.h"
#include "tests/view/drawn.h"
#include "view/figures.h"
#include "view/terminal.h"

namespace {

using namespace heed;
using namespace heed::viz;

BOOST_AUTO_TEST_SUITE(bars)

BOOST_AUTO_TEST_CASE(ill_formed_bars) {
  BOOST_TEST(error_of([] { save_figure("never.svg", Bars{}); }) ==
             "figure: bars need a name and a series, got 0 and 0");
  BOOST_TEST(error_of([] {
               save_figure("never.svg", Bars{"", "", "", {"a", "b"}, {{"s", {1}}}});
             }) == "figure: a series needs a number for each of the 2 names, got 1");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace

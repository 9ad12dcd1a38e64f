// Bars: what gnuplot writes, and the text in the terminal.
#include <cmath>
#include <string>

#include <boost/test/unit_test.hpp>

#include "tests/errors.h"
#include "tests/infinity.h"
#include "tests/support/folder.h"
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

BOOST_AUTO_TEST_CASE(groups_as_text) {
  const Bars bars{.title = "a step",
                  .xlabel = "workload",
                  .ylabel = "ms",
                  .names = {"small", "large"},
                  .series = {{"heed", {1.5, 4}}, {"other", {2, 0}}}};
  BOOST_TEST(to_text(bars, Colours::none, 20) ==
             "a step\n"
             "small\n"
             " heed ███▊       1.5\n"
             "other █████      2\n"
             "large\n"
             " heed ██████████ 4\n"
             "other            0\n"
             "down: workload; acr…\n");
}

BOOST_AUTO_TEST_CASE(signs_and_what_has_no_bar) {
  const Bars bars{.names = {"w", "b", "nan", "inf"},
                  .series = {{"", {4, -2.5, std::nan(""), infinity}}}};
  BOOST_TEST(to_text(bars, Colours::none, 24) ==
             "  w       █████████ 4\n"
             "  b ██████          -2.5\n"
             "nan                 nan\n"
             "inf                 inf\n");
  const Bars zeros{.names = {"a", "b"}, .series = {{"", {0, 0}}}};
  BOOST_TEST(to_text(zeros, Colours::none, 20) ==
             "a                  0\nb                  0\n");
}

BOOST_AUTO_TEST_CASE(colours) {
  const Bars bars{.names = {"a"}, .series = {{"x", {1}}, {"y", {1}}}};
  const std::string text = to_text(bars, Colours::any, 20);
  BOOST_TEST(count(text, "\x1b[38;2;0;114;178m") == 1u);
  BOOST_TEST(count(text, "\x1b[38;2;213;94;0m") == 1u);
  BOOST_TEST(count(to_text(bars, Colours::palette, 20), "\x1b[38;5;166m") == 1u);
}

BOOST_AUTO_TEST_CASE(a_picture, *boost::unit_test::precondition(gnuplot_is_there)) {
  const support::TemporaryFolder folder;
  const Bars bars{.title = "a step",
                  .xlabel = "workload",
                  .ylabel = "ms",
                  .names = {"`ls` 100% %f", "a name of more than 24 letters"},
                  .series = {{"heed", {1.5, -4}}, {"other", {std::nan(""), -infinity}}}};
  BOOST_TEST(save_figure(folder / "bars.svg", bars));
  const std::string svg = contents(folder / "bars.svg");
  for (const char* text :
       {">a step<", ">workload<", ">ms<", ">`ls` 100% %f<", ">a name of more than 24 …<",
        ">heed<", ">other<", ">nan<", ">-inf<"})
    BOOST_TEST(count(svg, text) == 1u, text);
  BOOST_TEST(
      save_figure(folder / "zeros.svg", Bars{.names = {"a"}, .series = {{"", {0}}}}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace

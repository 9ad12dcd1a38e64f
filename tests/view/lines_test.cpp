// Line charts: their axes, what gnuplot writes, and the text in the terminal.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "tensor/core/text.h"
#include "tests/errors.h"
#include "tests/infinity.h"
#include "tests/support/folder.h"
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

// The columns of the widest line, without its colours.
int widest_line(const std::string& text) {
  int widest = 0, width = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b') {
      i = text.find('m', i);
    } else if (text[i] == '\n') {
      widest = std::max(widest, std::exchange(width, 0));
    } else {
      width += (text[i] & 0xc0) != 0x80;
    }
  }
  return widest;
}

// As it stands in an SVG.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text)
    out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : std::string(1, c);
  return out;
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

// A number stands at the same share of the axis in every range.
BOOST_AUTO_TEST_CASE(places) {
  Axis axis(Scale::log);
  for (const double number : {1.0, 10000.0}) axis.include(number);
  BOOST_TEST(axis.place(100) == 0.5);
  BOOST_TEST(axis.at(0.25) == 10);
  BOOST_TEST(axis.low(0.25) == 0.1);
  BOOST_TEST(axis.high(0.25) == 100000);
  Axis none, one;
  one.include(3);
  BOOST_TEST(none.low() == 0);
  BOOST_TEST(none.high() == 1);
  BOOST_TEST(one.low() == 2);
  BOOST_TEST(one.high() == 4);
  BOOST_TEST(one.place(3) == 0.5);
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

// --- as text

// Two curves, the second on an axis of its own.
Lines two_axes() {
  Lines chart{.title = "training", .xlabel = "step", .ylabel = "loss"};
  chart.y2label = "accuracy";
  chart.curves = {{"training", {0, 1, 2, 3}, {4, 2, 1, 0}},
                  {.title = "right", .x = {0, 3}, .y = {0, 1}, .y2 = true}};
  return chart;
}

BOOST_AUTO_TEST_CASE(plain_text) {
  BOOST_TEST(to_text(two_axes(), Colours::none, 40, 5) ==
             "training\n"
             "loss                            accuracy\n"
             "4┤****                       +++++++├1\n"
             " │    *****           ++++++++      │\n"
             "2┤        *****++++++++             ├0.5\n"
             " │      ++++++++ ***********        │\n"
             "0┤+++++++                   ********├0\n"
             " └┬──────────┬──────────┬──────────┬┘\n"
             "  0          1          2          3\n"
             "                 step\n"
             "** training  ++ right (right)\n");
}

BOOST_AUTO_TEST_CASE(braille) {
  const Lines diagonal{.curves = {{"", {0, 1}, {0, 1}}}};
  BOOST_TEST(to_text(diagonal, Colours::any, 20, 2) ==
             "  1┤        \x1b[38;2;0;114;178m⣀⣀⠤⠤⠔⠒⠊⠉\x1b[0m\n"
             "0.5┤\x1b[38;2;0;114;178m⣀⡠⠤⠔⠒⠒⠉⠉\x1b[0m\n"
             "   └┬───────┬──────┬\n"
             "    0      0.5     1\n");
}

// Ten thousand points, and titles of any length, stay within the width.
BOOST_AUTO_TEST_CASE(widths) {
  Lines chart = two_axes();
  chart.title = chart.xlabel = chart.ylabel = chart.y2label = chart.curves[0].title =
      std::string(300, 'x');
  for (int i = 0; i < 10'000; ++i) {
    chart.curves[0].x.push_back(i);
    chart.curves[0].y.push_back(1e5 * std::sin(i));
  }
  for (const int width : {20, 21, 40, 80, 200})
    for (const Colours colours : {Colours::none, Colours::palette, Colours::any})
      BOOST_TEST(widest_line(to_text(chart, colours, width)) <= width);
}

BOOST_AUTO_TEST_CASE(gaps) {
  const Lines chart{.curves = {{"", {0, 1, 2, 3, 4}, {1, 1, std::nan(""), 1, 1}}}};
  BOOST_TEST(to_text(chart, Colours::none, 23, 2) ==
             " │\n"
             "1┤******         ******\n"
             " └┬─────────┬─────────┬\n"
             "  0         2         4\n");
}

BOOST_AUTO_TEST_CASE(no_points_and_one) {
  const Lines none{.curves = {{"none", {}, {}}}};
  const Lines only_nan{.curves = {{"none", {1, 2}, {std::nan(""), infinity}}}};
  const std::string text = to_text(none, Colours::none, 20, 2);
  BOOST_TEST(text ==
             "│\n"
             "│\n"
             "└───────────────────\n"
             "** none\n");
  BOOST_TEST(to_text(only_nan, Colours::none, 20, 2) == text);
  const Lines one{.curves = {{"one", {5}, {7}}}};
  BOOST_TEST(to_text(one, Colours::none, 20, 3) ==
             " │\n"
             "7┤         *\n"
             " │\n"
             " └─────────┬────────\n"
             "           5\n"
             "** one\n");
}

// The axis has room for what is drawn: the mean of 0 and 6 ends at 4.
BOOST_AUTO_TEST_CASE(smoothed_text) {
  Lines chart{.curves = {{"", {0, 1}, {0, 6}}}};
  chart.curves[0].smoothing = 0.5;
  BOOST_TEST(to_text(chart, Colours::none, 20, 3) ==
             "4┤            ******\n"
             "2┤      ******\n"
             "0┤******\n"
             " └┬────────┬───────┬\n"
             "  0       0.5      1\n");
}

// --- as pictures

std::string drawn(const Lines& lines) {
  const support::TemporaryFolder folder;
  const std::string path = folder / "lines.svg";
  BOOST_TEST(save_figure(path, lines));
  return contents(path);
}

BOOST_AUTO_TEST_CASE(two_axes_in_a_picture,
                     *boost::unit_test::precondition(gnuplot_is_there)) {
  const std::string svg = drawn(two_axes());
  for (const char* text : {">loss<", ">accuracy<", ">right (right)<"})
    BOOST_TEST(count(svg, text) == 1u, text);
}

BOOST_AUTO_TEST_CASE(logarithmic_axes,
                     *boost::unit_test::precondition(gnuplot_is_there)) {
  Lines chart{.curves = {{"", {1, 10, 1000}, {0.12, -1, 0.5}}}};
  chart.xscale = chart.yscale = Scale::log;
  const std::string svg = drawn(chart);
  for (const char* text : {">1<", ">10<", ">100<", ">1000<", ">0.2<", ">0.4<"})
    BOOST_TEST(count(svg, text) == 1u, text);
}

// The curve as it was stands pale behind the smoothed one.
BOOST_AUTO_TEST_CASE(smoothed_curves, *boost::unit_test::precondition(gnuplot_is_there)) {
  Lines chart = two_axes();
  chart.curves[0].smoothing = 0.9;
  const std::string svg = drawn(chart);
  BOOST_TEST(count(svg, "<path ") == count(drawn(two_axes()), "<path ") + 1);
  BOOST_TEST(count(svg, ">training<") == 2u);  // the title and one entry of the legend
  chart.curves[0].smoothing = 1;
  BOOST_TEST(error_of([&] { drawn(chart); }) ==
             "figure: the smoothing must be from 0 to below 1, got 1");
}

BOOST_AUTO_TEST_CASE(ends_beyond_all_numbers,
                     *boost::unit_test::precondition(gnuplot_is_there)) {
  const Lines chart{.curves = {{"wide", {0, 1}, {0, 1.7e308}}}};
  BOOST_TEST(error_of([&] { drawn(chart); }) ==
             "figure: the numbers are too far apart, 0 and 1.7e+308");
}

BOOST_AUTO_TEST_CASE(odd_curves, *boost::unit_test::precondition(gnuplot_is_there)) {
  for (const Curve& curve : {Curve{"odd", {}, {}}, Curve{"odd", {1}, {2}},
                             Curve{"odd", {1, 2}, {std::nan(""), infinity}},
                             Curve{"odd", {1, infinity, 3}, {-infinity, 2, 1}},
                             Curve{.title = "odd", .x = {}, .y = {}, .y2 = true}}) {
    for (const Scale scale : {Scale::linear, Scale::log}) {
      Lines chart{.curves = {curve}};
      chart.yscale = chart.y2scale = scale;
      BOOST_TEST(count(drawn(chart), ">odd") == 1u);
    }
  }
  Lines many{.curves = {{"many", {}, {}}}};
  for (int i = 0; i < 10'000; ++i) {
    many.curves[0].x.push_back(i);
    many.curves[0].y.push_back(i % 7);
  }
  BOOST_TEST(count(drawn(many), ">many<") == 1u);
}

// Nothing of a text is a command of gnuplot's: neither quotes nor backquotes end it, and
// nothing is run.
BOOST_AUTO_TEST_CASE(texts_are_no_commands,
                     *boost::unit_test::precondition(gnuplot_is_there)) {
  const support::TemporaryFolder folder;
  const std::string trace = folder / "trace";
  for (const std::string& text : std::vector<std::string>{
           "'; system('touch " + trace + "'); '", "\"; system(\"touch " + trace + "\")",
           "`touch " + trace + "`", "$(touch " + trace + ")", "'", "''", "\\", "\\'",
           "a\nset print '" + trace + "'\nprint 1\n", "@trace", "100% %f %s",
           "end_of_data", "\x1b]0;title\a\x1b[2J"}) {
    const Lines chart{.title = text,
                      .xlabel = text,
                      .ylabel = text,
                      .curves = {{text, {1, 2}, {1, 2}}},
                      .y2label = text};
    const std::string svg = drawn(chart);
    BOOST_TEST(count(svg, "\x1b") == 0u);
    BOOST_TEST(count(svg, escaped(printable(text))) >= 4u, printable(text));
    BOOST_TEST(to_text(chart, Colours::none, 80).find('\x1b') == std::string::npos);
  }
  BOOST_TEST(!std::filesystem::exists(trace));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace

// The chart that is drawn while a training runs: in the terminal, in a file, and what
// stands in its way. window_test.cpp has the window.
#include "view/animator.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include <boost/test/unit_test.hpp>

#include "tests/errors.h"
#include "tests/support/environment.h"
#include "tests/support/folder.h"
#include "tests/support/limits.h"
#include "tests/view/drawn.h"
#include "tests/view/pseudo_terminal.h"
#include "view/terminal.h"

namespace {

using namespace heed;
using namespace heed::viz;
using heed::support::Environment;
using heed::support::FileLimit;
using heed::support::TemporaryFolder;

const Lines chart{.title = "a training", .curves = {{"training"}, {"test"}}};

// A terminal without colours, and no display.
const std::map<std::string, std::string> plain{
    {"TERM", "xterm"}, {"NO_COLOR", "1"}, {"DISPLAY", ""}, {"WAYLAND_DISPLAY", ""}};

// The lines as the terminal gets them in place of what was there.
std::string placed(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at) + 1;
    out += "\x1b[2K" + text.substr(at, end - at);
    at = end;
  }
  return out + "\x1b[J";
}

BOOST_AUTO_TEST_SUITE(animator)

BOOST_AUTO_TEST_CASE(it_redraws_in_place,
                     *boost::unit_test::precondition(terminals_are_there)) {
  const Environment environment(plain);
  const PseudoTerminal terminal(STDERR_FILENO);
  double now = 100;
  Animator animator(chart, {.clock = [&now] { return now; }});
  BOOST_TEST(animator.place() == "in the terminal (no window: DISPLAY is not set)");
  animator.add(1, {4, std::nullopt});
  BOOST_TEST(animator.chart().curves[1].x.empty());
  const std::string first = to_text(animator.chart(), Colours::none, 59);
  BOOST_TEST(terminal.sent() == placed(first));
  now += 0.04;
  animator.add(2, {3, 3.5});  // too early to be drawn
  BOOST_TEST(terminal.sent() == "");
  now += 0.02;
  animator.set_status("\rstep 3, \x1b[2Jloss 2   ");
  animator.add(3, {2, 3});
  const std::string second = to_text(animator.chart(), Colours::none, 59);
  const auto up = "\x1b[" + std::to_string(count(first, "\n")) + "A\r";
  BOOST_TEST(terminal.sent() == up + placed(second + "step 3, \\u001b[2Jloss 2\n"));
  animator.clear();
  BOOST_TEST(terminal.sent() ==
             "\x1b[" + std::to_string(count(second, "\n") + 1) + "A\r\x1b[J");
  animator.set_status("\n");  // changes nothing
  animator.finish();
  BOOST_TEST(terminal.sent() == placed(second + "step 3, \\u001b[2Jloss 2\n"));
  animator.finish();
  BOOST_TEST(terminal.sent() == "");
}

// What takes 10 ms to draw is drawn again after half a second.
BOOST_AUTO_TEST_CASE(it_takes_a_fiftieth_of_the_time,
                     *boost::unit_test::precondition(terminals_are_there)) {
  const Environment environment(plain);
  const PseudoTerminal terminal(STDERR_FILENO);
  double now = 0;
  int calls = 0;
  Animator animator(chart, {.screen = Screen::terminal, .clock = [&] {
                              // The second and third call are those around drawing.
                              return now += calls++ % 3 == 2 ? 0.01 : 0;
                            }});
  animator.add(1, {1, 1});
  BOOST_TEST(terminal.sent() != "");
  now += 0.49;
  calls = 3;
  animator.add(2, {1, 1});
  BOOST_TEST(terminal.sent() == "");
  now += 0.02;
  calls = 3;
  animator.add(3, {1, 1});
  BOOST_TEST(terminal.sent() != "");
}

BOOST_AUTO_TEST_CASE(a_terminal_of_20_columns,
                     *boost::unit_test::precondition(terminals_are_there)) {
  const Environment environment(plain);
  const PseudoTerminal terminal(STDERR_FILENO, 21);
  Animator animator(chart);
  animator.add(1, {4, 2});
  BOOST_TEST(terminal.sent() == placed(to_text(animator.chart(), Colours::none, 20)));
}

// In a terminal of few lines the end of the legend is left out, not the progress.
BOOST_AUTO_TEST_CASE(a_low_terminal,
                     *boost::unit_test::precondition(terminals_are_there)) {
  const Environment environment(plain);
  const PseudoTerminal terminal(STDERR_FILENO, 60, 6);
  Animator animator(chart);
  animator.set_status("step 1");
  animator.add(1, {4, 2});
  const std::string sent = terminal.sent();
  BOOST_TEST(count(sent, "\n") == 5u);
  BOOST_TEST(count(sent, "\x1b[2Ka training\n") == 1u);
  BOOST_TEST(sent.ends_with("\x1b[2Kstep 1\n\x1b[J"));
}

BOOST_AUTO_TEST_CASE(nothing_is_drawn_where_there_is_no_screen) {
  const TemporaryFolder folder;
  const auto drawn = [&](const AnimatorOptions& options, const std::string& term) {
    const Environment environment(plain);
    const Environment of(std::map<std::string, std::string>{{"TERM", term}});
    const IntoFile file(STDERR_FILENO, folder / "err");
    Animator animator(chart, options);
    animator.add(1, {4, 2});
    animator.clear();
    animator.add(2, {3, 2});
    BOOST_TEST(animator.place() ==
               (options.screen == Screen::none
                    ? "nowhere"
                    : "nowhere (no window: DISPLAY is not set; standard error is no "
                      "terminal)"));
    animator.finish();
    return to_text(animator.chart(), Colours::none, 80);
  };
  drawn({}, "xterm");
  BOOST_TEST(contents(folder / "err") == "");
  drawn({.screen = Screen::none}, "xterm");
  BOOST_TEST(contents(folder / "err") == "");
  const std::string last = drawn({.last_state = true}, "xterm");
  BOOST_TEST(contents(folder / "err") == last);
}

BOOST_AUTO_TEST_CASE(a_dumb_terminal,
                     *boost::unit_test::precondition(terminals_are_there)) {
  const Environment environment(plain);
  const Environment dumb(std::map<std::string, std::string>{{"TERM", "dumb"}});
  const PseudoTerminal terminal(STDERR_FILENO);
  Animator animator(chart);
  animator.add(1, {4, 2});
  animator.finish();
  BOOST_TEST(terminal.sent() == "");
}

BOOST_AUTO_TEST_CASE(a_file_that_is_replaced,
                     *boost::unit_test::precondition(gnuplot_is_there)) {
  const TemporaryFolder folder;
  const std::string path = folder / "live.svg";
  double now = 0;
  Animator animator(
      chart, {.screen = Screen::none, .file = path, .clock = [&now] { return now; }});
  BOOST_TEST(animator.place() == "in " + path);
  const std::string empty = contents(path);
  BOOST_TEST(count(empty, "a training") == 1u);
  now = 1;
  animator.add(1, {4, 2});
  const std::string first = contents(path);
  BOOST_TEST(first != empty);
  now = 5;
  animator.add(2, {4, 3});
  BOOST_TEST(contents(path) == first);
  now = 6;
  animator.add(3, {4, 3});
  BOOST_TEST(contents(path) != first);
  // Without room, the training goes on, the picture is as it was, and the end tells.
  const std::string second = contents(path);
  {
    const FileLimit limit(4096);
    now = 20;
    animator.add(4, {4, 3});
    BOOST_TEST(error_of([&] { animator.finish(); }) ==
               "figure: the picture is cut off after 4096 bytes; is there room for "
               "temporary files?");
  }
  BOOST_TEST(contents(path) == second);
}

BOOST_AUTO_TEST_CASE(what_is_refused) {
  const TemporaryFolder folder;
  BOOST_TEST(error_of([] { Animator(Lines{}); }) == "figure: a chart needs a curve");
  BOOST_TEST(error_of([] {
               Animator(chart, {.screen = Screen::none, .file_interval = -1});
             }) == "animator: the interval of the file must not be negative, got -1");
  const std::string lost = folder / "no/live.svg";
  BOOST_TEST(error_of([&] { Animator(chart, {.screen = Screen::none, .file = lost}); }) ==
             lost + ": cannot open the folder: No such file or directory");
  Animator animator(chart, {.screen = Screen::none});
  BOOST_TEST(error_of([&] { animator.add(1, {2}); }) ==
             "animator: add() needs a y for each of the 2 curves, got 1");
}

BOOST_AUTO_TEST_CASE(without_gnuplot) {
  const TemporaryFolder folder;
  const Environment environment({{"PATH", folder / "nothing here"}, {"DISPLAY", ":0"}});
  const Animator animator(chart, {.screen = Screen::window, .file = folder / "a.svg"});
  BOOST_TEST(animator.place() ==
             "nowhere (no window: gnuplot is not installed; no picture: gnuplot is not "
             "installed)");
  BOOST_TEST(folder.is_empty());
}

// Numbers that no axis can hold end nothing.
BOOST_AUTO_TEST_CASE(numbers_too_far_apart,
                     *boost::unit_test::precondition(terminals_are_there)) {
  const Environment environment(plain);
  const PseudoTerminal terminal(STDERR_FILENO);
  Animator animator(chart);
  animator.add(1, {1e308, -1e308});
  animator.finish();
  BOOST_TEST(count(terminal.sent(), "figure: the numbers are too far apart") >= 1u);
}

BOOST_AUTO_TEST_CASE(progress_below_the_chart,
                     *boost::unit_test::precondition(terminals_are_there)) {
  const Environment environment(plain);
  const PseudoTerminal terminal(STDERR_FILENO);
  {
    Animator animator(chart);
    ProgressOptions options = progress_below(animator, "steps");
    double now = 0;
    options.clock = [&now] { return now; };
    Progress progress(2, options);
    now = 1;
    progress.show(1, 4);
    BOOST_TEST(terminal.sent() == "");
    animator.add(1, {4, 2});
    BOOST_TEST(count(terminal.sent(),
                     "\x1b[2Kstep 1/2, loss 4.0000, 1 steps/s, 1 s left\n") == 1u);
    progress.show(2, 3);
  }
  BOOST_TEST(
      terminal.sent().ends_with("step 2/2, loss 3.0000, 2 steps/s, 1 s in all\n\x1b[J"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace

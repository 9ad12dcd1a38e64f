// The line that tells how far a training has come.
#include "view/progress.h"

#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "tests/errors.h"

namespace {

using namespace heed;
using namespace heed::viz;

// A clock that the tests turn, and what is written.
struct Scene {
  double now = 1000;
  std::string text;

  ProgressOptions options() {
    ProgressOptions options;
    options.clock = [this] { return now; };
    options.write = [this](std::string_view more) { text += more; };
    return options;
  }
  // What was written since the last call.
  std::string news() { return std::exchange(text, ""); }
};

BOOST_AUTO_TEST_SUITE(progress)

BOOST_AUTO_TEST_CASE(a_line_says_all) {
  Scene scene;
  ProgressOptions options = scene.options();
  options.unit = "tokens";
  options.units_a_step = 768;
  Progress progress(2000, options);
  scene.now += 20;
  progress.show(500, 1.88574, "lr 0.001");
  BOOST_TEST(scene.news() ==
             "step 500/2000, loss 1.8857, lr 0.001, 19200 tokens/s, 1 min 0 s left\n");
  scene.now += 60.2;
  progress.show(2000, 1.5);
  BOOST_TEST(scene.news() ==
             "step 2000/2000, loss 1.5000, 19152 tokens/s, 1 min 21 s in all\n");
}

BOOST_AUTO_TEST_CASE(options_without_a_clock_take_the_true_time) {
  Progress progress(2, {.unit = "steps", .delay = 3600});
  progress.show(1, 0.5);  // within the hour: nothing to tell
  progress.show(2, 0.5);
}

BOOST_AUTO_TEST_CASE(slow_rates_have_digits_after_the_point) {
  Scene scene;
  Progress progress(10, scene.options());
  scene.now += 3;
  progress.show(1, 0.5);
  BOOST_TEST(scene.news() == "step 1/10, loss 0.5000, 0.333 steps/s, 27 s left\n");
}

BOOST_AUTO_TEST_CASE(before_any_time_has_passed_there_is_no_rate) {
  Scene scene;
  Progress progress(2, scene.options());
  progress.show(1, 0.25, "accuracy 10.0 %");
  BOOST_TEST(scene.news() == "step 1/2, loss 0.2500, accuracy 10.0 %\n");
}

BOOST_AUTO_TEST_CASE(lines_are_told_by_steps_alone) {
  Scene scene;
  ProgressOptions options = scene.options();
  options.lines = 4;
  Progress progress(10, options);
  std::vector<std::int64_t> told;
  for (std::int64_t step = 1; step <= 10; ++step) {
    scene.now += step == 4 ? 500 : 0;
    progress.show(step, 0);
    if (scene.news() != "") told.push_back(step);
  }
  BOOST_TEST(told == (std::vector<std::int64_t>{3, 5, 8, 10}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(steps_that_were_done_before_took_no_time) {
  Scene scene;
  ProgressOptions options = scene.options();
  options.done = 60;
  Progress progress(100, options);
  scene.now += 2;
  progress.show(61, 0);
  BOOST_TEST(scene.news() == "");  // it is not yet another tenth
  progress.show(80, 1.5);
  BOOST_TEST(scene.news() == "step 80/100, loss 1.5000, 10 steps/s, 2 s left\n");
}

BOOST_AUTO_TEST_CASE(one_line_is_rewritten_in_place) {
  Scene scene;
  ProgressOptions options = scene.options();
  options.in_place = true;
  {
    Progress progress(100, options);
    progress.show(1, 2);
    BOOST_TEST(scene.news() == "");  // it is too early
    scene.now += 0.125;
    progress.show(2, 10.5, "accuracy 9.5 %");
    BOOST_TEST(scene.news() ==
               "\rstep 2/100, loss 10.5000, accuracy 9.5 %, 16 steps/s, 7 s left");
    scene.now += 0.0625;
    progress.show(3, 9);
    BOOST_TEST(scene.news() == "");
    scene.now += 0.0625;
    // Nothing of a longer line is left.
    progress.show(4, 9.5);
    BOOST_TEST(scene.news() ==
               "\rstep 4/100, loss 9.5000, 16 steps/s, 6 s left" + std::string(17, ' '));
    progress.show(100, 1);  // the last step is told at any time
    BOOST_TEST(scene.news() == "\rstep 100/100, loss 1.0000, 400 steps/s, 1 s in all\n");
  }
  BOOST_TEST(scene.news() == "");
}

// A program that prints a line of its own takes this one off the terminal first.
BOOST_AUTO_TEST_CASE(a_line_that_is_cleared) {
  Scene scene;
  ProgressOptions options = scene.options();
  options.in_place = true;
  Progress progress(100, options);
  progress.clear();
  BOOST_TEST(scene.news() == "");
  scene.now += 1;
  progress.show(2, 10.5);
  const std::size_t width = scene.news().size() - 1;
  progress.clear();
  BOOST_TEST(scene.news() == "\r" + std::string(width, ' ') + "\r");
  progress.clear();
  BOOST_TEST(scene.news() == "");
}

BOOST_AUTO_TEST_CASE(short_work_is_not_told) {
  for (const bool in_place : {false, true}) {
    Scene scene;
    ProgressOptions options = scene.options();
    options.in_place = in_place;
    options.delay = 2;
    {
      Progress quick(2, options);
      scene.now += 1;
      quick.show(1, 4);
      quick.show(2, 3);
    }
    BOOST_TEST(scene.news() == "");
    Progress slow(2, options);
    scene.now += 4;
    slow.show(1, 4);
    BOOST_TEST(scene.news() != "");
  }
}

BOOST_AUTO_TEST_CASE(a_line_that_is_left_is_ended) {
  Scene scene;
  ProgressOptions options = scene.options();
  options.in_place = true;
  {
    Progress progress(100, options);
    scene.now += 1;
    progress.show(2, 10.5);
    scene.news();
  }
  BOOST_TEST(scene.news() == "\n");
  { const Progress progress(100, options); }
  BOOST_TEST(scene.news() == "");
}

BOOST_AUTO_TEST_CASE(a_narrow_terminal) {
  Scene scene;
  ProgressOptions options = scene.options();
  options.in_place = true;
  int columns = 20;
  options.width = [&] { return columns; };
  Progress progress(100, options);
  scene.now += 1;
  progress.show(2, 10.5);
  BOOST_TEST(scene.news() == "\rstep 2/100, loss 1\u2026");
  columns = 12;  // the user has made it narrower
  scene.now += 1;
  progress.show(3, 10.5);
  BOOST_TEST(scene.news().starts_with("\rstep 3/100\u2026 "));
}

BOOST_AUTO_TEST_CASE(durations) {
  BOOST_TEST(duration(0) == "1 s");
  BOOST_TEST(duration(1.2) == "2 s");
  BOOST_TEST(duration(59) == "59 s");
  BOOST_TEST(duration(59.5) == "1 min 0 s");
  BOOST_TEST(duration(200) == "3 min 20 s");
  BOOST_TEST(duration(3900) == "1 h 5 min");
  BOOST_TEST(duration(100 * 3600) == "100 h 0 min");
}

BOOST_AUTO_TEST_CASE(wrong_use) {
  Scene scene;
  const auto refused = [&](std::int64_t total, double units, std::int64_t lines) {
    ProgressOptions options = scene.options();
    options.unit = "tokens";
    options.units_a_step = units;
    options.lines = lines;
    return error_of([&] { Progress(total, options); });
  };
  BOOST_TEST(refused(1, 1, 1) == "no error");
  BOOST_TEST(refused(0, 1, 1) == "progress: there must be a step to do, got 0");
  BOOST_TEST(refused(1, 0, 1) == "progress: a step must be more than 0 tokens, got 0");
  BOOST_TEST(refused(1, 1, 0) == "progress: there must be a line to print, got 0");

  ProgressOptions options = scene.options();
  options.done = 6;
  BOOST_TEST(error_of([&] { Progress(5, options); }) ==
             "progress: from 0 to 5 steps may be done, got 6");
  Progress progress(5, scene.options());
  progress.show(3, 1);
  BOOST_TEST(error_of([&] { progress.show(3, 1); }) ==
             "progress: the step must be from 4 to 5, got 3");
  BOOST_TEST(error_of([&] { progress.show(6, 1); }) ==
             "progress: the step must be from 4 to 5, got 6");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace

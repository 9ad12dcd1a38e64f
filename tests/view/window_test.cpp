// The window in which gnuplot draws, on a screen in memory: Xvfb writes it into a file.
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>

#include <boost/test/unit_test.hpp>

#include "tests/errors.h"
#include "tests/support/environment.h"
#include "tests/support/folder.h"
#include "tests/view/drawn.h"
#include "view/animator.h"
#include "view/gnuplot_window.h"

namespace {

using namespace heed;
using namespace heed::viz;
using heed::support::Environment;
using heed::support::TemporaryFolder;

// An X server without a screen, for the time of a test.
class Xvfb {
 public:
  Xvfb() {
    int number[2];
    BOOST_TEST_REQUIRE(pipe2(number, O_CLOEXEC) == 0);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, number[1], 3);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    std::string arguments[] = {"Xvfb",       "-noreset", "-displayfd",
                               "3",          "-screen",  "0",
                               "800x600x24", "-fbdir",   folder_ / "."};
    char* argv[std::size(arguments) + 1] = {};
    for (std::size_t i = 0; i < std::size(arguments); ++i) argv[i] = arguments[i].data();
    const int error = posix_spawnp(&process_, "Xvfb", &actions, nullptr, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(number[1]);
    // All of the line: a server that cannot write the end of it ends.
    std::string digits;
    for (char digit; read(number[0], &digit, 1) == 1 && digit != '\n';) digits += digit;
    is_there_ = error == 0 && !digits.empty();
    close(number[0]);
    display_ = ":" + digits;
  }
  ~Xvfb() {
    if (process_ <= 0) return;
    kill(process_, SIGTERM);
    waitpid(process_, nullptr, 0);
  }
  Xvfb(const Xvfb&) = delete;
  Xvfb& operator=(const Xvfb&) = delete;

  bool is_there() const { return is_there_; }
  const std::string& display() const { return display_; }

  // How many pixels of the screen have the colour, blue first as the file has them.
  // Waits for the first of them, a few seconds at most.
  std::size_t pixels(const std::string& colour) const {
    using namespace std::chrono_literals;
    std::size_t found = 0;
    for (int attempt = 0; attempt < 100 && found == 0; ++attempt) {
      found = count(contents(folder_ / "Xvfb_screen0"), colour);
      if (found == 0) std::this_thread::sleep_for(50ms);
    }
    return found;
  }

 private:
  TemporaryFolder folder_;
  pid_t process_ = 0;
  bool is_there_ = false;
  std::string display_;
};

// A precondition: without Xvfb, or with a gnuplot without windows, there is none to see.
boost::test_tools::assertion_result windows_are_there(boost::unit_test::test_unit_id) {
  static const std::string obstacle = [] {
    const Xvfb server;
    if (!server.is_there()) return std::string("Xvfb is not installed");
    const Environment environment({{"DISPLAY", server.display()}});
    return error_of([] { const Window window; });
  }();
  boost::test_tools::assertion_result are_there(obstacle == "no error");
  are_there.message() << obstacle;
  return are_there;
}

const std::string blue = "\xb2\x72" + std::string(1, '\0'),
                  vermilion = {'\x00', '\x5e', '\xd5'};

BOOST_AUTO_TEST_SUITE(window)

BOOST_AUTO_TEST_CASE(curves_are_seen,
                     *boost::unit_test::precondition(windows_are_there)) {
  const Xvfb server;
  const Environment environment({{"DISPLAY", server.display()}});
  Animator animator({.curves = {{"training"}, {"test"}}}, {.file = {}});
  BOOST_TEST(animator.place() == "in a window");
  animator.add(1, {4, std::nullopt});
  animator.add(2, {3, std::nullopt});
  animator.finish();
  const std::size_t alone = server.pixels(blue);
  BOOST_TEST(alone > 100u);
  for (int i = 1; i <= 200; ++i) animator.add(i, {4.0 / i, 5.0 / i});
  animator.finish();
  BOOST_TEST(server.pixels(vermilion) > 100u);
}

// A chart of 10,000 points is more than fits into a socket at once.
BOOST_AUTO_TEST_CASE(a_large_chart, *boost::unit_test::precondition(windows_are_there)) {
  const Xvfb server;
  const Environment environment({{"DISPLAY", server.display()}});
  Animator animator({.curves = {{"many"}}});
  for (int i = 0; i < 100'000; ++i) animator.add(i, {i % 1000});
  animator.finish();
  BOOST_TEST(server.pixels(blue) > 1000u);
}

BOOST_AUTO_TEST_CASE(a_display_that_is_lost,
                     *boost::unit_test::precondition(windows_are_there)) {
  auto server = std::make_unique<Xvfb>();
  const Environment environment({{"DISPLAY", server->display()}, {"TERM", "dumb"}});
  double now = 0;
  Animator animator({.curves = {{"training"}}}, {.clock = [&now] { return now; }});
  animator.add(1, {4});
  server.reset();
  for (; now < 10; ++now) animator.add(now, {3});  // the training goes on
  animator.finish();
  BOOST_TEST(animator.place().starts_with("nowhere ("));
}

BOOST_AUTO_TEST_CASE(a_chart_that_cannot_be_drawn_leaves_the_window,
                     *boost::unit_test::precondition(windows_are_there)) {
  const Xvfb server;
  const Environment environment({{"DISPLAY", server.display()}});
  Animator animator({.curves = {{"training"}}});
  animator.add(1, {1e308});
  animator.add(2, {-1e308});
  animator.finish();
  BOOST_TEST(animator.place() == "in a window");
}

BOOST_AUTO_TEST_CASE(no_display, *boost::unit_test::precondition(gnuplot_is_there)) {
  const Environment none({{"DISPLAY", ""}, {"WAYLAND_DISPLAY", ""}});
  BOOST_TEST(error_of([] { const Window window; }) == "DISPLAY is not set");
}

BOOST_AUTO_TEST_CASE(a_wrong_display,
                     *boost::unit_test::precondition(windows_are_there)) {
  const Environment wrong({{"DISPLAY", ":54321"}, {"WAYLAND_DISPLAY", ""}});
  const std::string message = error_of([] { const Window window; });
  BOOST_TEST(message.starts_with("gnuplot"), message);
}

BOOST_AUTO_TEST_CASE(a_gnuplot_that_does_not_answer, *boost::unit_test::label("slow")) {
  const TemporaryFolder folder;
  std::ofstream(folder / "gnuplot") << "#!/bin/sh\nexec cat > /dev/null\n";
  std::filesystem::permissions(folder / "gnuplot", std::filesystem::perms::owner_all);
  const std::string path = folder / "." + ":" + std::getenv("PATH");
  const Environment environment({{"PATH", path}, {"DISPLAY", ":0"}});
  BOOST_TEST(error_of([] { const Window window; }) == "gnuplot does not answer");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace

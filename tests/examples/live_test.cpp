// --live: what the programs that train draw beside what they print.
#include <cstdlib>
#include <string>

#include <boost/test/unit_test.hpp>

#include "tests/examples/run.h"
#include "tests/support/folder.h"
#include "tests/view/pseudo_terminal.h"

namespace {

using namespace heed::examples;
using heed::support::TemporaryFolder;

const std::string no_display = "env -u DISPLAY -u WAYLAND_DISPLAY ";
const std::string nowhere =
    "live chart: nowhere (no window: DISPLAY is not set; standard error is no "
    "terminal)\n";

BOOST_AUTO_TEST_SUITE(live)

// In a pipe nothing is drawn, and one line says so.
BOOST_AUTO_TEST_CASE(standard_output_is_the_same) {
  for (const std::string program : {"nw_kernel_regression", "causal_language_model"}) {
    const Outcome plain = run(program), live = run(program, "--live", no_display);
    BOOST_TEST(live.code == 0);
    BOOST_TEST(live.out == plain.out);
    BOOST_TEST(live.err == nowhere);
  }
  const std::string steps = "--steps 20";
  const Outcome plain = run("associative_recall", steps);
  const Outcome live = run("associative_recall", steps + " --live", no_display);
  BOOST_TEST(live.out == plain.out);
  BOOST_TEST(live.err.starts_with(nowhere + "step "));
}

BOOST_AUTO_TEST_CASE(a_picture_that_is_replaced) {
  const TemporaryFolder folder;
  const Outcome outcome =
      run("nw_kernel_regression", "--live --figures " + folder / "figures", no_display);
  BOOST_TEST(outcome.code == 0);
  if (outcome.err.find("no picture") != outcome.err.npos) return;  // no gnuplot
  BOOST_TEST(contents(folder / "figures/live.svg").find(">Loss of each epoch<") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_folder_that_cannot_be_written) {
  check_refused("nw_kernel_regression", "--live --figures /proc/figures");
  const Outcome outcome = run("nw_kernel_regression", "--live --figures /dev/full");
  BOOST_TEST(outcome.code == 2);
  BOOST_TEST(outcome.err ==
             "nw_kernel_regression: /dev/full: the folder cannot be "
             "written: Not a directory\n");
}

// A chart in a terminal of 20 columns, which script(1) makes.
BOOST_AUTO_TEST_CASE(a_narrow_terminal,
                     *boost::unit_test::precondition(heed::viz::terminals_are_there)) {
  if (std::system("command -v script >/dev/null") != 0) return;
  const TemporaryFolder folder;
  const std::string program =
      std::getenv("HEED_EXAMPLES") + std::string("/nw_kernel_regression");
  const std::string line = no_display +
                           "TERM=xterm NO_COLOR=1 script -qc 'stty cols 20; " + program +
                           " --live' " + folder / "sent" + " >/dev/null";
  BOOST_TEST(std::system(line.c_str()) == 0);
  const std::string sent = contents(folder / "sent");
  BOOST_TEST(sent.find("live chart: in the terminal (no window: DISPLAY is not set)") !=
             std::string::npos);
  for (const char* text :
       {"\x1b[2KLoss of each epoch\r\n", "\x1b[2K40\u2524", "** heed\r\n"})
    BOOST_TEST(sent.find(text) != std::string::npos, text);
  BOOST_TEST(sent.find("epoch 5, loss 12.3652") != std::string::npos);

  const std::string dumb = no_display + "TERM=dumb script -qc '" + program + " --live' " +
                           folder / "dumb" + " >/dev/null";
  BOOST_TEST(std::system(dumb.c_str()) == 0);
  BOOST_TEST(contents(folder / "dumb")
                 .find("live chart: nowhere (no window: DISPLAY is not set; by TERM this "
                       "terminal cannot draw over its lines)") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace

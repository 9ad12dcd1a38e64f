// attention_cues: what it finds, its figures, and wrong options.
#include <filesystem>
#include <string>

#include <boost/test/unit_test.hpp>

#include "tests/examples/run.h"
#include "tests/support/folder.h"

namespace {

using namespace heed::examples;
using heed::support::TemporaryFolder;

Outcome look_up(const std::string& arguments = "", const std::string& environment = "") {
  return run("attention_cues", arguments, environment);
}

bool says(const Outcome& outcome, const std::string& text) {
  return outcome.out.find(text) != outcome.out.npos;
}

BOOST_AUTO_TEST_SUITE(attention_cues)

BOOST_AUTO_TEST_CASE(answers) {
  const Outcome outcome = look_up();
  BOOST_TEST(outcome.code == 0);
  BOOST_TEST(outcome.err == "");
  const std::string squares =
      "tensor([ 0.,  1.,  4.,  9., 16., 25., 36., 49., 64., 81.])\n";
  BOOST_TEST(says(outcome, "\nvalues            " + squares));
  BOOST_TEST(says(outcome, "\nanswers           " + squares));
  BOOST_TEST(says(outcome, "\n0.6 * 10 + 0.4 * 5 + 0 * 2 = 8\n"));
  // Scores, weights and answers as PyTorch computes them from these vectors.
  BOOST_TEST(
      says(outcome,
           "fruit     4.20    3.80   -4.20   0.599   0.401   0.000    7.99   none\n"
           "apple     3.00    1.00   -3.00   0.879   0.119   0.002    9.39     10\n"
           "banana    1.00    3.00   -1.00   0.117   0.867   0.016    5.54      5\n"
           "chair    -3.00   -1.00    3.00   0.002   0.018   0.980    2.07      2\n"));
  BOOST_TEST(says(outcome, "the three keys find 10.00, 5.00, 2.00"));
  BOOST_TEST(says(outcome, "'fruit' finds 9.80"));
}

BOOST_AUTO_TEST_CASE(claims) {
  const Outcome outcome = look_up();
  for (const char* claim :
       {"the weights are the identity matrix", "the answers are the values, unchanged",
        "the answer is 8", "the weights of 'fruit' are 0.6, 0.4 and 0 to within 0.01",
        "its answer is 8 to within 0.1",
        "the answers to the keys are then exact to within 0.001"})
    BOOST_TEST(says(outcome, std::string("\nchecked: ") + claim + "\n"), claim);
  BOOST_TEST(!says(outcome, "DOES NOT HOLD"));
}

BOOST_AUTO_TEST_CASE(the_same_for_every_kernel) {
  const std::string expected = look_up().out;
  for (const char* level : {"baseline", "v3", "v4"})
    BOOST_TEST(look_up("", std::string("HEED_LEVEL=") + level).out == expected, level);
}

BOOST_AUTO_TEST_CASE(figures) {
  const TemporaryFolder folder;
  const std::string figures = folder / "new/figures";
  const Outcome outcome = look_up("--figures " + figures + " --figure-format png");
  BOOST_TEST(outcome.code == 0);
  BOOST_TEST(outcome.err == "");
  if (says(outcome, "no figures are drawn")) return;
  BOOST_TEST(outcome.out.ends_with("\nfigures: " + figures + "/identity.png " + figures +
                                   "/lookups.png\n"));
  for (const char* name : {"/identity.png", "/lookups.png"})
    BOOST_TEST(contents(figures + name).starts_with("\x89PNG"), name);
}

BOOST_AUTO_TEST_CASE(without_gnuplot_the_program_goes_on) {
  const TemporaryFolder folder;
  const Outcome outcome = look_up("--figures " + (folder / "figures"), "PATH=/nowhere");
  BOOST_TEST(outcome.code == 0);
  BOOST_TEST(outcome.err == "");
  BOOST_TEST(outcome.out.ends_with("gnuplot is not installed: no figures are drawn\n"));
  BOOST_TEST(std::filesystem::is_empty(folder / "figures"));
}

BOOST_AUTO_TEST_CASE(colours_are_for_terminals) {
  BOOST_TEST(!says(look_up("", "TERM=xterm COLORTERM=truecolor"), "\x1b"));
}

BOOST_AUTO_TEST_CASE(help_names_every_option) {
  const Outcome outcome = look_up("--help");
  BOOST_TEST(outcome.code == 0);
  BOOST_TEST(outcome.err == "");
  for (const char* option : {"--figures", "--figure-format", "--help"})
    BOOST_TEST(says(outcome, option), option);
}

BOOST_AUTO_TEST_CASE(wrong_options) {
  for (const char* arguments :
       {"--nothing", "extra", "--figures", "--figure-format svg",
        "--figures /tmp --figure-format pdf", "--figures a --figures b"}) {
    check_refused("attention_cues", arguments);
  }
  BOOST_TEST(check_refused("attention_cues", "--figures /dev/null/figures") ==
             "attention_cues: /dev/null/figures: the folder cannot be written: Not a "
             "directory\n");
  // A folder is made only where the other options are right.
  const TemporaryFolder folder;
  check_refused("attention_cues", "--graph bad.name --figures " + (folder / "figures"));
  BOOST_TEST(std::filesystem::is_empty(folder / ""));
}

BOOST_AUTO_TEST_CASE(a_kernel_that_there_is_not) {
  const Outcome outcome = look_up("", "HEED_LEVEL=v9");
  BOOST_TEST(outcome.code == 2);
  BOOST_TEST(outcome.out == "");
  BOOST_TEST(outcome.err ==
             "attention_cues: HEED_LEVEL: must be baseline, v3 or v4, got v9\n");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace

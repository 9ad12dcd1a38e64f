// associative_recall: what a short run prints, a run that keeps its claim, and wrong
// options.
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "tests/examples/run.h"
#include "tests/support/folder.h"

namespace {

using namespace heed::examples;
using heed::support::TemporaryFolder;

// One thread, unless the arguments ask for more: other tests run beside this one.
Outcome recall(const std::string& arguments) {
  return run("associative_recall", arguments, "OMP_NUM_THREADS=1");
}

bool says(const Outcome& outcome, const std::string& text) {
  return outcome.out.find(text) != outcome.out.npos;
}

// The number of the line that goes on with `label`: " 99.5 %  after training".
double percent(const Outcome& outcome, const std::string& label) {
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);)
    if (const std::size_t at = line.find(" %  " + label); at != line.npos)
      return std::stod(line.substr(0, at));
  return std::nan("");
}

// The lines of progress without what depends on the time.
std::vector<std::string> progress(const Outcome& outcome) {
  std::vector<std::string> found;
  std::istringstream lines(outcome.err);
  for (std::string line; std::getline(lines, line);)
    found.push_back(line.substr(0, line.find(" %") + 2));
  return found;
}

BOOST_AUTO_TEST_SUITE(associative_recall)

// In a run too short to learn the task, accuracies are near chance: one in ten before the
// readout has learnt, later one in the 4 to 10 values of the example.
BOOST_AUTO_TEST_CASE(a_short_run) {
  for (const char* attention : {"additive", "dot", "multihead"}) {
    const Outcome outcome = recall(std::string("--steps 20 --attention ") + attention);
    BOOST_TEST(outcome.code == 0, attention);
    BOOST_TEST(outcome.out.starts_with("heed "));
    BOOST_TEST(says(outcome, ", 20 steps of 64 new examples, seed 0\n"), attention);
    BOOST_TEST(std::abs(percent(outcome, "before training") - 10) < 4, attention);
    BOOST_TEST(percent(outcome, "after training") < 25, attention);
    BOOST_TEST(percent(outcome, "without the mask") < 25, attention);
    BOOST_TEST(percent(outcome, "average of the values") < 25, attention);
    BOOST_TEST(says(outcome, "(chance: 15.5 %)"), attention);
    BOOST_TEST(std::abs(percent(outcome, "of the weight") - 15.5) < 5, attention);
    BOOST_TEST(says(outcome, "\nNothing is claimed after 20 steps.\n"), attention);
  }
}

BOOST_AUTO_TEST_CASE(dot_product_attention_learns) {
  const Outcome outcome = recall("--attention dot --seed 5");
  BOOST_TEST(outcome.code == 0);
  BOOST_TEST(percent(outcome, "after training") > 99);
  // Without the mask padding and key look alike.
  BOOST_TEST(percent(outcome, "without the mask") < 60);
  BOOST_TEST(percent(outcome, "average of the values") < 20);
  BOOST_TEST(percent(outcome, "of the weight is on the key asked for") > 90);
  BOOST_TEST(says(outcome, "\nchecked: at least 95 % of the answers are right\n"));
}

// Two keys are asked for, and a single head looks at both at once.
BOOST_AUTO_TEST_CASE(one_head_is_not_enough) {
  const Outcome one = recall("--attention multihead --heads 1");
  BOOST_TEST(one.code == 1);
  BOOST_TEST(says(one, "\nmulti-head attention, 1 head, "));
  BOOST_TEST(percent(one, "after training") < 70);
  BOOST_TEST(says(one, "\nDOES NOT HOLD: at least 95 % of the answers are right\n"));
  const Outcome four = recall("--attention multihead --steps 1500");
  BOOST_TEST(four.code == 0);
  BOOST_TEST(says(four, "\nmulti-head attention, 4 heads, "));
  BOOST_TEST(percent(four, "after training") > 95);
}

BOOST_AUTO_TEST_CASE(threads_change_no_bit) {
  const std::string arguments = "--attention multihead --steps 100 --seed 3 --threads ";
  const Outcome one = recall(arguments + "1"), two = recall(arguments + "2");
  const auto results = [](const std::string& text) {
    return text.substr(text.find('\n'));  // the first line tells the threads
  };
  BOOST_TEST(results(one.out) == results(two.out));
  BOOST_TEST(progress(one).size() == 10u);
  BOOST_TEST(progress(one) == progress(two), boost::test_tools::per_element());
  BOOST_TEST(results(one.out) != results(recall("--attention multihead --steps 100 "
                                                "--seed 4")
                                             .out));
}

BOOST_AUTO_TEST_CASE(progress_is_told_in_lines) {
  const Outcome outcome = recall("--steps 20");
  const std::vector<std::string> lines = progress(outcome);
  BOOST_TEST_REQUIRE(lines.size() == 10u);
  BOOST_TEST(lines[0].starts_with("step 2/20, loss 2."));
  BOOST_TEST(lines[9].starts_with("step 20/20, loss 2."));
  BOOST_TEST(outcome.err.find(" examples/s, ") != outcome.err.npos);
  BOOST_TEST(outcome.err.ends_with(" in all\n"));
  BOOST_TEST(outcome.err.find('\r') == outcome.err.npos);
}

BOOST_AUTO_TEST_CASE(figures) {
  const TemporaryFolder folder;
  const std::string figures = folder / "figures";
  for (const char* arguments : {"--attention dot", "--attention multihead --heads 4"}) {
    const Outcome outcome =
        recall(std::string(arguments) + " --steps 3 --figures " + figures);
    BOOST_TEST(outcome.code == 0, arguments);
    if (says(outcome, "no figures are drawn")) return;
    for (const char* name : {"/attention.svg", "/loss.svg", "/accuracy.svg"})
      BOOST_TEST(contents(figures + name).starts_with("<?xml"), arguments << name);
  }
}

BOOST_AUTO_TEST_CASE(help_names_every_option) {
  const Outcome outcome = recall("--help");
  BOOST_TEST(outcome.code == 0);
  BOOST_TEST(outcome.err == "");
  for (const char* option :
       {"--attention", "--steps", "--seed", "--lr", "--heads", "--figures",
        "--figure-format", "--threads", "--help", "nothing is claimed"})
    BOOST_TEST(says(outcome, option), option);
}

BOOST_AUTO_TEST_CASE(wrong_options) {
  for (const char* arguments : {"--nothing",
                                "extra",
                                "--attention",
                                "--attention causal",
                                "--attention ''",
                                "--steps 0",
                                "--steps 1.5",
                                "--steps -1",
                                "--seed -1",
                                "--seed x",
                                "--lr -0.1",
                                "--lr nan",
                                "--attention multihead --heads 0",
                                "--attention multihead --heads 9",
                                "--attention multihead --heads 3",
                                "--heads 2",
                                "--attention dot --heads 1",
                                "--threads 0",
                                "--figures /dev/null/figures",
                                "--figure-format svg",
                                "--figures /tmp --figure-format pdf"}) {
    check_refused("associative_recall", arguments);
  }
  BOOST_TEST(recall("--heads 2").err ==
             "associative_recall: --heads: only --attention multihead has heads\n");
  BOOST_TEST(recall("--attention multihead --heads 3").err ==
             "associative_recall: --heads: the 64 features cannot be divided among 3 "
             "heads\n");
}

BOOST_AUTO_TEST_CASE(a_training_that_diverges_says_so) {
  for (const char* attention : {"additive", "dot", "multihead"}) {
    const Outcome outcome = recall(std::string("--lr 1e30 --attention ") + attention);
    BOOST_TEST(outcome.code == 1, attention);
    BOOST_TEST(outcome.err.starts_with("associative_recall: the training diverged in "
                                       "step "),
               attention);
    BOOST_TEST(outcome.err.ends_with("; a smaller --lr may help\n"), attention);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace

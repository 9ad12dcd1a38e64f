// What a program prints must have been written when it says that all is well.
#include <filesystem>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "tests/examples/process.h"
#include "tests/examples/run.h"
#include "tests/support/folder.h"

namespace {

using namespace heed::examples;
using heed::support::TemporaryFolder;

BOOST_AUTO_TEST_SUITE(output)

BOOST_AUTO_TEST_CASE(a_full_disk_is_told) {
  const std::vector<std::string> programs = {
      "additive_attention",   "associative_recall",    "attention_cues",
      "causal_attention",     "causal_language_model", "dot_product_attention",
      "general_attention",    "masked_softmax",        "multi_head_attention",
      "nw_kernel_regression", "self_attention"};
  const std::string message = ": the output cannot be written\n";
  for (const std::string& program : programs) {
    const Outcome help = run_into("/dev/full", program, "--help");
    BOOST_TEST(help.code == 1, program);
    BOOST_TEST(help.err == program + message);
  }
  for (const std::string program : {"masked_softmax", "nw_kernel_regression"}) {
    const Outcome outcome = run_into("/dev/full", program);
    BOOST_TEST(outcome.code == 1, program);
    BOOST_TEST(outcome.err == program + message);
  }
  // Without any frame around it.
  BOOST_TEST(run_into("/dev/full", "first_gradient").code != 0);
  BOOST_TEST(run_into("/dev/null", "first_gradient").code == 0);
}

BOOST_AUTO_TEST_CASE(a_closed_output_is_told) {
  for (const std::string arguments : {"", "--help"}) {
    const Outcome outcome = run_into("&-", "nw_kernel_regression", arguments);
    BOOST_TEST(outcome.code == 1);
    BOOST_TEST(outcome.err == "nw_kernel_regression: the output cannot be written\n");
  }
}

// The limit on the size of files: 512 bytes times 8, less than the page takes.
BOOST_AUTO_TEST_CASE(a_file_beyond_the_limit_is_told_and_none_is_left) {
  const TemporaryFolder folder;
  Process process("self_attention", "--html " + (folder / "page.html"), "ulimit -f 8");
  const Outcome outcome = process.wait();
  BOOST_TEST(outcome.code == 1);
  BOOST_TEST(outcome.err.find("File too large") != outcome.err.npos, outcome.err);
  BOOST_TEST(std::filesystem::is_empty(folder / ""));
}

// What comes from the command line reaches the terminal without control characters.
BOOST_AUTO_TEST_CASE(messages_are_printable) {
  const std::string title = "\"$(printf '\\033]0;x\\007\\302\\233')\"";
  const std::string escaped = R"(\u001b]0;x\u0007\u009b)";
  for (const std::string option : {"", "--seed ", "--dtype ", "--figures /dev/null/",
                                   "--data ", "--figure-format "}) {
    const Outcome outcome = run("nw_kernel_regression", option + title);
    BOOST_TEST(outcome.code == 2);
    BOOST_TEST(outcome.err.find(escaped) != outcome.err.npos, outcome.err);
    BOOST_TEST(outcome.err.find_first_of("\x1b\a\xc2") == outcome.err.npos, option);
  }
}

// Any program looks for the op that made a NaN, if its environment says so.
BOOST_AUTO_TEST_CASE(an_anomaly_is_told) {
  const Outcome diverged =
      run("nw_kernel_regression", "--lr 1e200", "HEED_DETECT_ANOMALY=1");
  BOOST_TEST(diverged.code == 1);
  BOOST_TEST(diverged.err.starts_with("nw_kernel_regression: DetectAnomaly: the "),
             diverged.err);
  const Outcome fine = run("nw_kernel_regression", "", "HEED_DETECT_ANOMALY=1");
  BOOST_TEST(fine.code == 0);
  BOOST_TEST(fine.out == run("nw_kernel_regression", "", "HEED_DETECT_ANOMALY=0").out);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace

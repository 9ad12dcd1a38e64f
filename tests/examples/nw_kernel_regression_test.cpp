// nw_kernel_regression: the numbers that PyTorch 1.13 prints for the same seeds, a user's
// table, figures, and wrong input.
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "tensor/core/text.h"
#include "tests/examples/run.h"
#include "tests/support/folder.h"

namespace {

using namespace heed::examples;
using heed::support::TemporaryFolder;

const std::string motorcycle =
    std::string("'") + HEED_SOURCE_ROOT + "/examples/data/motorcycle.csv'";

Outcome regress(const std::string& arguments, const std::string& environment = "") {
  return run("nw_kernel_regression", arguments, environment);
}

// The losses of the lines "epoch 1, loss 48.216827".
std::vector<double> losses(const std::string& text) {
  std::vector<double> found;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    int epoch = 0;
    double loss = 0;
    if (std::sscanf(line.c_str(), "epoch %d, loss %lf", &epoch, &loss) != 2) continue;
    BOOST_TEST(epoch == static_cast<int>(found.size()) + 1);
    found.push_back(loss);
  }
  return found;
}

// The number after `label` and blanks; NaN if there is none.
double number_after(const std::string& text, const std::string& label) {
  const std::size_t at = text.find(label);
  return at == text.npos ? std::nan("") : std::stod(text.substr(at + label.size()));
}

void check_losses(const std::string& arguments, const std::vector<double>& expected,
                  double tolerance) {
  const Outcome outcome = regress(arguments);
  BOOST_TEST(outcome.code == 0);
  BOOST_TEST(outcome.err == "");
  const std::vector<double> found = losses(outcome.out);
  BOOST_TEST_REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    BOOST_TEST(
        std::abs(found[i] - expected[i]) <= tolerance * expected[i],
        arguments << ", epoch " << i + 1 << ": " << found[i] << " for " << expected[i]);
}

BOOST_AUTO_TEST_SUITE(nw_kernel_regression)

BOOST_AUTO_TEST_CASE(the_published_runs) {
  check_losses("", {48.216827, 15.621449, 13.516937, 12.824774, 12.365227}, 1e-4);
  check_losses("--seed 1792466818",
               {51.200890, 18.435369, 14.192819, 14.152143, 14.120892}, 1e-4);
  const Outcome outcome = regress("");
  BOOST_TEST(outcome.out.starts_with("heed "));
  BOOST_TEST(outcome.out.find("The losses agree") != outcome.out.npos);
  BOOST_TEST(outcome.out.find("    1     48.2168     48.216827") != outcome.out.npos);
  BOOST_TEST(std::abs(number_after(outcome.out, "w starts at") - 0.2466248) < 1e-6);
  BOOST_TEST(std::abs(number_after(outcome.out, "w ends at") - 5.384705) < 1e-3);
  BOOST_TEST(number_after(outcome.out, "average pooling") == 0.8848);
  BOOST_TEST(number_after(outcome.out, "Gaussian kernel") == 0.4389);
  BOOST_TEST(number_after(outcome.out, "trained kernel") == 0.0610);
}

BOOST_AUTO_TEST_CASE(other_seeds) {
  check_losses("--seed 0", {61.950218, 20.359215, 20.299786, 20.239584, 20.178442}, 1e-4);
  check_losses("--seed 1", {42.498150, 18.435894, 18.419476, 18.402945, 18.386299}, 1e-4);
  check_losses("--seed 2", {42.678249, 16.075813, 16.048145, 16.023220, 16.000832}, 1e-4);
  // To the last printed digit.
  check_losses("--seed 0 --dtype float64",
               {45.223500, 29.574918, 29.104313, 28.546758, 27.891308}, 1e-8);
}

BOOST_AUTO_TEST_CASE(fifty_epochs) {
  const std::vector<double> found = losses(regress("--seed 0 --epochs 50").out);
  BOOST_TEST_REQUIRE(found.size() == 50u);
  BOOST_TEST(std::abs(found[19] / 19.011652 - 1) < 1e-4);
  BOOST_TEST(std::abs(found[49] / 18.004066 - 1) < 1e-4);
}

BOOST_AUTO_TEST_CASE(published_losses_stand_beside_the_published_runs_alone) {
  for (const char* arguments : {"--seed 5", "--lr 0.25", "--epochs 4", "--noise 0.25",
                                "--train-size 40", "--dtype float64"}) {
    const Outcome outcome = regress(arguments);
    BOOST_TEST(outcome.code == 0, arguments);
    BOOST_TEST(outcome.out.find("published") == outcome.out.npos, arguments);
  }
}

BOOST_AUTO_TEST_CASE(threads_change_no_bit) {
  const Outcome one = regress("--threads 1"), two = regress("--threads 2");
  const auto results = [](const std::string& text) {
    return text.substr(text.find('\n'));  // the first line tells the threads
  };
  BOOST_TEST(results(one.out) == results(two.out));
}

BOOST_AUTO_TEST_CASE(colours_are_for_terminals) {
  BOOST_TEST(regress("", "TERM=xterm COLORTERM=truecolor").out.find('\x1b') ==
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_table) {
  const Outcome outcome = regress("--data " + motorcycle);
  BOOST_TEST(outcome.code == 0);
  BOOST_TEST(outcome.err == "");
  BOOST_TEST(outcome.out.find("accel against times") != outcome.out.npos);
  BOOST_TEST(outcome.out.find("times is scaled to [0, 5]") != outcome.out.npos);
  // The same in PyTorch; the least that any w reaches is 594.
  BOOST_TEST(std::abs(number_after(outcome.out, "average pooling") - 2352.71) < 0.1);
  BOOST_TEST(std::abs(number_after(outcome.out, "Gaussian kernel") - 1890.88) < 0.1);
  BOOST_TEST(std::abs(number_after(outcome.out, "trained kernel") - 647.53) < 0.1);
  const Outcome swapped = regress("--data " + motorcycle + " --x accel");
  BOOST_TEST(swapped.code == 0);
  BOOST_TEST(swapped.out.find("times against accel") != swapped.out.npos);
}

BOOST_AUTO_TEST_CASE(names_of_columns_are_shown_printable) {
  const TemporaryFolder folder;
  const std::string path = folder / "t.csv";
  std::ofstream(path) << "\x1b]0;x\a,b \xc2\x9b\n1,2\n2,4\n3,5\n";
  const Outcome outcome = regress("--data " + path + " --figures " + folder / "figures");
  BOOST_TEST(outcome.code == 0);
  BOOST_TEST(outcome.out.find(R"("b \u009b" against "\u001b]0;x\u0007".)") !=
             outcome.out.npos);
  BOOST_TEST(heed::printable(outcome.out, "\n") == outcome.out);
}

BOOST_AUTO_TEST_CASE(two_rows_and_equal_values_are_enough) {
  const TemporaryFolder folder;
  const std::string path = folder / "t.csv";
  std::ofstream(path) << "name,y,x\nfirst,3,1\nsecond,3,2\n";
  const Outcome outcome = regress("--x x --y y --data " + path);
  BOOST_TEST(outcome.code == 0);
  BOOST_TEST(number_after(outcome.out, "trained kernel") == 0);
}

BOOST_AUTO_TEST_CASE(small_and_huge_numbers) {
  const TemporaryFolder folder;
  const std::string path = folder / "t.csv", columns = "--x x --y y --data ";
  std::ofstream(path) << "x,y\n1,0.001\n2,0.003\n3,0.002\n";
  const Outcome outcome = regress(columns + path);
  BOOST_TEST(std::abs(number_after(outcome.out, "average pooling") - 1.5e-6) < 1e-8);
  BOOST_TEST(regress("--noise 1e30").err ==
             "nw_kernel_regression: --noise: it is too large for float32, got 1e+30: the "
             "first loss is inf\n");
}

BOOST_AUTO_TEST_CASE(figures) {
  const TemporaryFolder folder;
  const std::string figures = folder / "new/figures";
  const Outcome outcome = regress("--figures " + figures);
  BOOST_TEST(outcome.code == 0);
  const bool drawn = outcome.out.find("no figures are drawn") == outcome.out.npos;
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(figures)) {
    BOOST_TEST(contents(entry.path().string()).starts_with("<?xml"));
    ++files;
  }
  BOOST_TEST(files == (drawn ? 3u : 0u));
}

BOOST_AUTO_TEST_CASE(without_gnuplot_the_program_goes_on) {
  const TemporaryFolder folder;
  const std::string figures = folder / "figures";
  const Outcome outcome = regress("--figures " + figures, "PATH=/nowhere");
  BOOST_TEST(outcome.code == 0);
  BOOST_TEST(outcome.err == "");
  BOOST_TEST(outcome.out.ends_with("gnuplot is not installed: no figures are drawn\n"));
  BOOST_TEST(std::filesystem::is_empty(figures));
}

BOOST_AUTO_TEST_CASE(help_names_every_option) {
  const Outcome outcome = regress("--help");
  BOOST_TEST(outcome.code == 0);
  BOOST_TEST(outcome.err == "");
  for (const char* option : {"--seed", "--epochs", "--lr", "--train-size", "--noise",
                             "--dtype", "--data", "--x", "--y", "--figures",
                             "--figure-format", "--threads", "--help", "1339640095"})
    BOOST_TEST(outcome.out.find(option) != outcome.out.npos, option);
}

BOOST_AUTO_TEST_CASE(wrong_options) {
  for (const char* arguments : {"--nothing",
                                "extra",
                                "--seed",
                                "--seed x",
                                "--seed -1",
                                "--seed 1.5",
                                "--seed 18446744073709551616",
                                "--seed 1 --seed 2",
                                "--epochs 0",
                                "--epochs -3",
                                "--epochs 1e3",
                                "--lr nan",
                                "--lr inf",
                                "--lr -0.5",
                                "--lr 1x",
                                "--train-size 1",
                                "--train-size 5001",
                                "--noise -1",
                                "--noise nan",
                                "--dtype int64",
                                "--dtype ''",
                                "--threads 0",
                                "--threads 9999999999",
                                "--x a",
                                "--y a",
                                "--figure-format svg",
                                "--figures /tmp --figure-format pdf"}) {
    check_refused("nw_kernel_regression", arguments);
  }
  BOOST_TEST(regress("--epochs 0").err ==
             "nw_kernel_regression: --epochs: a whole number from 1 to 1000000 is "
             "needed, got 0\n"
             "Run with --help for more information.\n");
  BOOST_TEST(regress("--seed -1").err ==
             "nw_kernel_regression: --seed: a whole number from 0 to "
             "18446744073709551615 is needed, got -1\n"
             "Run with --help for more information.\n");
  BOOST_TEST(
      regress("--noise -1").err ==
      "nw_kernel_regression: --noise: a finite number of at least 0 is needed, got -1\n"
      "Run with --help for more information.\n");
  BOOST_TEST(regress("--figures ''").err ==
             "nw_kernel_regression: --figures: the name of the folder is empty\n"
             "Run with --help for more information.\n");
  BOOST_TEST(regress("--data ''").err ==
             "nw_kernel_regression: --data: the name of the file is empty\n"
             "Run with --help for more information.\n");
  BOOST_TEST(regress("first second").err ==
             "nw_kernel_regression: arguments not expected: first second\n"
             "Run with --help for more information.\n");
  BOOST_TEST(regress("--data " + motorcycle + " --noise 1").code == 2);
  BOOST_TEST(regress("--data " + motorcycle + " --train-size 9").code == 2);
}

// A leading 0 does not mean octal.
BOOST_AUTO_TEST_CASE(numbers_are_decimal) {
  BOOST_TEST(losses(regress("--epochs 010").out).size() == 10u);
}

BOOST_AUTO_TEST_CASE(wrong_tables) {
  const TemporaryFolder folder;
  const std::string path = folder / "t.csv";
  const auto refused = [&](const std::string& text, const std::string& arguments = "") {
    std::ofstream(path) << text;
    BOOST_TEST_INFO_SCOPE(text);
    return check_refused("nw_kernel_regression", "--data " + path + " " + arguments);
  };
  const std::string start = "nw_kernel_regression: " + path;
  BOOST_TEST(refused("") ==
             start + ":1: the file is empty; a line of column names is needed\n");
  BOOST_TEST(refused("a\n1\n2\n") ==
             start + ":1: two columns are needed, separated by commas\n");
  BOOST_TEST(refused("a,b\n1,2\n") ==
             start + ": at least two rows are needed, found 1\n");
  BOOST_TEST(refused("a,b\n1,2\n2,x\n") == start + ":3: column b: x is not a number\n");
  BOOST_TEST(refused("a,b\n1,2\n2,nan\n") ==
             start + ":3: column b: nan is not a finite number\n");
  BOOST_TEST(refused("a,b\n1,2\n2\n") == start + ":3: 1 field, but line 1 has 2\n");
  BOOST_TEST(refused("a,b\n1,2\n2,3\n", "--x c") ==
             start + ":1: no column is called c; there are a, b\n");
  BOOST_TEST(refused("a,b\n1,2\n2,3\n", "--x b --y b") ==
             "nw_kernel_regression: --x and --y: two columns are needed, got b "
             "twice\n");
  BOOST_TEST(refused("a,b\n1,2\n1,3\n") == start + ": all values of a are equal\n");
  BOOST_TEST(refused("a,b\n1,1e300\n2,-1e300\n") ==
             start + ": the numbers are too far apart\n");
  BOOST_TEST(regress("--data /nowhere/t.csv").err ==
             "nw_kernel_regression: /nowhere/t.csv: cannot be opened: No such file or "
             "directory\n");
  BOOST_TEST(regress("--data ''").code == 2);
  BOOST_TEST(regress("--data " + (folder / "")).code == 2);
}

BOOST_AUTO_TEST_CASE(folders_that_cannot_be_written) {
  BOOST_TEST(check_refused("nw_kernel_regression", "--figures /dev/null/figures") ==
             "nw_kernel_regression: /dev/null/figures: the folder cannot be written: Not "
             "a directory\n");
}

BOOST_AUTO_TEST_CASE(a_training_that_diverges_says_so) {
  const Outcome outcome = regress("--lr 1e30");
  BOOST_TEST(outcome.code == 1);
  BOOST_TEST(outcome.err ==
             "nw_kernel_regression: the training diverged in epoch 2; a smaller --lr may "
             "help\n");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace

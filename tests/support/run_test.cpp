// What keeps a run alive: its log, the lock of its folder, signals.
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>

#include <boost/test/unit_test.hpp>

#include "data/file.h"
#include "examples/training/interruption.h"
#include "examples/training/log.h"
#include "examples/training/run_folder.h"
#include "tensor/core/factories.h"
#include "tests/errors.h"
#include "tests/support/folder.h"
#include "tests/support/input_errors.h"

namespace {

using namespace heed;
using namespace heed::support;
using namespace heed::training;

BOOST_AUTO_TEST_SUITE(run)

BOOST_AUTO_TEST_CASE(the_log_is_a_table_and_a_file) {
  const Log log = {{0, 4.1234567, 4.25, 1e-5}, {250, 2.5, 2.75, 0.0009876543}};
  const Tensor table = to_tensor(log);
  BOOST_TEST((table.shape() == Shape{2, 4}));
  const Log again = to_log(table);
  BOOST_TEST_REQUIRE(again.size() == 2u);
  BOOST_TEST(again[1].step == 250);
  BOOST_TEST(again[0].train_loss == 4.1234567);
  BOOST_TEST(again[1].lr == 0.0009876543);
  BOOST_TEST(to_log(to_tensor({})).empty());

  const TemporaryFolder folder;
  const std::string path = folder / "log.csv";
  write_to_file(path, log);
  append_to_file(path, {500, 2, 2.5, 0.0001});
  BOOST_TEST(data::read_file(path) ==
             "step,train_loss,validation_loss,lr\n"
             "0,4.123457,4.250000,1e-05\n"
             "250,2.500000,2.750000,0.000987654\n"
             "500,2.000000,2.500000,0.0001\n");
  BOOST_TEST(message_of([&] { append_to_file("/dev/full", log[0]); }) ==
             "/dev/full: cannot be written: No space left on device");
  const std::string pipe = folder / "pipe";
  BOOST_TEST_REQUIRE(mkfifo(pipe.c_str(), 0666) == 0);
  BOOST_TEST(message_of([&] { write_to_file(pipe, log); }) ==
             pipe + ": must be a regular file, got a pipe");
  BOOST_TEST(error_of([&] {
               to_log(zeros({2, 4}, float64));
             }) == "the steps of the log must rise, got 0 after 0");
  BOOST_TEST(error_of([&] {
               to_log(zeros({2, 3}, float64));
             }) == "the log must be float64 (rows, 4), got float64 (2, 3)");
}

BOOST_AUTO_TEST_CASE(a_folder_has_one_lock) {
  const TemporaryFolder folder;
  const std::string path = folder / "";
  {
    const nn::Descriptor lock = lock_folder(path, "p");
    BOOST_TEST(message_of([&] { lock_folder(path, "p"); }) ==
               path + ": another p is training into this folder");
  }
  lock_folder(path, "p");
  BOOST_TEST(message_of([&] { lock_folder(folder / "no", "p"); }) ==
             folder / "no: cannot be opened: No such file or directory");
}

BOOST_AUTO_TEST_CASE(a_folder_has_one_run) {
  const TemporaryFolder place;
  const std::string folder = place / "out";
  const Format format{"p", 1, {}, {}, [](const Checkpoint&, const std::string&) {}};
  const auto refusal = [&](bool resume) {
    return message_of([&] { RunFolder(folder, format, resume); });
  };
  BOOST_TEST(refusal(true) == folder + ": there is no such folder to go on from");
  {
    const RunFolder run(folder, format, false);
    BOOST_TEST(!run.checkpoint);
    BOOST_TEST(refusal(true) == folder + ": another p is training into this folder");
    Checkpoint saved;
    saved.step = 3;
    save(run.checkpoint_path, saved, format);
  }
  BOOST_TEST(RunFolder(folder, format, true).checkpoint->step == 3);
  BOOST_TEST(refusal(false) ==
             checkpoint_path(folder) +
                 ": is there already; go on from it with --resume, or choose another "
                 "--out");
  std::filesystem::remove(checkpoint_path(folder));
  std::ofstream(folder + "/log.csv") << "mine";
  BOOST_TEST(refusal(true) == folder +
                                  "/log.csv: is there already, without a "
                                  "checkpoint; choose another --out");
}

BOOST_AUTO_TEST_CASE(the_second_signal_ends_the_program_and_an_ignored_one_none) {
  std::signal(SIGINT, SIG_IGN);
  {
    const Interruption interruption;
    std::raise(SIGINT);
    BOOST_TEST(interruption.signal() == 0);
  }
  std::signal(SIGINT, SIG_DFL);
  for (const int first : {SIGINT, SIGTERM}) {
    const Interruption interruption;
    BOOST_TEST(interruption.signal() == 0);
    std::raise(first);
    BOOST_TEST(interruption.signal() == first);
    for (const int second : {SIGINT, SIGTERM}) {
      struct sigaction action {};
      sigaction(second, nullptr, &action);
      BOOST_TEST((action.sa_handler == SIG_DFL), first << ", " << second);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_word_of_the_shell_is_quoted) {
  BOOST_TEST(shell_word("a b") == "'a b'");
  BOOST_TEST(shell_word("it's") == R"('it'\''s')");
  BOOST_TEST(shell_word("a\x1b'b\\c") == R"($'a\u001b\'b\\c')");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace

// Trainings of char_lm that do not run from start to end: interrupted, made longer, out
// of room, diverged.
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include <boost/test/unit_test.hpp>

#include "nn/state/atomic_file.h"
#include "nn/state/safetensors.h"
#include "tensor/elementwise/elementwise.h"
#include "tensor/reduce/reductions.h"
#include "tests/examples/char_lm_place.h"
#include "tests/examples/process.h"
#include "tests/examples/run.h"

namespace {

using namespace heed::examples;
namespace fs = std::filesystem;

// Waits for a file, a minute at most.
void wait_for(const std::string& path) {
  for (int i = 0; i < 60'000 && !fs::exists(path); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

BOOST_AUTO_TEST_SUITE(char_lm_resumed)

BOOST_AUTO_TEST_CASE(threads_and_interruptions_change_no_bit) {
  const Place one, two, three;
  const Options longer = {{"steps", "200"}, {"eval-every", "60"}};
  BOOST_TEST(run("char_lm", one.fresh(longer)).code == 0);
  Options others = {{"threads", "2"}, {"checkpoint-every", "7"}};
  others.insert(longer.begin(), longer.end());
  BOOST_TEST(run("char_lm", two.fresh(others)).code == 0);
  BOOST_TEST((contents(one.checkpoint()) == contents(two.checkpoint())));
  BOOST_TEST(contents(one.log()) == contents(two.log()));

  int interrupted = 0;
  for (const int signal : {SIGINT, SIGTERM, SIGINT}) {
    const bool is_new = !fs::exists(three.checkpoint());
    fs::remove(three.log());
    Process process("char_lm", is_new ? three.fresh(longer) : three.again("--threads 1"));
    // The program writes its log again when it is ready for a signal.
    wait_for(three.log());
    process.send(signal);
    const Outcome outcome = process.wait();
    if (outcome.code == 0) break;  // it was faster
    ++interrupted;
    BOOST_TEST(outcome.code == 128 + signal);
    BOOST_TEST(outcome.err.find("char_lm: interrupted; saved after step ") !=
               outcome.err.npos);
    BOOST_TEST(outcome.err.find(" of 200. To go on:\n  ") != outcome.err.npos);
    const std::string advice = "/char_lm' train --resume --out '" + three.out +
                               "' --text '" + three.text + "'\n";
    BOOST_TEST(outcome.err.ends_with(advice), outcome.err);
  }
  BOOST_TEST(interrupted > 0);
  BOOST_TEST(run("char_lm", three.again()).code == 0);
  BOOST_TEST((contents(one.checkpoint()) == contents(three.checkpoint())));
  BOOST_TEST(contents(one.log()) == contents(three.log()));
}

// bash can run the command that is printed, whatever the name of the text.
BOOST_AUTO_TEST_CASE(an_interrupted_training_tells_how_it_goes_on) {
  const Place place;
  for (const std::string name : {"it's", "a\x1b'b\\c"}) {
    fs::rename(place.text, place.folder / name);
    Process process("char_lm", place.train("--text " + place.folder / "[ia]*" +
                                           tiny({{"steps", "100000"}})));
    wait_for(place.log());
    process.send(SIGINT);
    const Outcome outcome = process.wait();
    BOOST_TEST(outcome.code == 128 + SIGINT);
    const std::size_t words = outcome.err.rfind(" --text ");
    BOOST_TEST_REQUIRE(words != outcome.err.npos, outcome.err);
    const std::string script = place.folder / "script", read = place.folder / "read";
    std::ofstream(script) << "printf %s" + outcome.err.substr(words);
    BOOST_TEST(std::system(("bash " + script + " >" + read).c_str()) == 0);
    BOOST_TEST(contents(read) == "--text" + place.folder / name);
    fs::rename(place.folder / name, place.text);
    fs::remove_all(place.out);
  }
}

BOOST_AUTO_TEST_CASE(a_training_may_become_longer) {
  const Place place;
  BOOST_TEST(run("char_lm", place.fresh()).code == 0);
  BOOST_TEST(contents(place.log()).find("\n30,") != std::string::npos);
  // Settings that are given again must be what they were.
  const Outcome longer = run("char_lm", place.again("--steps 40 --width 16 --lr 0.001"));
  BOOST_TEST(longer.code == 0);
  BOOST_TEST(longer.out.find("It goes on from step 30\n") != longer.out.npos);
  BOOST_TEST(longer.err.starts_with("step 32/40, "), longer.err);
  BOOST_TEST(contents(place.log()).find("\n40,") != std::string::npos);

  BOOST_TEST(refusal(place.again("--steps 35")) ==
             "--steps: " + place.checkpoint() + " has done 40 steps already, got 35");
  BOOST_TEST(refusal(place.again("--width 32")) ==
             "--width: " + place.checkpoint() +
                 " has begun with 16, got 32; leave the option out, or choose another "
                 "--out");
  BOOST_TEST(
      refusal(place.again("--bias")) ==
      "--bias: " + place.checkpoint() +
          " has begun with false, got true; leave the option out, or choose another "
          "--out");
  BOOST_TEST(refusal(place.train("--resume"))
                 .starts_with("heed's sources: must be the text that "));
}

BOOST_AUTO_TEST_CASE(a_training_may_end_where_it_was_interrupted) {
  // The last checkpoint has the row that the end adds to the log, too.
  const Place one, two;
  for (const Place* place : {&one, &two}) {
    BOOST_TEST(run("char_lm", place->fresh({{"steps", "10"}})).code == 0);
  }
  BOOST_TEST(run("char_lm", one.again("--steps 12")).code == 0);
  BOOST_TEST(contents(one.log()).find("\n12,") != std::string::npos);
  const std::string log = contents(one.log());
  std::ofstream(one.log()) << "lost";
  BOOST_TEST(run("char_lm", one.again()).code == 0);
  BOOST_TEST(contents(one.log()) == log);
  // A warm-up that is longer than the training is cut to its length.
  BOOST_TEST(run("char_lm", two.fresh({{"warmup", "500"}})).code == 2);  // has a training
  const Place three;
  BOOST_TEST(run("char_lm", three.fresh({{"warmup", "500"}, {"steps", "9"}})).code == 0);
  BOOST_TEST(run("char_lm", three.again("--steps 10")).code == 0);
}

BOOST_AUTO_TEST_CASE(a_folder_has_one_training) {
  const Place place;
  Process process("char_lm", place.fresh({{"steps", "100000"}}));
  wait_for(place.log());
  BOOST_TEST(refusal(place.again()) ==
             place.out + ": another char_lm is training into this folder");
  process.send(SIGTERM);
  BOOST_TEST(process.wait().code == 128 + SIGTERM);
}

// What another program, or a part of this one, is writing into the folder.
BOOST_AUTO_TEST_CASE(only_leftovers_are_removed) {
  const Place place;
  fs::create_directory(place.out);
  const std::string left = place.out + "/.heed-1-2.tmp", mine = place.out + "/mine";
  std::ofstream(left) << "left";
  heed::nn::AtomicFile file("save", mine);
  file.write("text", 4);
  BOOST_TEST(run("char_lm", place.fresh({{"steps", "6"}})).code == 0);
  file.commit();
  BOOST_TEST(contents(mine) == "text");
  BOOST_TEST(!fs::exists(left));
}

BOOST_AUTO_TEST_CASE(what_is_there_is_not_overwritten) {
  const Place place;
  BOOST_TEST(run("char_lm", place.fresh({{"steps", "6"}})).code == 0);
  const std::string before = contents(place.checkpoint());
  BOOST_TEST(refusal(place.fresh()) == place.checkpoint() +
                                           ": is there already; go on from it with "
                                           "--resume, or choose another --out");
  BOOST_TEST((contents(place.checkpoint()) == before));

  const Place other;
  fs::create_directory(other.out);
  std::ofstream(other.log()) << "mine";
  for (const std::string& arguments : {other.fresh(), other.again()}) {
    BOOST_TEST(refusal(arguments) == other.log() +
                                         ": is there already, without a "
                                         "checkpoint; choose another --out");
  }
  BOOST_TEST(contents(other.log()) == "mine");
}

BOOST_AUTO_TEST_CASE(a_full_disk_leaves_the_checkpoint_of_before) {
  const Place place;
  BOOST_TEST(run("char_lm", place.fresh()).code == 0);
  const std::string before = contents(place.checkpoint());
  // The files of the program may have 512 bytes times 20: not all of a checkpoint.
  Process process("char_lm", place.again("--steps 40"), "ulimit -f 20");
  const Outcome outcome = process.wait();
  BOOST_TEST(outcome.code == 2);
  BOOST_TEST(outcome.err == "char_lm: write_safetensors: " + place.checkpoint() +
                                ": cannot write: File too large\n");
  BOOST_TEST((contents(place.checkpoint()) == before));
  BOOST_TEST(run("char_lm", place.again()).code == 0);

  const std::string log = contents(place.log());
  fs::remove(place.log());
  fs::create_symlink("/dev/full", place.log());
  BOOST_TEST(refusal(place.again()) ==
             place.log() + ": cannot be written: No space left on device");
  fs::remove(place.log());
  BOOST_TEST(run("char_lm", place.again()).code == 0);
  BOOST_TEST(contents(place.log()) == log);
}

BOOST_AUTO_TEST_CASE(a_training_that_diverges_leaves_finite_numbers) {
  for (const std::string every : {"1", "3"}) {
    const Place place;
    const Outcome outcome = run("char_lm", place.fresh({{"layers", "1"},
                                                        {"heads", "1"},
                                                        {"lr", "1000"},
                                                        {"checkpoint-every", every}}));
    BOOST_TEST(outcome.code == 1);
    const std::string message = "char_lm: the training diverged in step ";
    BOOST_TEST(outcome.err.find(message) != outcome.err.npos, outcome.err);
    for (const auto& [name, tensor] :
         heed::nn::read_safetensors(place.checkpoint()).tensors) {
      BOOST_TEST(heed::all(heed::isfinite(tensor.to(heed::float64))).item(), name);
    }
    const Outcome written = run("char_lm", "generate --tokens 5 --out " + place.out);
    BOOST_TEST(written.code == 0, written.err);
    BOOST_TEST(written.out.size() > 5u);
  }
}

BOOST_AUTO_TEST_CASE(a_training_that_diverges_in_its_last_step_fails) {
  const Place place;
  const Outcome outcome =
      run("char_lm",
          place.fresh(
              {{"steps", "7"}, {"lr", "1000"}, {"weight-decay", "1000"}, {"clip", "0"}}));
  BOOST_TEST(outcome.code == 1);
  BOOST_TEST(outcome.err.ends_with(
                 "char_lm: the training diverged in step 7; begin anew with a smaller "
                 "--lr, in another --out\n"),
             outcome.err);
  BOOST_TEST(contents(place.log()).find("nan") == std::string::npos);
  BOOST_TEST(run("char_lm", "generate --tokens 5 --out " + place.out).code == 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace

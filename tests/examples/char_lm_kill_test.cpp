// A training that is killed again and again, in the middle of whatever it does, and
// resumed each time ends in the bits of one that was left alone.
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include <boost/test/unit_test.hpp>

#include "tensor/random/random.h"
#include "tests/examples/process.h"
#include "tests/support/folder.h"

namespace {

using namespace heed::examples;
using heed::support::TemporaryFolder;
using std::chrono::duration;
using std::chrono::steady_clock;

// How many files a folder has, or how many of a kind.
std::size_t files_in(const std::string& folder, const std::string& extension = "") {
  std::size_t count = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    count += extension.empty() || file.path().extension() == extension;
  }
  return count;
}

// HEED_KILLS, for a longer test than the usual one.
int number_of_kills() {
  const char* const chosen = std::getenv("HEED_KILLS");
  const int kills = chosen ? std::atoi(chosen) : 20;
  BOOST_TEST_REQUIRE(kills > 0, "HEED_KILLS must be a positive number, got " << chosen);
  return kills;
}

BOOST_AUTO_TEST_SUITE(char_lm_killed)

BOOST_AUTO_TEST_CASE(a_killed_training_ends_in_the_same_bits) {
  const TemporaryFolder folder;
  const std::string text = folder / "text.txt";
  {
    std::ofstream file(text);
    for (int i = 0; i < 200; ++i) file << "line " << i * i % 11 << ", and so on\n";
  }
  // A checkpoint per step: much of the time goes into writing them.
  const auto train = [&](const std::string& out) {
    return "train --text " + text + " --out " + out +
           " --layers 1 --heads 2 --width 32 --context 8 --batch 4 --steps 500"
           " --warmup 10 --eval-every 9 --eval-batches 1 --dropout 0.1 --bias"
           " --checkpoint-every 1 --threads 1";
  };
  const std::string whole = folder / "whole", killed = folder / "killed";
  const auto start = steady_clock::now();
  BOOST_TEST_REQUIRE(run("char_lm", train(whole)).code == 0);
  const duration<double> time = steady_clock::now() - start;

  // A training that ends before it was killed often enough is compared, and the next
  // begins.
  const auto finish = [&] {
    const Outcome outcome = run("char_lm", train(killed) + " --resume");
    BOOST_TEST(outcome.code == 0, outcome.err);
    for (const std::string file : {"/checkpoint.safetensors", "/log.csv"}) {
      BOOST_TEST((contents(killed + file) == contents(whole + file)), file);
    }
    BOOST_TEST(files_in(killed) == 2u);
    std::filesystem::remove_all(killed);
    std::filesystem::create_directory(killed);
  };
  std::filesystem::create_directory(killed);
  heed::Generator generator(1);
  std::size_t leftovers = 0;
  const int kills_wanted = number_of_kills();
  for (int kills = 0; kills < kills_wanted;) {
    Process process("char_lm", train(killed) + " --resume");
    std::this_thread::sleep_for(time * generator.uniform<double>() / 10);
    process.send(SIGKILL);
    const Outcome outcome = process.wait();
    BOOST_TEST_REQUIRE((outcome.code == 128 + SIGKILL || outcome.code == 0), outcome.err);
    leftovers += files_in(killed, ".tmp");
    if (outcome.code == 0) {
      finish();
    } else {
      ++kills;
    }
  }
  finish();
  BOOST_TEST(leftovers > 0u);
  BOOST_TEST_MESSAGE(leftovers << " of " << kills_wanted
                               << " kills came while a checkpoint was written");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace

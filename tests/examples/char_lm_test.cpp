// The program char_lm: what it prints and writes, what may change with --resume, and what
// it says to wrong input.
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "nn/safetensors.h"
#include "tensor/elementwise.h"
#include "tensor/reductions.h"
#include "tests/examples/process.h"
#include "tests/examples/run.h"
#include "tests/support/folder.h"

namespace {

using namespace heed::examples;
using heed::support::TemporaryFolder;
namespace fs = std::filesystem;

// Options and their values.
using Options = std::map<std::string, std::string>;

// Those of a training that takes a moment, with others in place of some.
std::string tiny(Options chosen = {}) {
  chosen.merge(Options{{"layers", "2"},
                       {"heads", "2"},
                       {"width", "16"},
                       {"context", "16"},
                       {"batch", "4"},
                       {"steps", "30"},
                       {"warmup", "5"},
                       {"eval-every", "8"},
                       {"eval-batches", "2"},
                       {"dropout", "0.1"},
                       {"threads", "1"}});
  std::string text;
  for (const auto& [name, value] : chosen) text += " --" + name + " " + value;
  return text;
}

// A folder with a text of 2,800 characters in which there is something to learn.
struct Place {
  TemporaryFolder folder;
  std::string text = folder / "text.txt", out = folder / "out";

  Place() {
    std::ofstream file(text);
    for (int i = 0; i < 100; ++i) {
      file << "line " << i % 7 << ": \u00e9t\u00e9, hiver, automne\n";
    }
  }
  std::string train(const std::string& options) const {
    return "train --out " + out + " " + options;
  }
  std::string fresh(const Options& options = {}) const {
    return train("--text " + text + tiny(options));
  }
  std::string again(const std::string& options = "") const {
    return train("--resume --text " + text + " " + options);
  }
  std::string checkpoint() const { return out + "/checkpoint.safetensors"; }
  std::string log() const { return out + "/log.csv"; }
};

// Runs char_lm with input that is at fault, and returns what it says of it.
std::string refusal(const std::string& arguments) {
  const Outcome outcome = run("char_lm", arguments);
  BOOST_TEST(outcome.code == 2, arguments);
  const std::string name = "char_lm: ";
  BOOST_TEST(outcome.err.starts_with(name), outcome.err);
  BOOST_TEST(outcome.err.ends_with("\n"), outcome.err);
  return outcome.err.substr(name.size(), outcome.err.size() - name.size() - 1);
}

BOOST_AUTO_TEST_SUITE(char_lm)

BOOST_AUTO_TEST_CASE(it_trains_and_writes) {
  const Place place;
  const Outcome trained = run("char_lm", place.fresh());
  BOOST_TEST(trained.code == 0);
  for (const std::string text :
       {"text.txt: 2800 characters, 24 different ones; 2520 to learn, 280 to check "
        "with\n",
        "layers 2, heads 2, width 16, context 16\n",
        "each of its 279 predictable characters once:\nvalidation loss "}) {
    BOOST_TEST(trained.out.find(text) != trained.out.npos, text << " in " << trained.out);
  }
  BOOST_TEST(trained.err.starts_with("step 3/30, loss "), trained.err);
  BOOST_TEST(trained.err.find("\nstep 30/30, loss ") != trained.err.npos);
  BOOST_TEST(trained.err.find(" tokens/s, ") != trained.err.npos);

  // A row for steps 0, 8, 16, 24 and 30, with falling losses.
  std::ifstream log(place.log());
  std::string line, steps;
  std::getline(log, line);
  BOOST_TEST(line == "step,train_loss,validation_loss,lr");
  double first = 0, last = 0;
  while (std::getline(log, line)) {
    const std::size_t comma = line.find(',');
    steps += line.substr(0, comma + 1);
    last = std::stod(line.substr(comma + 1));
    if (first == 0) first = last;
  }
  BOOST_TEST(steps == "0,8,16,24,30,");
  BOOST_TEST(last < first - 0.05);
  BOOST_TEST(fs::file_size(place.checkpoint()) > 1000u);

  const Outcome written = run(
      "char_lm", "generate --out " + place.out + " --prompt 'line 3: \u00e9' --tokens 5");
  BOOST_TEST(written.code == 0);
  BOOST_TEST(written.err == "");
  BOOST_TEST(written.out.starts_with("line 3: \u00e9"));
  BOOST_TEST(written.out.ends_with("\n"));
}

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
    // It makes its log anew when it is ready for a signal.
    for (int i = 0; i < 60'000 && !fs::exists(three.log()); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    process.send(signal);
    const Outcome outcome = process.wait();
    if (outcome.code == 0) break;  // it was faster
    ++interrupted;
    BOOST_TEST(outcome.code == 128 + signal);
    BOOST_TEST(outcome.err.find("char_lm: interrupted; saved after step ") !=
               outcome.err.npos);
    const std::string advice = " of 200. To go on:\n  char_lm train --resume --out '" +
                               three.out + "' --text '" + three.text + "'\n";
    BOOST_TEST(outcome.err.ends_with(advice), outcome.err);
  }
  BOOST_TEST(interrupted > 0);
  BOOST_TEST(run("char_lm", three.again()).code == 0);
  BOOST_TEST((contents(one.checkpoint()) == contents(three.checkpoint())));
  BOOST_TEST(contents(one.log()) == contents(three.log()));
}

BOOST_AUTO_TEST_CASE(a_training_may_become_longer) {
  const Place place;
  BOOST_TEST(run("char_lm", place.fresh()).code == 0);
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
  Process process("char_lm", place.again("--steps 40"), "trap '' XFSZ; ulimit -f 20");
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
      if (name == "log") continue;  // whose losses may be anything
      BOOST_TEST(heed::all(heed::isfinite(tensor.to(heed::float64))).item(), name);
    }
    // The last parameters may be the very ones whose loss is no number; earlier ones
    // write.
    if (every == "1") continue;
    const Outcome written = run("char_lm", "generate --tokens 5 --out " + place.out);
    BOOST_TEST(written.code == 0, written.err);
    BOOST_TEST(written.out.size() > 5u);
  }
}

BOOST_AUTO_TEST_CASE(texts_that_cannot_be_learnt) {
  const Place place;
  const auto train = [&](const std::string& text) {
    const std::string path = place.folder / "other.txt";
    std::ofstream(path) << text;
    const std::string message = refusal(place.train("--text " + path + tiny()));
    BOOST_TEST(message.starts_with(path + ": "));
    return message.substr(path.size() + 2);
  };
  BOOST_TEST(train("") == "is empty; there is nothing to learn");
  BOOST_TEST(train("good\xc3(") == "must be UTF-8, got byte 0xc3 at offset 4");
  BOOST_TEST(
      train(std::string(160, 'x')) ==
      "the validation part must be longer than --context, got 16 and 16 characters");
  BOOST_TEST(refusal(place.train("--text " + place.folder / "no.txt")) ==
             place.folder / "no.txt: cannot be opened: No such file or directory");
  BOOST_TEST(refusal(place.train("--text /tmp")) ==
             "/tmp: is a folder; a file of text is needed");
}

BOOST_AUTO_TEST_CASE(the_cache_changes_no_character) {
  const Place place;
  BOOST_TEST(run("char_lm", place.fresh()).code == 0);
  for (const std::string options :
       {"--seed 1", "--seed 2 --temperature 1.5", "--top-k 3", "--temperature 0",
        "--prompt 'line 6: \u00e9t\u00e9, hiver, automne'"}) {
    const std::string arguments =
        "generate --out " + place.out + " --tokens 40 " + options;
    const Outcome kept = run("char_lm", arguments);
    BOOST_TEST(kept.code == 0);
    BOOST_TEST(kept.out == run("char_lm", arguments + " --no-cache").out, options);
  }
}

BOOST_AUTO_TEST_CASE(prompts_and_checkpoints_that_cannot_be_used) {
  const Place place;
  BOOST_TEST(run("char_lm", place.fresh({{"steps", "1"}, {"warmup", "0"}})).code == 0);
  const auto generate = [&](const std::string& options) {
    return refusal("generate --out " + place.out + " " + options);
  };
  BOOST_TEST(generate("--prompt 'line 7: \u03bb'") ==
             "--prompt: the text that the model has learnt has no '7' (U+0037), '\u03bb' "
             "(U+03BB)");
  BOOST_TEST(generate("--prompt ''") == "--prompt: must have a character to go on from");
  BOOST_TEST(generate("--prompt \"$(printf 'a\\377')\"") ==
             "--prompt: must be UTF-8, got byte 0xff at offset 1");
  BOOST_TEST(refusal("generate --out " + place.folder / "no") ==
             place.folder /
                 "no/checkpoint.safetensors: there is no such file; char_lm "
                 "train makes one");

  // Cut off, and changed in the middle of the data.
  const std::string whole = contents(place.checkpoint());
  std::ofstream(place.checkpoint(), std::ios::binary)
      << whole.substr(0, whole.size() - 100);
  const std::string path = place.checkpoint();
  BOOST_TEST(generate("").starts_with("read_safetensors: " + path + ": tensor "));
  BOOST_TEST(refusal(place.again()).starts_with("read_safetensors: " + path + ": "));
  std::string changed = whole;
  changed[changed.size() - 100] ^= 1;
  std::ofstream(path, std::ios::binary) << changed;
  BOOST_TEST(generate("").starts_with(
      path + ": must be a whole checkpoint of char_lm: its hash must be "));
}

BOOST_AUTO_TEST_CASE(folders_that_cannot_be_used) {
  const Place place;
  const std::string options = " --text " + place.text + tiny();
  BOOST_TEST(refusal("train --out /dev/null/x" + options) ==
             "/dev/null/x: the folder cannot be written: Not a directory");
  BOOST_TEST(refusal(place.fresh({{"figures", "/dev/null/x"}})) ==
             "/dev/null/x: the folder cannot be written: Not a directory");
  BOOST_TEST(refusal("train --resume --out " + place.folder / "no" + options) ==
             place.folder / "no: there is no such folder to go on from");
}

BOOST_AUTO_TEST_CASE(figures) {
  const Place place;
  const std::string figures = place.folder / "figures";
  const Outcome outcome = run("char_lm", place.fresh({{"figures", figures}}));
  BOOST_TEST(outcome.code == 0);
  if (outcome.out.find("no figures are drawn") == outcome.out.npos) {
    BOOST_TEST(contents(figures + "/loss.svg").starts_with("<?xml"));
  }
}

BOOST_AUTO_TEST_CASE(help_and_wrong_options) {
  const auto helps = [](const std::string& arguments,
                        const std::vector<std::string>& words) {
    const Outcome help = run("char_lm", arguments);
    BOOST_TEST(help.code == 0);
    BOOST_TEST(help.err == "");
    for (const std::string& word : words) {
      BOOST_TEST(help.out.find(word) != help.out.npos, arguments << ' ' << word);
    }
  };
  helps("--help", {"train", "generate", "Exit codes: 0 ", "130 or 143"});
  helps("train --help", {"heed's own sources",
                         "--layers N=4",
                         "--heads N=4",
                         "--width N=128",
                         "--context N=64",
                         "--batch N=12",
                         "--steps N=2000",
                         "--lr NUMBER=0.001",
                         "--min-lr NUMBER=0.0001",
                         "--warmup N=100",
                         "--beta1 NUMBER=0.9",
                         "--beta2 NUMBER=0.99",
                         "--weight-decay NUMBER=0.1",
                         "--clip NUMBER=1",
                         "--dropout NUMBER=0",
                         "--seed N=42",
                         "--eval-every N=250",
                         "--eval-batches N=20",
                         "--checkpoint-every N=250",
                         "--threads",
                         "--figures",
                         "--bias",
                         "--resume",
                         "--text",
                         "--out"});
  helps("generate --help",
        {"--out", "--prompt", "--tokens N=500", "--temperature NUMBER=0.8", "--top-k N=0",
         "--seed", "--no-cache"});
  const Place place;
  for (const std::string arguments :
       {"", "learn", "train", "generate", "train --out x --layers 0",
        "train --out x --steps 1.5", "train --out x --dropout 1.5",
        "train --out x --lr nan", "train --out x --beta1 1", "train --out x --seed -1",
        "generate --out x --temperature -1", "generate --out x --tokens 0",
        "generate --out x extra"}) {
    check_refused("char_lm", arguments);
  }
  BOOST_TEST(refusal(place.fresh({{"heads", "3"}})) ==
             "--heads must divide --width, got 3 and 16");
  BOOST_TEST(refusal(place.fresh({{"lr", "1e-5"}})) ==
             "--min-lr must not be above --lr, got 0.0001 and 1e-05");
  BOOST_TEST(refusal(place.fresh({{"warmup", "31"}})) ==
             "--warmup must not be above --steps, got 31 and 30");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace

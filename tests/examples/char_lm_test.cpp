// The program char_lm: what it prints and writes, and what it says to wrong input.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "tensor/core/text.h"
#include "tests/examples/char_lm_place.h"
#include "tests/examples/run.h"

namespace {

using namespace heed::examples;
namespace fs = std::filesystem;

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
  BOOST_TEST(refusal(place.train("--text ''")) ==
             "--text: the name of the file is empty\n"
             "Run with --help for more information.");
  BOOST_TEST(refusal(place.train("--lr 0 --min-lr 0")) == "--lr must be above 0, got 0");
  BOOST_TEST(!fs::exists(place.folder / "new"));
  BOOST_TEST(refusal("train --text /dev/null/x --out " + place.folder / "new") ==
             "/dev/null/x: cannot be opened: Not a directory");
  BOOST_TEST(!fs::exists(place.folder / "new"));
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

BOOST_AUTO_TEST_CASE(what_is_written_depends_on_its_options) {
  const Place place;
  std::ofstream(place.text) << std::string(300, 'b') + std::string(300, 'a');
  BOOST_TEST(run("char_lm", place.fresh()).code == 0);
  const auto write = [&](const std::string& options) {
    return run("char_lm", "generate --out " + place.out + " " + options).out;
  };
  // Without a line end in the text a prompt is its first character.
  const std::string text = write("--tokens 40");
  BOOST_TEST(text.size() == 42u);  // and a line end
  BOOST_TEST(text.starts_with("a"));
  BOOST_TEST(write("--tokens 40") == text);
  BOOST_TEST(write("--tokens 40 --seed 42") == text);
  BOOST_TEST(write("--tokens 40 --seed 43") != text);
  BOOST_TEST(write("--tokens 7 --prompt bab").size() == 11u);
  BOOST_TEST(write("--tokens 7 --prompt bab").starts_with("bab"));
}

// A checkpoint may be anyone's: what its model writes moves no cursor and sets no title.
BOOST_AUTO_TEST_CASE(control_characters_are_written_as_escapes) {
  const Place place;
  std::string text;
  for (int i = 0; i < 100; ++i)
    text +=
        "\x1b]0;\a\xc2\x9b"
        "2J\r\n\t";
  std::ofstream(place.text) << text;
  BOOST_TEST(run("char_lm", place.fresh()).code == 0);
  const std::string generate = "generate --tokens 200 --out " + place.out;
  const Outcome written = run("char_lm", generate + " --prompt \"$(printf '\\033')\"");
  BOOST_TEST(written.code == 0);
  BOOST_TEST(written.out.starts_with("\\u001b"), written.out);
  BOOST_TEST(heed::printable(written.out, "\n\t") == written.out);
  for (const char* escape : {R"(\u009b)", R"(\r)", R"(\u0007)", "\n", "\t"}) {
    BOOST_TEST(written.out.find(escape) != written.out.npos, escape);
  }
}

BOOST_AUTO_TEST_CASE(prompts_and_checkpoints_that_cannot_be_used) {
  const Place place;
  BOOST_TEST(run("char_lm", place.fresh({{"steps", "1"}, {"warmup", "0"}})).code == 0);
  const auto generate = [&](const std::string& options) {
    return refusal("generate --out " + place.out + " " + options);
  };
  BOOST_TEST(generate("--prompt 'line 7: \u03bb'") ==
             "--prompt: the vocabulary has no '7' (U+0037), '\u03bb' "
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
  helps("attention --help", {"--out", "--prompt", "--html FILE", "--threads"});
  for (const std::string arguments :
       {"--help", "train --help", "generate --help", "attention --help"}) {
    BOOST_TEST(run_into("/dev/full", "char_lm", arguments).code == 1);
  }
  for (const std::string value : {"7", "99999999999999999999", "yes"}) {
    BOOST_TEST(check_refused("char_lm", "generate --out x --no-cache=" + value) ==
               "char_lm: --no-cache: true, false or no value is needed, got " + value +
                   "\nRun with --help for more information.\n");
  }
  for (const std::string before : {"", "train "}) {  // not that something is missing
    BOOST_TEST(check_refused("char_lm", before + "--bogus 3 x") ==
               "char_lm: arguments not expected: --bogus 3 x\n"
               "Run with --help for more information.\n");
  }
  const Place place;
  for (const std::string arguments :
       {"", "learn", "train", "generate", "attention", "train --out x --layers 0",
        "train --out x --steps 1.5", "train --out x --dropout 1.5",
        "train --out x --dropout 1", "train --out x --lr nan", "train --out x --beta1 1",
        "train --out x --seed -1", "generate --out x --temperature -1",
        "generate --out x --tokens 0", "generate --out x extra"}) {
    check_refused("char_lm", arguments);
  }
  BOOST_TEST(refusal(place.fresh({{"heads", "3"}})) ==
             "--heads must divide --width, got 3 and 16");
  BOOST_TEST(!fs::exists(place.out));
  BOOST_TEST(refusal(place.fresh({{"lr", "1e-5"}})) ==
             "--min-lr must not be above --lr, got 0.0001 and 1e-05");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace

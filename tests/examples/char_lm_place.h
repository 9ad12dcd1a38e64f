// A folder, a text and options for short trainings of char_lm.
#pragma once

#include <fstream>
#include <map>
#include <string>

#include <boost/test/unit_test.hpp>

#include "tests/examples/run.h"
#include "tests/support/folder.h"

namespace heed::examples {

// Options and their values.
using Options = std::map<std::string, std::string>;

// Those of a training that takes a moment, with others in place of some.
inline std::string tiny(Options chosen = {}) {
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
  support::TemporaryFolder folder;
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
inline std::string refusal(const std::string& arguments) {
  const Outcome outcome = run("char_lm", arguments);
  BOOST_TEST(outcome.code == 2, arguments);
  const std::string name = "char_lm: ";
  BOOST_TEST(outcome.err.starts_with(name), outcome.err);
  BOOST_TEST(outcome.err.ends_with("\n"), outcome.err);
  return outcome.err.substr(name.size(), outcome.err.size() - name.size() - 1);
}

}  // namespace heed::examples

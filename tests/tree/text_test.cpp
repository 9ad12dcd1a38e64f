// Limits of C++ files: the number of lines, the length of lines, and nothing left for
// later.
#include <cctype>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>
#include <fmt/core.h>

#include "tests/tree/tree.h"

namespace {

using namespace heed::tree;

constexpr std::size_t max_lines = 400;
constexpr std::size_t max_columns = 90;

// Words that put something off. Put together, so that this file may be tested too.
const std::string to_do = std::string("TO") + "DO";
const std::vector<std::string> marks = {to_do, std::string("FIX") + "ME",
                                        std::string("XX") + "X"};

// Whether `word` stands in the line by itself, not as a part of a longer word.
bool holds_word(const std::string& line, const std::string& word) {
  const auto is_letter = [&](std::size_t i) {
    return i < line.size() && (std::isalnum(static_cast<unsigned char>(line[i])) != 0);
  };
  std::size_t at = line.find(word);
  while (at != std::string::npos) {
    if (!(at > 0 && is_letter(at - 1)) && !is_letter(at + word.size())) return true;
    at = line.find(word, at + 1);
  }
  return false;
}

std::vector<std::string> violations(const File& file) {
  std::vector<std::string> found;
  if (file.lines.size() > max_lines) {
    found.push_back(fmt::format("{}: {} lines", file.path, file.lines.size()));
  }
  for (const Line& line : file.lines) {
    const auto report = [&](const std::string& what) {
      found.push_back(fmt::format("{}:{}: {}", file.path, line.number, what));
    };
    if (columns(line.text) > max_columns) {
      report(fmt::format("{} columns", columns(line.text)));
    }
    if (line.text.find('\t') != std::string::npos) report("a tab");
    if (line.text.ends_with(' ') || line.text.ends_with('\r')) {
      report("a blank at the end");
    }
    for (const std::string& mark : marks) {
      if (holds_word(line.text, mark)) report("says " + mark);
    }
  }
  if (is_header(file.path)) {
    bool once = false;
    for (const Line& line : file.lines) once |= line.text == "#pragma once";
    if (!once) found.push_back(file.path + ": no #pragma once");
  }
  return found;
}

std::vector<std::string> violations(const std::string& path, const std::string& text) {
  return violations(File{path, split(text)});
}

BOOST_AUTO_TEST_SUITE(budget_of_text)

BOOST_AUTO_TEST_CASE(the_rules_find_what_breaks_them) {
  std::string lines;
  for (int i = 0; i < 400; ++i) lines += "x\n";
  BOOST_TEST(violations("a.cpp", lines).empty());
  BOOST_TEST(violations("a.cpp", lines + "x\n").at(0) == "a.cpp: 401 lines");

  std::string line(89, 'x');
  BOOST_TEST(violations("a.cpp", line + "²").empty());
  BOOST_TEST(violations("a.cpp", line + "²x").at(0) == "a.cpp:1: 91 columns");

  BOOST_TEST(violations("a.cpp", "\n// " + to_do + ": x").at(0) ==
             "a.cpp:2: says " + to_do);
  BOOST_TEST(violations("a.cpp", "x" + to_do + " " + to_do + "s").empty());
  BOOST_TEST(violations("a.cpp", "\tx").at(0) == "a.cpp:1: a tab");
  BOOST_TEST(violations("a.cpp", "x ").at(0) == "a.cpp:1: a blank at the end");
  BOOST_TEST(violations("a.h", "int x;").at(0) == "a.h: no #pragma once");
  BOOST_TEST(violations("a.h", "#pragma once\n").empty());
}

BOOST_AUTO_TEST_CASE(every_file_keeps_them) {
  const std::string found = findings(read_tree(), violations);
  BOOST_TEST(found == "");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace

// The .md files: the length of lines, and links that lead somewhere.
#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>
#include <fmt/core.h>

#include "tests/tree/tree.h"

namespace {

using namespace heed::tree;

constexpr std::size_t max_columns = 100;

// Rows of tables cannot be broken, nor can a line of one word, such as a long link.
bool can_be_broken(const std::string& line) {
  return !line.starts_with("|") &&
         line.find(' ', line.find_first_not_of(" -")) < line.npos;
}

std::vector<std::string> violations(const File& file) {
  static const std::regex link(R"(\]\(([\w./]+)\))");
  std::vector<std::string> found;
  bool is_code = false;
  for (const Line& line : file.lines) {
    const auto report = [&](const std::string& what) {
      found.push_back(fmt::format("{}:{}: {}", file.path, line.number, what));
    };
    const bool fence = line.text.starts_with("```");
    is_code = is_code != fence;
    if (is_code || fence) continue;
    if (columns(line.text) > max_columns && can_be_broken(line.text)) {
      report(fmt::format("{} columns", columns(line.text)));
    }
    for (std::sregex_iterator match(line.text.begin(), line.text.end(), link), end;
         match != end; ++match) {
      const std::string target = (*match)[1];
      const std::filesystem::path folder = std::filesystem::path(file.path).parent_path();
      if (!is_in_tree((folder / target).lexically_normal()))
        report("leads nowhere: " + target);
    }
  }
  return found;
}

std::vector<std::string> violations(const std::string& path, const std::string& text) {
  return violations(File{path, split(text)});
}

BOOST_AUTO_TEST_SUITE(documents)

BOOST_AUTO_TEST_CASE(the_rules_find_what_breaks_them) {
  const std::string long_line = std::string(50, 'x') + " " + std::string(49, 'x');
  BOOST_TEST(violations("a.md", long_line).empty());
  BOOST_TEST(violations("a.md", long_line + "x").at(0) == "a.md:1: 101 columns");
  BOOST_TEST(violations("a.md", "| " + long_line).empty());
  BOOST_TEST(violations("a.md", "```\n" + long_line + "x\n```\n").empty());
  BOOST_TEST(violations("a.md", std::string(101, 'x')).empty());
  BOOST_TEST(violations("tests/a.md", "[b](tree/tree.h) and [c](../heed.h)").empty());
  BOOST_TEST(violations("tests/a.md", "[b](tree.h)").at(0) ==
             "tests/a.md:1: leads nowhere: tree.h");
}

BOOST_AUTO_TEST_CASE(every_file_keeps_them) {
  const std::vector<File> files = read_tree({".md"});
  BOOST_TEST(files.size() > 5u);
  const std::string found = findings(files, violations);
  BOOST_TEST(found == "");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace

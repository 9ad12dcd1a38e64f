// What the READMEs show of programs: the text of one, and what they print.
#include <stdexcept>
#include <string>

#include <boost/test/unit_test.hpp>

#include "tests/examples/run.h"

namespace {

using namespace heed::examples;

// The text of the first block fenced as `language` at or after `from`, which is moved
// past the block.
std::string block(const std::string& text, const std::string& language,
                  std::size_t& from) {
  const std::string opening = "\n```" + language + "\n";
  const std::size_t begin = text.find(opening, from);
  const std::size_t end = text.find("\n```\n", begin);
  if (begin == text.npos || end == text.npos)
    throw std::runtime_error("a README: no block of " + language);
  from = end;
  return text.substr(begin + opening.size(), end + 1 - begin - opening.size());
}

BOOST_AUTO_TEST_SUITE(readme)

BOOST_AUTO_TEST_CASE(first_program) {
  const std::string root = HEED_SOURCE_ROOT;
  const std::string readme = contents(root + "/README.md");
  std::size_t at = 0;
  BOOST_TEST(block(readme, "cpp", at) == contents(root + "/examples/first_gradient.cpp"));
  const Outcome outcome = run("first_gradient");
  BOOST_TEST(outcome.code == 0);
  BOOST_TEST(outcome.err == "");
  BOOST_TEST(block(readme, "text", at) == outcome.out);
  // The explanation comes first, then what the program prints without it.
  at = readme.find("## See what happens");
  BOOST_TEST(run("first_gradient", "--explain").out ==
             block(readme, "text", at) + "\n" + outcome.out);
}

BOOST_AUTO_TEST_CASE(the_worked_backward) {
  const std::string readme =
      contents(std::string(HEED_SOURCE_ROOT) + "/autograd/README.md");
  const Outcome outcome = run("worked_backward");
  BOOST_TEST(outcome.code == 0);
  BOOST_TEST(outcome.err == "");
  std::size_t at = 0;
  BOOST_TEST(block(readme, "text", at) == outcome.out);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace

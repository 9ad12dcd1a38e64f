#include "tests/examples/printed.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>

#include <boost/test/unit_test.hpp>

namespace heed::examples {
namespace {

// `text` up to the end of its first `count` lines.
std::string first_lines(const std::string& text, std::ptrdiff_t count) {
  std::size_t end = 0;
  for (; count > 0 && end < text.size(); --count)
    end = std::min(text.find('\n', end), text.size() - 1) + 1;
  return text.substr(0, end);
}

}  // namespace

Printed::Printed(const std::string& text) {
  const char* at = text.c_str();
  while (*at != '\0') {
    char* end = nullptr;
    const double value = std::strtod(at, &end);
    const std::string spelled(at, static_cast<const char*>(end));
    if (spelled.find('.') == spelled.npos) {
      layout += *at++;
      continue;
    }
    layout += spelled.substr(0, spelled.find_first_not_of(" \n")) + "#";
    const std::size_t e = spelled.find('e');
    const int exponent = e == spelled.npos ? 0 : std::stoi(spelled.substr(e + 1));
    numbers.push_back({value, 1e-4 * std::pow(10, exponent)});
    at = end;
  }
}

void check_printed(const std::string& out, const std::string& heading,
                   const std::string& expected) {
  const std::size_t line = ("\n" + out).find("\n" + heading + "\n");
  BOOST_TEST_REQUIRE(line != out.npos, "no line '" << heading << "' in\n" << out);
  const Printed right(expected);
  const Printed found(first_lines(out.substr(line + heading.size()),
                                  std::count(expected.begin(), expected.end(), '\n')));
  BOOST_TEST(found.layout == right.layout);
  BOOST_TEST_REQUIRE(found.numbers.size() == right.numbers.size());
  for (std::size_t i = 0; i < found.numbers.size(); ++i) {
    const double a = found.numbers[i].value, b = right.numbers[i].value;
    BOOST_TEST(std::abs(a - b) <= 1.01 * right.numbers[i].unit + 1e-7,
               heading << ", number " << i << ": " << a << " for " << b);
  }
}

BOOST_AUTO_TEST_CASE(printed_numbers_are_found) {
  const Printed text("tensor([[ 1.2500, -inf],\n  [-7.3186e-02, 0.]]), 5 (2, 3)");
  BOOST_TEST(text.layout == "tensor([[ #, -inf],\n  [#, #]]), 5 (2, 3)");
  BOOST_TEST_REQUIRE(text.numbers.size() == 3u);
  BOOST_TEST(text.numbers[0].value == 1.25);
  BOOST_TEST(text.numbers[0].unit == 1e-4);
  BOOST_TEST(text.numbers[1].value == -7.3186e-02);
  BOOST_TEST(std::abs(text.numbers[1].unit - 1e-6) < 1e-12);
  BOOST_TEST(text.numbers[2].value == 0);
}

}  // namespace heed::examples

// The width of text.
#include "view/text.h"

#include <string>

#include <boost/test/unit_test.hpp>

namespace {

using namespace heed::viz;

BOOST_AUTO_TEST_SUITE(text)

BOOST_AUTO_TEST_CASE(widths) {
  BOOST_TEST(text_width("") == 0);
  BOOST_TEST(text_width("<BOS>") == 5);
  BOOST_TEST(text_width("caf\u00e9 \u2026") == 6);
  BOOST_TEST(text_width("\u6ce8\u610f") == 4);
  BOOST_TEST(text_width("\U0001F600") == 2);
  // Escapes are shown in place of invalid UTF-8 and of control characters.
  BOOST_TEST(text_width("\xff\xc3") == 8);
  BOOST_TEST(text_width("\xe6\xb3 \n") == 11);
}

BOOST_AUTO_TEST_CASE(what_fits_is_kept) {
  BOOST_TEST(shortened("head 1", 6) == "head 1");
  BOOST_TEST(shortened("head 1", 5) == "head\u2026");
  BOOST_TEST(shortened("head 1", 1) == "\u2026");
  BOOST_TEST(shortened("head 1", 0) == "");
  BOOST_TEST(shortened("caf\u00e9", 4) == "caf\u00e9");
  BOOST_TEST(shortened("caf\u00e9s", 4) == "caf\u2026");
  // A wide character is not cut in two.
  BOOST_TEST(shortened("\u6ce8\u610f\u529b", 6) == "\u6ce8\u610f\u529b");
  BOOST_TEST(shortened("\u6ce8\u610f\u529b", 4) == "\u6ce8\u2026");
}

BOOST_AUTO_TEST_CASE(what_would_spoil_a_line_is_replaced) {
  BOOST_TEST(shortened("a\nb\x1b[31mc", 20) == R"(a\nb\u001b[31mc)");
  BOOST_TEST(shortened("a\xff\xc3z", 20) == R"(a\xff\xc3z)");
  BOOST_TEST(shortened("ab\xff", 4) == R"(ab\)"
                                       "\u2026");
}

BOOST_AUTO_TEST_CASE(alignment) {
  BOOST_TEST(left_aligned("ab", 4) == "ab  ");
  BOOST_TEST(right_aligned("ab", 4) == "  ab");
  BOOST_TEST(right_aligned("\u6ce8", 4) == "  \u6ce8");
  BOOST_TEST(left_aligned("abcdef", 4) == "abc\u2026");
  BOOST_TEST(left_aligned("", 0) == "");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace

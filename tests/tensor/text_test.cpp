// What messages and terminals show of text from outside.
#include "tensor/core/text.h"

#include <string>
#include <utility>

#include <boost/test/unit_test.hpp>
#include <fmt/format.h>

using namespace heed;

BOOST_AUTO_TEST_SUITE(text)

BOOST_AUTO_TEST_CASE(the_first_code_point) {
  const auto first = first_code_point("\u00e9z");
  BOOST_TEST_REQUIRE(first.has_value());
  BOOST_TEST((first->code == U'\u00e9'));
  BOOST_TEST(first->size == 2u);
  BOOST_TEST(!first_code_point("").has_value());
}

BOOST_AUTO_TEST_CASE(what_can_be_printed_stays) {
  const std::string text =
      "a z ~ \"quoted\" back\\slash caf\u00e9 \u00a0 \u6ce8\u610f \u05d0\u200f "
      "\U0001f600";
  BOOST_TEST(printable(text) == text);
  BOOST_TEST(printable("").empty());
}

BOOST_AUTO_TEST_CASE(what_a_terminal_would_obey_is_escaped) {
  // The title of the window, and a control sequence in both of its spellings.
  BOOST_TEST(printable("\x1b]0;x\a") == R"(\u001b]0;x\u0007)");
  BOOST_TEST(printable("\x1b[2J\xc2\x9b"
                       "2J") == R"(\u001b[2J\u009b2J)");
  BOOST_TEST(printable("1\n2\r3\t4\x7f") == R"(1\n2\r3\t4\u007f)");
  BOOST_TEST(printable(std::string("a\0b", 3)) == R"(a\u0000b)");
  for (int code = 0; code < 0x20; ++code) {
    BOOST_TEST(printable(std::string(1, static_cast<char>(code))).starts_with("\\"));
  }
  for (int code = 0x80; code < 0xa0; ++code) {
    const std::string c1 = {'\xc2', static_cast<char>(code)};
    BOOST_TEST(printable(c1).starts_with("\\u00"));
  }
  BOOST_TEST(printable("1\n2\t3\x1b\r", "\n\t") == "1\n2\t3\\u001b\\r");
}

BOOST_AUTO_TEST_CASE(what_a_reader_would_not_see_is_escaped) {
  // Separators of lines and paragraphs, marks of direction, noncharacters.
  BOOST_TEST(printable("a\u2028b\u2029") == R"(a\u2028b\u2029)");
  BOOST_TEST(printable("\u202etxt.\u202c\u2066\u2069") ==
             R"(\u202etxt.\u202c\u2066\u2069)");
  BOOST_TEST(printable("\xef\xbf\xbe\xef\xbf\xbf\xef\xb7\x90") ==
             R"(\ufffe\uffff\ufdd0)");
  BOOST_TEST(printable("\xf0\x9f\xbf\xbf") == R"(\U0001ffff)");
  // Every code point of each range.
  for (const auto& [first, last] : {std::pair{0x202a, 0x202e},
                                    {0x2066, 0x206f},
                                    {0xfdd0, 0xfdef},
                                    {0xfff9, 0xfffb},
                                    {0x2060, 0x2064},
                                    {0x180e, 0x180e}}) {
    for (int code = first; code <= last; ++code) {
      const std::string bytes = {static_cast<char>(0xe0 | code >> 12),
                                 static_cast<char>(0x80 | (code >> 6 & 0x3f)),
                                 static_cast<char>(0x80 | (code & 0x3f))};
      BOOST_TEST(printable(bytes) == fmt::format("\\u{:04x}", code));
    }
  }
  BOOST_TEST(shown("model\u200b.weight") == R"("model\u200b.weight")");
  BOOST_TEST(printable("\u115f\u1160") == R"(\u115f\u1160)");
  BOOST_TEST(printable("\u00ad\ufeff\u3164\uffa0") == R"(\u00ad\ufeff\u3164\uffa0)");
  BOOST_TEST(printable("\U000e0041") == R"(\U000e0041)");
}

BOOST_AUTO_TEST_CASE(bytes_that_are_no_utf8_are_escaped) {
  BOOST_TEST(printable("a\xff\xc3(") == R"(a\xff\xc3()");
  BOOST_TEST(printable("\xe6\xb3") == R"(\xe6\xb3)");          // cut off
  BOOST_TEST(printable("\xc0\x80") == R"(\xc0\x80)");          // overlong
  BOOST_TEST(printable("\xed\xa0\x80") == R"(\xed\xa0\x80)");  // a surrogate
  // "kept" is for characters: no byte is kept for being a part of one.
  BOOST_TEST(printable("\x9b", "\xc2\x9b") == R"(\x9b)");
}

BOOST_AUTO_TEST_CASE(names_in_messages) {
  BOOST_TEST(shown("W_k.weight") == "W_k.weight");
  BOOST_TEST(shown("\u00e9t\u00e9") == "\u00e9t\u00e9");
  BOOST_TEST(shown("") == R"("")");
  BOOST_TEST(shown("a b") == R"("a b")");
  BOOST_TEST(shown(std::string(200, '\x80')).size() > 77u * 4);  // no end of a character
  BOOST_TEST(shown("say \"a\\b\"\n") == R"("say \"a\\b\"\n")");
  BOOST_TEST(shown("\x1b[2J") == R"("\u001b[2J")");
}

BOOST_AUTO_TEST_CASE(long_names_are_clipped) {
  BOOST_TEST(shown(std::string(80, 'n')) == std::string(80, 'n'));
  BOOST_TEST(shown(std::string(81, 'n')) == std::string(80, 'n') + "...");
  BOOST_TEST(shown("a bcdef", 4) == R"("a bc"...)");
  BOOST_TEST(shown("abc\u00e9", 4) == "abc...");  // not within a character
}

BOOST_AUTO_TEST_SUITE_END()

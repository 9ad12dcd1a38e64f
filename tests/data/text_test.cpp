// UTF-8: what is read, what is refused and how it is told, and the way back.
#include "data/text.h"

#include <fstream>
#include <string>

#include <boost/test/unit_test.hpp>

#include "tensor/core/factories.h"
#include "tensor/reduce/comparing.h"
#include "tests/errors.h"
#include "tests/support/folder.h"

namespace {

using namespace heed::data;
using heed::equal, heed::error_of, heed::tensor;

std::string refusal(const std::string& text) {
  return error_of([&] { from_utf8(text, "a.txt"); });
}

BOOST_AUTO_TEST_SUITE(data_text)

BOOST_AUTO_TEST_CASE(code_points_of_every_size) {
  // The first and the last ones of one to four bytes, and those beside the surrogates.
  const std::u32string codes =
      U"\u0001\u007f\u0080\u07ff\u0800\ud7ff\ue000\uffff\U00010000\U0010ffff";
  const std::string text = to_utf8(codes);
  BOOST_TEST(text.size() == 1u + 1 + 2 + 2 + 3 + 3 + 3 + 3 + 4 + 4);
  BOOST_TEST((from_utf8(text, "") == codes));
  BOOST_TEST(to_utf8(U"caf\u00e9 \u2026 \U0001f600") == "caf\u00e9 \u2026 \U0001f600");
  BOOST_TEST((from_utf8(std::string("a\0b", 3), "") == std::u32string(U"a\0b", 3)));
  BOOST_TEST(from_utf8("", "").empty());
}

BOOST_AUTO_TEST_CASE(what_is_no_utf8_is_told_with_its_place) {
  BOOST_TEST(refusal("ab\xff") == "a.txt: must be UTF-8, got byte 0xff at offset 2");
  BOOST_TEST(refusal("\u00e9\x80") == "a.txt: must be UTF-8, got byte 0x80 at offset 2");
  // Cut off, or followed by something else: the byte that promised more is named.
  BOOST_TEST(refusal("a\xe2\x80") == "a.txt: must be UTF-8, got byte 0xe2 at offset 1");
  BOOST_TEST(refusal("\xc3(") == "a.txt: must be UTF-8, got byte 0xc3 at offset 0");
  // Overlong, surrogates, beyond the last code point.
  for (const char* text :
       {"\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xf0\x8f\xbf\xbf", "\xed\xa0\x80",
        "\xed\xbf\xbf", "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80"}) {
    BOOST_TEST(refusal(text).starts_with("a.txt: must be UTF-8, got byte 0x"), text);
  }
}

BOOST_AUTO_TEST_CASE(characters_are_numbered_in_their_order) {
  const Vocabulary vocabulary(U"b\u00e9a\nb\U0001f600");
  BOOST_TEST((vocabulary.characters() == U"\nab\u00e9\U0001f600"));
  BOOST_TEST(vocabulary.size() == 5);
  BOOST_TEST(equal(vocabulary.encode(U"\u00e9b\n"), tensor({3, 2, 0})));
  BOOST_TEST((vocabulary.decode(tensor({{4, 0}, {2, 2}})) == U"\U0001f600\nbb"));
  BOOST_TEST(vocabulary.encode(U"").numel() == 0);
  BOOST_TEST(error_of([&] { (void)vocabulary.decode(tensor({5})); }) ==
             "decode: an id must be from 0 to 4, got 5");
}

BOOST_AUTO_TEST_CASE(characters_of_a_temporary_outlive_it) {
  const std::u32string& characters =
      Vocabulary(U"hello, world, many letters").characters();
  BOOST_TEST((characters == U" ,adehlmnorstwy"));
}

BOOST_AUTO_TEST_CASE(unknown_characters_are_named) {
  const Vocabulary vocabulary(U"abc");
  BOOST_TEST(error_of([&] { vocabulary.encode(U"a\u00e9b\nz\u00e9", "--prompt"); }) ==
             "--prompt: the vocabulary has no 'z' (U+007A), '\u00e9' (U+00E9), U+000A");
}

BOOST_AUTO_TEST_CASE(texts_of_files) {
  const heed::support::TemporaryFolder folder;
  const std::string path = folder / "t.txt";
  std::ofstream(path) << "caf\u00e9\n";
  BOOST_TEST((read_text(path) == U"caf\u00e9\n"));
  std::ofstream(path) << "ab\xff";
  BOOST_TEST(error_of([&] { (void)read_text(path); }) ==
             path + ": must be UTF-8, got byte 0xff at offset 2");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace

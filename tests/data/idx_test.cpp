// IDX files: every type of elements, gzip, and what is refused with the file's name.
#include "data/idx.h"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>

#include <boost/test/unit_test.hpp>
#include <zlib.h>

#include "data/file.h"
#include "tensor/core/factories.h"
#include "tensor/reduce/comparing.h"
#include "tests/errors.h"
#include "tests/support/folder.h"

namespace {

using namespace heed;
using namespace std::literals;
using heed::support::TemporaryFolder;

// A file of shape (2, 3) whose elements have the type `code`.
std::string file(char code, std::string_view elements) {
  return "\0\0"s + code + "\x02\0\0\0\x02\0\0\0\x03"s + std::string(elements);
}

std::string refusal(std::string_view bytes) {
  return error_of([&] { data::parse_idx(bytes, "t.idx"); });
}

void write(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

void write_gzip(const std::string& path, std::string_view bytes) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> to(gzopen(path.c_str(), "wb"),
                                                      gzclose);
  BOOST_REQUIRE(gzwrite(to.get(), bytes.data(), static_cast<unsigned>(bytes.size())) ==
                static_cast<int>(bytes.size()));
}

const std::string bytes = file(0x08, "\x00\x01\x02\x7f\x80\xff"sv);
const Tensor numbers = tensor({{0, 1, 2}, {127, 128, 255}});

BOOST_AUTO_TEST_SUITE(idx)

BOOST_AUTO_TEST_CASE(every_type_of_elements) {
  BOOST_TEST(equal(data::parse_idx(bytes, ""), numbers));
  BOOST_TEST(equal(data::parse_idx(file(0x09, "\x00\x01\x02\x7f\x80\xff"sv), ""),
                   tensor({{0, 1, 2}, {127, -128, -1}})));
  BOOST_TEST(
      equal(data::parse_idx(file(0x0b, "\0\0\0\1\1\0\x7f\xff\x80\0\xff\xff"sv), ""),
            tensor({{0, 1, 256}, {32767, -32768, -1}})));
  BOOST_TEST(equal(data::parse_idx(file(0x0c,
                                        "\0\0\0\0\0\0\0\1\0\0\1\0\x7f\xff\xff\xff"
                                        "\x80\0\0\0\xff\xff\xff\xff"sv),
                                   ""),
                   tensor({{0, 1, 256}, {2147483647, -2147483648, -1}})));
  // 1, -2, 0.5, 0, 4 and 0.1 as IEEE 754 has them.
  BOOST_TEST(equal(data::parse_idx(file(0x0d,
                                        "\x3f\x80\0\0\xc0\0\0\0\x3f\0\0\0"
                                        "\0\0\0\0\x40\x80\0\0\x3d\xcc\xcc\xcd"sv),
                                   ""),
                   tensor({{1.0, -2.0, 0.5}, {0.0, 4.0, 0.1}}, float32)));
  BOOST_TEST(equal(
      data::parse_idx(file(0x0e,
                           "\x3f\xf0\0\0\0\0\0\0\xc0\0\0\0\0\0\0\0"
                           "\x3f\xe0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
                           "\x40\x10\0\0\0\0\0\0\x3f\xb9\x99\x99\x99\x99\x99\x9a"sv),
                      ""),
      tensor({{1.0, -2.0, 0.5}, {0.0, 4.0, 0.1}}, float64)));
}

BOOST_AUTO_TEST_CASE(a_dtype_can_be_asked_for) {
  const Tensor found = data::parse_idx(bytes, "", float32);
  BOOST_TEST(equal(found, numbers.to(float32)));
  BOOST_TEST((found.dtype() == float32));
  BOOST_TEST((data::parse_idx("\0\0\x08\0\x05"s, "").shape() == Shape{}));
}

BOOST_AUTO_TEST_CASE(files_may_be_packed) {
  const TemporaryFolder folder;
  write(folder / "a", bytes);
  write_gzip(folder / "a.gz", bytes);
  BOOST_TEST(equal(data::read_idx(folder / "a"), numbers));
  BOOST_TEST(equal(data::read_idx(folder / "a.gz"), numbers));
}

BOOST_AUTO_TEST_CASE(packed_files_that_are_damaged) {
  const TemporaryFolder folder;
  const std::string path = folder / "a.gz";
  write_gzip(path, std::string(1000, 'x') + bytes);
  const std::string whole = [&] {
    std::ifstream in(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  }();
  for (std::size_t size : {whole.size() - 1, whole.size() - 9, whole.size() / 2}) {
    write(path, std::string_view(whole).substr(0, size));
    BOOST_TEST(
        error_of([&] { data::read_file(path); }).starts_with(path + ": cannot be read: "),
        size);
  }
  std::string changed = whole;
  changed[changed.size() - 6] ^= 1;  // of the checksum
  write(path, changed);
  BOOST_TEST(
      error_of([&] { data::read_file(path); }).starts_with(path + ": cannot be read: "));
}

BOOST_AUTO_TEST_CASE(what_is_no_idx_file) {
  for (const std::string& text : {""s, "\0\0\x08"s}) {
    BOOST_TEST(
        refusal(text) ==
        fmt::format("t.idx: is no IDX file: it must begin with two zero bytes, a type "
                    "and a rank, and has {} bytes",
                    text.size()));
  }
  BOOST_TEST(refusal("a,b\n1,2\n"s) ==
             "t.idx: is no IDX file: it must begin with two zero bytes, got 0x61 0x2c");
  BOOST_TEST(refusal("\0\1\x08\0"s) ==
             "t.idx: is no IDX file: it must begin with two zero bytes, got 0x00 0x01");
  BOOST_TEST(refusal("\0\0\x08\x09"s) ==
             "t.idx: at most 8 dimensions are allowed, got 9");
  BOOST_TEST(refusal("\0\0\x08\x02\0\0\0"s) ==
             "t.idx: the header must have 12 bytes, got 7");
  BOOST_TEST(refusal(file(0x0a, "123456")) ==
             "t.idx: the type of its elements must be 0x08, 0x09 or 0x0b to 0x0e, got "
             "0x0a");
  BOOST_TEST(refusal(file(0x08, "12345")) ==
             "t.idx: a file of shape (2, 3) must have 6 elements of 1 bytes after its "
             "header, got 5 bytes");
  BOOST_TEST(refusal(file(0x0b, "1234567890123")) ==
             "t.idx: a file of shape (2, 3) must have 6 elements of 2 bytes after its "
             "header, got 13 bytes");
  // Sizes whose product does not fit.
  BOOST_TEST(refusal("\0\0\x08\x02\xff\xff\xff\xff\xff\xff\xff\xff"s) ==
             "t.idx: shape: too many elements, got (4294967295, 4294967295)");
  BOOST_TEST(error_of([] {
               data::parse_idx(file(0x0d, std::string(24, '\0')), "t.idx", int64);
             }) ==
             "t.idx: has fractions; its dtype must be float32 or float64, got "
             "int64");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace

// Reading files of tensors: valid ones, and every way in which they can be wrong.
// safetensors_disk_test.cpp tests what concerns the disk.
#include <sstream>

#include <boost/test/unit_test.hpp>
#include <fmt/format.h>

#include <heed.h>

#include "tests/errors.h"

using namespace heed;

namespace {

std::string eight_bytes(std::uint64_t number) {
  return std::string(reinterpret_cast<const char*>(&number), sizeof number);
}

// A file of this header and data.
std::string file_of(const std::string& header, const std::string& data = {}) {
  return eight_bytes(header.size()) + header + data;
}

nn::Safetensors read(const std::string& bytes) {
  std::istringstream stream(bytes);
  return nn::read_safetensors(stream, "f");
}

// What the Error says of a file, after the file's name.
std::string refusal(const std::string& bytes) {
  const std::string message = error_of([&] { read(bytes); });
  const std::string start = "read_safetensors: f: ";
  BOOST_TEST(message.starts_with(start), message);
  return message.substr(std::min(start.size(), message.size()));
}
std::string header_refusal(const std::string& header, std::size_t data_size = 0) {
  return refusal(file_of(header, std::string(data_size, '\0')));
}

// One tensor `a` with these fields.
std::string entry(const std::string& dtype, const std::string& shape,
                  const std::string& offsets) {
  return fmt::format(R"({{"a":{{"dtype":{},"shape":{},"data_offsets":{}}}}})", dtype,
                     shape, offsets);
}

// Three tensors a, b and c, a float each, with these offsets.
std::string three(const std::string& a, const std::string& b, const std::string& c) {
  const auto one = [](const char* name, const std::string& offsets) {
    return fmt::format(R"("{}":{{"dtype":"F32","shape":[1],"data_offsets":[{}]}})", name,
                       offsets);
  };
  return "{" + one("a", a) + "," + one("b", b) + "," + one("c", c) + "}";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(safetensors_reading)

BOOST_AUTO_TEST_CASE(a_file_as_the_format_describes_it) {
  const float w[] = {1, 2, 3, 4, 5, 6};
  const double s = -0.5;
  const std::int64_t n[] = {INT64_MIN, 7};
  std::string data(reinterpret_cast<const char*>(n), sizeof n);
  data.append(reinterpret_cast<const char*>(&s), sizeof s);
  data.append(reinterpret_cast<const char*>(w), sizeof w);
  data += std::string("\1\0\1", 3);
  // In any order, with blanks in and after it; metadata last; an empty tensor.
  const nn::Safetensors file = read(file_of(
      R"({"w": {"shape": [2, 3], "dtype": "F32", "data_offsets": [24, 48]},
          "mask":{"dtype":"BOOL","shape":[3],"data_offsets":[48,51]},
          "s":{"dtype":"F64","shape":[],"data_offsets":[16,24]},
          "none":{"dtype":"F32","shape":[4,0,2],"data_offsets":[24,24]},
          "n":{"dtype":"I64","shape":[2],"data_offsets":[0,16]},
          "__metadata__":{"epoch":"5","":"\u00e9\n"}}   )",
      data));
  BOOST_TEST(file.tensors.size() == 5u);
  const Tensor& weight = file.tensors.at("w");
  BOOST_TEST((weight.shape() == Shape{2, 3}));
  BOOST_TEST((weight.to_vector<float>() == std::vector<float>(w, w + 6)));
  BOOST_TEST((file.tensors.at("mask").to_vector<bool>() ==
              std::vector<bool>{true, false, true}));
  BOOST_TEST(file.tensors.at("s").dim() == 0);
  BOOST_TEST(file.tensors.at("s").item() == -0.5);
  BOOST_TEST((file.tensors.at("none").shape() == Shape{4, 0, 2}));
  BOOST_TEST((file.tensors.at("n").to_vector<std::int64_t>() ==
              std::vector<std::int64_t>{INT64_MIN, 7}));
  const std::map<std::string, std::string> expected = {{"epoch", "5"}, {"", "é\n"}};
  BOOST_TEST((file.metadata == expected));
}

BOOST_AUTO_TEST_CASE(a_file_of_nothing) {
  BOOST_TEST(read(file_of("{}")).tensors.empty());
  BOOST_TEST(read(file_of(R"({"__metadata__":{}})")).metadata.empty());
}

BOOST_AUTO_TEST_CASE(names_are_any_text) {
  const auto named = [](const std::string& name) {
    return file_of("{" + name + R"(:{"dtype":"F32","shape":[0],"data_offsets":[0,0]}})");
  };
  BOOST_TEST(read(named(R"("")")).tensors.contains(""));
  BOOST_TEST(read(named(R"("\u00e9")")).tensors.contains("é"));
  BOOST_TEST(read(named(R"("\ud83d\ude00")")).tensors.contains("😀"));
  BOOST_TEST(read(named(R"("a\u0000b")")).tensors.contains(std::string("a\0b", 3)));
  const std::string long_name(100'000, 'n');
  BOOST_TEST(read(named('"' + long_name + '"')).tensors.contains(long_name));
}

BOOST_AUTO_TEST_CASE(the_frame_is_checked_first) {
  BOOST_TEST(refusal("") ==
             "must begin with the header's length in 8 bytes, got 0 in all");
  BOOST_TEST(refusal("1234567") ==
             "must begin with the header's length in 8 bytes, got 7 in all");
  for (const std::uint64_t size : {std::uint64_t{100'000'001}, UINT64_MAX}) {
    BOOST_TEST(refusal(eight_bytes(size) + "{}") ==
               fmt::format("the header must have at most 100000000 bytes, got {}; is it "
                           "a safetensors file?",
                           size));
  }
  BOOST_TEST(refusal(std::string("PK\3\4\0\0\10\10", 8)) ==
             "must be a safetensors file, got a zip archive, as torch.save writes them; "
             "write the file with Python's safetensors.torch.save_file");
  BOOST_TEST(refusal("PK\3\4" + std::string(4, '\0') + "{}") ==
             "the header must end within the file, got 2 of 67324752 bytes");
  BOOST_TEST(refusal(eight_bytes(100'000'000) + "{}") ==
             "the header must end within the file, got 2 of 100000000 bytes");
  BOOST_TEST(refusal(file_of("")) == "the header must begin with a brace, got \"\"");
  BOOST_TEST(header_refusal("[]") == "the header must begin with a brace, got [");
  BOOST_TEST(header_refusal(" {}") == "the header must begin with a brace, got \" \"");
  BOOST_TEST(header_refusal("\xEF\xBB\xBF{}") ==
             "the header must begin with a brace, got \"\\xef\"");
}

BOOST_AUTO_TEST_CASE(the_header_is_json) {
  const auto json = [](const std::string& got) {
    return "the header must be JSON, got " + got;
  };
  BOOST_TEST(header_refusal("{") == json("{ up to its byte 1 of 1"));
  BOOST_TEST(header_refusal("{}}") == json("{}} up to its byte 3 of 3"));
  BOOST_TEST(header_refusal("{}  {}") == json("\"{}  {\" up to its byte 5 of 6"));
  BOOST_TEST(header_refusal("{'a':1}") == json("{' up to its byte 2 of 7"));
  BOOST_TEST(header_refusal("{\"a\" 1}") == json(R"("{\"a\" 1" up to its byte 6 of 7)"));
  BOOST_TEST(header_refusal("{\"a\n") == json(R"("{\"a\n" up to its byte 4 of 4)"));
  BOOST_TEST(header_refusal("{\"a\xff\":1}") ==
             json(R"("{\"a\xff" up to its byte 4 of 8)"));
  BOOST_TEST(header_refusal("{\"\xc0\x80\":1}") ==
             json(R"("{\"\xc0" up to its byte 3 of 8)"));
  BOOST_TEST(header_refusal(R"({"\ud800":1})") ==
             json(R"("{\"\\ud800\"" up to its byte 9 of 12)"));
  BOOST_TEST(header_refusal(R"({"\udc00":1})") ==
             json(R"("{\"\\udc00" up to its byte 8 of 12)"));
  BOOST_TEST(header_refusal(std::string("{}\0x", 4)) == json("a NUL at its byte 3"));
  BOOST_TEST(header_refusal(entry("\"F32\"", "[01]", "[0,4]")) ==
             json(R"("e\":\"F32\",\"shape\":[01" up to its byte 31 of 55)"));
}

BOOST_AUTO_TEST_CASE(every_value_has_its_type) {
  BOOST_TEST(header_refusal(R"({"a":null})") == "tensor a must be an object, got null");
  BOOST_TEST(header_refusal(R"({"a":[]})") == "tensor a must be an object, got a list");
  BOOST_TEST(header_refusal(R"({"a b":"x"})") ==
             "tensor \"a b\" must be an object, got a string");
  BOOST_TEST(header_refusal(R"({"a":true})") == "tensor a must be an object, got true");
  BOOST_TEST(header_refusal(R"({"a":1})") == "tensor a must be an object, got 1");
  BOOST_TEST(header_refusal(R"({"__metadata__":"x"})") ==
             "__metadata__ must be an object of strings, got a string");
  BOOST_TEST(header_refusal(R"({"__metadata__":{"epoch":5}})") ==
             "__metadata__: epoch must be a string, got 5");
  BOOST_TEST(header_refusal(R"({"__metadata__":{"e":{}}})") ==
             "__metadata__: e must be a string, got an object");
  BOOST_TEST(header_refusal(R"({"__metadata__":{"e":false}})") ==
             "__metadata__: e must be a string, got false");
  BOOST_TEST(header_refusal(entry("1", "[]", "[0,4]")) ==
             "tensor a: dtype must be a string, got 1");
  BOOST_TEST(header_refusal(entry("[\"F32\"]", "[]", "[0,4]")) ==
             "tensor a: dtype must be a string, got a list");
  BOOST_TEST(header_refusal(entry("\"F32\"", "3", "[0,4]")) ==
             "tensor a: shape must be a list, got 3");
  BOOST_TEST(header_refusal(entry("\"F32\"", "{}", "[0,4]")) ==
             "tensor a: shape must be a list, got an object");
  BOOST_TEST(header_refusal(entry("\"F32\"", "[]", "\"0,4\"")) ==
             "tensor a: data_offsets must be a list, got a string");
}

BOOST_AUTO_TEST_CASE(every_number_is_whole_and_in_range) {
  const auto shape = [](const std::string& number) {
    return header_refusal(entry("\"F32\"", "[" + number + "]", "[0,4]"));
  };
  const auto offset = [](const std::string& number) {
    return header_refusal(entry("\"F32\"", "[1]", "[0," + number + "]"));
  };
  const std::string must = " must hold whole numbers from 0 to 2^63 - 1, got ";
  for (const std::string number :
       {"-1", "-0", "-9223372036854775808", "1.5", "1.0", "1e3", "9223372036854775808",
        "18446744073709551615", "18446744073709551616", "-9223372036854775809", "null",
        "true"}) {
    BOOST_TEST(shape(number) == "tensor a: shape" + must + number);
    BOOST_TEST(offset(number) == "tensor a: data_offsets" + must + number);
  }
  BOOST_TEST(shape("[1]") == "tensor a: shape" + must + "a list");
  BOOST_TEST(shape("\"1\"") == "tensor a: shape" + must + "a string");
  BOOST_TEST(shape("{}") == "tensor a: shape" + must + "an object");
  const std::string digits(300, '9');
  BOOST_TEST(shape(digits) == "tensor a: shape" + must + std::string(80, '9') + "...");
  BOOST_TEST(shape("1e999") == "tensor a: shape" + must + "one beyond float64");
}

BOOST_AUTO_TEST_CASE(an_entry_has_its_three_fields_once) {
  BOOST_TEST(header_refusal(R"({"a":{}})") ==
             "tensor a must have a field dtype, got none");
  BOOST_TEST(header_refusal(R"({"a":{"dtype":"F32","data_offsets":[0,0]}})") ==
             "tensor a must have a field shape, got none");
  BOOST_TEST(header_refusal(R"({"a":{"dtype":"F32","shape":[0]}})") ==
             "tensor a must have a field data_offsets, got none");
  BOOST_TEST(header_refusal(R"({"a":{"dtype":"F32","stride":[1]}})") ==
             "tensor a: the fields must be dtype, shape and data_offsets, got stride");
  BOOST_TEST(header_refusal(R"({"a":{"shape":[1],"shape":[2]}})") ==
             "tensor a has two fields shape");
  BOOST_TEST(header_refusal(R"({"a":{"dtype":"F32","dtype":"F32"}})") ==
             "tensor a has two fields dtype");
  BOOST_TEST(header_refusal(entry("\"F32\"", "[1]", "[]")) ==
             "tensor a: data_offsets must be two numbers, got 0");
  BOOST_TEST(header_refusal(entry("\"F32\"", "[1]", "[0]")) ==
             "tensor a: data_offsets must be two numbers, got 1");
  BOOST_TEST(header_refusal(entry("\"F32\"", "[1]", "[0,4,8]")) ==
             "tensor a: data_offsets must be two numbers, got more");
}

BOOST_AUTO_TEST_CASE(no_name_comes_twice) {
  const std::string a = R"("a":{"dtype":"F32","shape":[0],"data_offsets":[0,0]})";
  BOOST_TEST(header_refusal("{" + a + "," + a + "}") == "the header has two entries a");
  BOOST_TEST(header_refusal(R"({"__metadata__":{},"__metadata__":{}})") ==
             "the header has two entries __metadata__");
  BOOST_TEST(header_refusal(R"({"__metadata__":{"e":"1","e":"1"}})") ==
             "__metadata__ has two entries e");
  // The same name, spelt in two ways.
  BOOST_TEST(header_refusal("{" + a + R"(,"\u0061":{}})") ==
             "the header has two entries a");
}

BOOST_AUTO_TEST_CASE(other_dtypes_are_refused) {
  for (const char* dtype : {"F16", "BF16", "U8", "I32", "F8_E4M3", "f32", ""}) {
    const std::string quoted = fmt::format("\"{}\"", dtype);
    BOOST_TEST(
        header_refusal(entry(quoted, "[1]", "[0,2]"), 2) ==
        fmt::format("tensor a: dtype must be F32, F64, I64 or BOOL, got {}; save the "
                    "tensor as float32",
                    *dtype ? dtype : "\"\""));
  }
}

BOOST_AUTO_TEST_CASE(shapes_fit) {
  const std::string nine = "[1,1,1,1,1,1,1,1,1]";
  BOOST_TEST(header_refusal(entry("\"F32\"", nine, "[0,4]"), 4) ==
             "tensor a: shape must have at most 8 sizes, got more");
  BOOST_TEST(read(file_of(entry("\"F32\"", "[1,1,1,1,1,1,1,1]", "[0,4]"), "1234"))
                 .tensors.at("a")
                 .dim() == 8);
  // Products that come to 0 or 4 when they overflow.
  BOOST_TEST(header_refusal(entry("\"F32\"", "[4294967296,4294967296]", "[0,0]")) ==
             "tensor a: shape: too many elements, got (4294967296, 4294967296)");
  BOOST_TEST(
      header_refusal(entry("\"F32\"", "[4194305,4194305,211106198978564]", "[0,16]"),
                     16) ==
      "tensor a: shape: too many elements, got (4194305, 4194305, 211106198978564)");
  BOOST_TEST(header_refusal(entry("\"F64\"", "[2305843009213693952]", "[0,0]")) ==
             "tensor a: shape: too many elements, got (2305843009213693952)");
  BOOST_TEST(header_refusal(entry("\"F32\"", "[0,9223372036854775807]", "[0,0]")) ==
             "tensor a: shape: too many elements, got (0, 9223372036854775807)");
}

BOOST_AUTO_TEST_CASE(offsets_lie_in_the_data_and_fit_the_shape) {
  BOOST_TEST(header_refusal(entry("\"F32\"", "[1]", "[4,0]"), 4) ==
             "tensor a: its data must not end before they begin, got 4 to 0");
  BOOST_TEST(header_refusal(entry("\"F32\"", "[1]", "[0,4]"), 3) ==
             "tensor a: its data must end within the 3 bytes of data, got 0 to 4");
  BOOST_TEST(header_refusal(
                 entry("\"F32\"", "[1]", "[9223372036854775803,9223372036854775807]")) ==
             "tensor a: its data must end within the 0 bytes of data, got "
             "9223372036854775803 to 9223372036854775807");
  BOOST_TEST(header_refusal(entry("\"F64\"", "[2,3]", "[0,24]"), 24) ==
             "tensor a: F64 of shape (2, 3) must have 48 bytes of data, got 0 to 24");
  BOOST_TEST(header_refusal(entry("\"BOOL\"", "[]", "[0,0]")) ==
             "tensor a: BOOL of shape () must have 1 bytes of data, got 0 to 0");
  // A terabyte is refused for its size, without asking for the memory.
  BOOST_TEST(header_refusal(entry("\"F32\"", "[274877906944]", "[0,4]"), 4) ==
             "tensor a: F32 of shape (274877906944) must have 1099511627776 bytes of "
             "data, got 0 to 4");
}

BOOST_AUTO_TEST_CASE(the_tensors_fill_the_data_without_gaps) {
  BOOST_TEST(
      read(file_of(three("8,12", "0,4", "4,8"), std::string(12, '\0'))).tensors.size() ==
      3u);
  BOOST_TEST(header_refusal(three("0,4", "0,4", "4,8"), 8) ==
             "tensor b: its data must begin where those before it end, at 4, got 0 to 4");
  BOOST_TEST(header_refusal(three("0,4", "2,6", "6,10"), 10) ==
             "tensor b: its data must begin where those before it end, at 4, got 2 to 6");
  BOOST_TEST(header_refusal(three("0,4", "5,9", "9,13"), 13) ==
             "tensor b: its data must begin where those before it end, at 4, got 5 to 9");
  BOOST_TEST(header_refusal(three("1,5", "5,9", "9,13"), 13) ==
             "tensor a: its data must begin where those before it end, at 0, got 1 to 5");
  BOOST_TEST(header_refusal(three("0,4", "4,8", "8,12"), 13) ==
             "the tensors must fill the 13 bytes of data, got 12");
  BOOST_TEST(header_refusal("{}", 1) ==
             "the tensors must fill the 1 bytes of data, got 0");
  // The offsets of an empty tensor must fit too.
  BOOST_TEST(header_refusal(R"({"a":{"dtype":"F64","shape":[1],"data_offsets":[0,8]},)"
                            R"("b":{"dtype":"F32","shape":[0],"data_offsets":[4,4]}})",
                            8) ==
             "tensor b: its data must begin where those before it end, at 8, got 4 to 4");
}

BOOST_AUTO_TEST_CASE(a_bool_is_0_or_1) {
  const std::string header = entry("\"BOOL\"", "[3]", "[0,3]");
  for (const char byte : {'\2', '\x80', '\xff'}) {
    BOOST_TEST(refusal(file_of(header, std::string("\0\1", 2) + byte)) ==
               fmt::format("tensor a: a BOOL must be 0 or 1, got {} as element 2",
                           static_cast<unsigned char>(byte)));
  }
}

BOOST_AUTO_TEST_CASE(nesting_costs_nothing) {
  const std::string deep(1'000'000, '[');
  BOOST_TEST(header_refusal("{\"a\":" + deep) ==
             "tensor a must be an object, got a list");
  std::string objects;
  for (int i = 0; i < 200'000; ++i) objects += "{\"a\":";
  BOOST_TEST(header_refusal(objects) ==
             "tensor a: the fields must be dtype, shape and data_offsets, got a");
}

BOOST_AUTO_TEST_CASE(messages_clip_names_and_print_them_safely) {
  const auto name = [](const std::string& text) {
    return header_refusal("{\"" + text + "\":1}");
  };
  BOOST_TEST(name("W_k.weight") == "tensor W_k.weight must be an object, got 1");
  BOOST_TEST(name("\\u001b[2J") == R"(tensor "\u001b[2J" must be an object, got 1)");
  BOOST_TEST(name("é") == "tensor é must be an object, got 1");
  BOOST_TEST(name("\u009b2J") == R"(tensor "\u009b2J" must be an object, got 1)");
  BOOST_TEST(name("a\\u0000") == R"(tensor "a\u0000" must be an object, got 1)");
  BOOST_TEST(name(std::string(80, 'n')) ==
             "tensor " + std::string(80, 'n') + " must be an object, got 1");
  BOOST_TEST(name(std::string(1'000'000, 'n')) ==
             "tensor " + std::string(80, 'n') + "... must be an object, got 1");
  // The name is not cut within a character: 79 bytes and half of an é.
  BOOST_TEST(name(std::string(79, 'n') + "éé") ==
             "tensor " + std::string(79, 'n') + "... must be an object, got 1");
}

BOOST_AUTO_TEST_CASE(a_stream_is_read_from_its_beginning_and_never_throws_its_own) {
  std::istringstream stream(file_of("{}"));
  stream.seekg(5);
  stream.exceptions(std::ios::failbit | std::ios::badbit | std::ios::eofbit);
  BOOST_TEST(nn::read_safetensors(stream, "s").tensors.empty());
  stream.str("short");
  BOOST_TEST(error_of([&] { nn::read_safetensors(stream, "s"); }) ==
             "read_safetensors: s: must begin with the header's length in 8 bytes, got "
             "5 in all");
  std::istream none(nullptr);
  BOOST_TEST(error_of([&] { nn::read_safetensors(none, "s"); }) ==
             "read_safetensors: s: cannot find its length");
}

// A stream that says it has 1000 bytes, as a file may that is being truncated.
struct TruncatedBuffer : std::stringbuf {
  using std::stringbuf::stringbuf;
  pos_type seekoff(off_type, std::ios::seekdir, std::ios::openmode) override {
    return 1000;
  }
};

BOOST_AUTO_TEST_CASE(a_stream_that_ends_early) {
  const auto message = [](const std::string& bytes) {
    TruncatedBuffer buffer(bytes);
    std::istream stream(&buffer);
    return error_of([&] { nn::read_safetensors(stream, "s"); });
  };
  const std::string start = "read_safetensors: s: cannot read ";
  BOOST_TEST(message("1234") == start + "8 of its last 1000 bytes");
  BOOST_TEST(message(eight_bytes(900) + "{}") == start + "900 of its last 992 bytes");
  const std::string header = entry("\"BOOL\"", "[933]", "[0,933]");
  BOOST_TEST_REQUIRE(header.size() == 59u);
  BOOST_TEST(message(file_of(header, "12")) == start + "933 of its last 933 bytes");
}

BOOST_AUTO_TEST_SUITE_END()

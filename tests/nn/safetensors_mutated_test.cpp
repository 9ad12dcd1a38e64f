// Valid files, damaged at random: each is read or refused, whatever was done.
#include <algorithm>
#include <cstring>
#include <random>
#include <sstream>

#include <boost/test/unit_test.hpp>

#include <heed.h>

using namespace heed;

namespace {

std::string file_of(const std::string& header, std::size_t data_size) {
  const std::uint64_t length = header.size();
  std::string file(reinterpret_cast<const char*>(&length), sizeof length);
  return file + header + std::string(data_size, '\1');
}

const std::vector<std::string>& originals() {
  static const std::vector<std::string> files = {
      file_of("{}", 0),
      file_of(R"({"w":{"dtype":"F32","shape":[],"data_offsets":[0,4]}} )", 4),
      file_of(R"({"__metadata__":{"format":"pt","e":"\u00e95"},)"
              R"("n":{"dtype":"I64","shape":[2],"data_offsets":[0,16]},)"
              R"("x":{"dtype":"F64","shape":[1,2,1],"data_offsets":[16,32]},)"
              R"("W_k.weight":{"dtype":"F32","shape":[2,3],"data_offsets":[32,56]},)"
              R"("none":{"dtype":"F32","shape":[0,3],"data_offsets":[56,56]},)"
              R"("mask":{"dtype":"BOOL","shape":[5],"data_offsets":[56,61]}})",
              61),
  };
  return files;
}

// Damages files, the same ones for the same seed.
class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  std::string operator()() {
    std::string file = pick(originals());
    for (std::size_t times = 1 + below(4); times > 0; --times) mutate(file);
    // Half of them get the right length of the header, so that the reader gets further.
    if (below(2) == 0 && file.size() >= 8) {
      const std::size_t end = file.rfind('}');
      const std::uint64_t length = end == file.npos || end < 8 ? 0 : end - 7;
      std::memcpy(file.data(), &length, sizeof length);
    }
    return file;
  }

 private:
  std::size_t below(std::size_t n) { return random_() % n; }
  const std::string& pick(const std::vector<std::string>& list) {
    return list[below(list.size())];
  }

  void mutate(std::string& file) {
    const std::size_t at = below(file.size() + 1), length = below(9);
    switch (below(8)) {
      case 0:
        if (at < file.size()) file[at] = static_cast<char>(file[at] ^ (1 << below(8)));
        break;
      case 1:
        if (at < file.size()) file[at] = static_cast<char>(random_());
        break;
      case 2: file.resize(at); break;
      case 3: file.erase(at, length); break;
      case 4: file.insert(at, pick(pieces_)); break;
      case 5: replace_number(file); break;
      case 6: swap_numbers(file); break;
      default: {
        const std::string& other = pick(originals());
        const std::size_t from = below(other.size());
        file.insert(at, other.substr(from, below(60)));
      }
    }
  }

  // Where a number begins and how long it is; an empty piece if there is none.
  std::pair<std::size_t, std::size_t> number(const std::string& file) {
    const std::size_t first =
        file.find_first_of("0123456789", 8 + below(file.size() + 1));
    if (first == file.npos) return {file.size(), 0};
    const std::size_t last = file.find_first_not_of("0123456789", first);
    return {first, std::min(last, file.size()) - first};
  }
  void replace_number(std::string& file) {
    const auto [first, size] = number(file);
    file.replace(first, size, pick(numbers_));
  }
  void swap_numbers(std::string& file) {
    auto a = number(file), b = number(file);
    if (a > b) std::swap(a, b);
    if (a.first + a.second > b.first) return;
    const std::string left = file.substr(a.first, a.second);
    const std::string right = file.substr(b.first, b.second);
    file.replace(b.first, b.second, left);
    file.replace(a.first, a.second, right);
  }

  static inline const std::vector<std::string> numbers_ = {"0",
                                                           "1",
                                                           "2",
                                                           "3",
                                                           "4",
                                                           "8",
                                                           "12",
                                                           "16",
                                                           "61",
                                                           "-1",
                                                           "-0",
                                                           "1.5",
                                                           "1e9",
                                                           "1e999",
                                                           "4294967296",
                                                           "4611686018427387904",
                                                           "9223372036854775807",
                                                           "9223372036854775808",
                                                           "18446744073709551615",
                                                           "18446744073709551616",
                                                           "true",
                                                           "null",
                                                           "\"1\"",
                                                           "[1]",
                                                           "{}",
                                                           ""};
  static inline const std::vector<std::string> pieces_ = {
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      "\"",
      "\\",
      "\\u0000",
      "\\ud800",
      "\xff",
      "\xc3\xa9",
      " ",
      "\n",
      std::string(1, '\0'),
      "{}",
      "[[[[",
      "{\"a\":",
      "\"shape\":[1],",
      "\"dtype\":\"F16\",",
      "F32",
      "BOOL",
      "\"__metadata__\":{},",
      "\"a\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]},"};

  std::mt19937 random_;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(safetensors_mutated)

BOOST_AUTO_TEST_CASE(every_mutated_file_is_read_or_refused) {
  for (const std::string& file : originals()) {
    std::istringstream stream(file);
    BOOST_CHECK_NO_THROW(nn::read_safetensors(stream, "f"));
  }
  Mutator mutated(1);
  int read = 0, refused = 0;
  for (int i = 0; i < 250'000; ++i) {
    const std::string file = mutated();
    std::istringstream stream(file);
    try {
      const nn::Safetensors content = nn::read_safetensors(stream, "f");
      ++read;
      // The tensors take fewer bytes than the file has.
      std::size_t bytes = 0;
      for (const auto& [name, tensor] : content.tensors) {
        bytes += static_cast<std::size_t>(tensor.numel()) * element_size(tensor.dtype());
      }
      BOOST_TEST_REQUIRE(bytes < file.size());
    } catch (const Error& error) {
      ++refused;
      BOOST_TEST_REQUIRE(std::string(error.what()).starts_with("read_safetensors: f: "));
      BOOST_TEST_REQUIRE(std::strlen(error.what()) < 400u);
    }
  }
  // Both happen often enough to mean something.
  BOOST_TEST_MESSAGE(read << " read, " << refused << " refused");
  BOOST_TEST(read > 5'000);
  BOOST_TEST(refused > 100'000);
}

// A valid file with each bit flipped in turn, and cut to each shorter length.
BOOST_AUTO_TEST_CASE(every_byte_and_every_length) {
  for (const std::string& original : originals()) {
    for (std::size_t at = 0; at < 8 * original.size(); ++at) {
      std::string file = original;
      file[at / 8] = static_cast<char>(file[at / 8] ^ (1 << at % 8));
      std::istringstream stream(file);
      try {
        nn::read_safetensors(stream, "f");
      } catch (const Error&) {
      }
    }
    for (std::size_t size = 0; size < original.size(); ++size) {
      std::istringstream stream(original.substr(0, size));
      BOOST_CHECK_THROW(nn::read_safetensors(stream, "f"), Error);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

// The page that attention_page() has written, read as its scripts read it.
#pragma once

#include <cstdint>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace heed::viz {

struct PageFile {
  std::string text;
  nlohmann::json data;
  std::vector<unsigned> codes;  // of the weights

  explicit PageFile(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    text.assign(std::istreambuf_iterator<char>(file), {});
    data = nlohmann::json::parse(element("id=\"page\">"));
    std::vector<unsigned> bytes = decode(element("id=\"weights\">"));
    for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
      codes.push_back(bytes[i] | bytes[i + 1] << 8);
    }
  }

 private:
  // What stands between `start` and the end of the element.
  std::string element(const std::string& start) const {
    const std::size_t begin = text.find(start);
    if (begin == text.npos) throw std::runtime_error("the page has no " + start);
    const std::size_t from = begin + start.size();
    return text.substr(from, text.find("</script>", from) - from);
  }

  // Base64 (RFC 4648), a bit at a time.
  static std::vector<unsigned> decode(const std::string& base64) {
    const std::string digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    if (base64.size() % 4 != 0) throw std::runtime_error("base64 of a wrong length");
    std::vector<unsigned> bytes;
    unsigned byte = 0, bits = 0;
    for (const char c : base64.substr(0, base64.find('='))) {
      const std::size_t digit = digits.find(c);
      if (digit == digits.npos) throw std::runtime_error("no digit of base64");
      for (int bit = 5; bit >= 0; --bit) {
        byte = (byte << 1 | (digit >> bit & 1)) & 0xff;
        if (++bits % 8 == 0) bytes.push_back(byte);
      }
    }
    return bytes;
  }
};

}  // namespace heed::viz

// A number that tells texts and files from one another, and damaged ones from whole ones.
#pragma once

#include <cstdint>
#include <string_view>

namespace heed::char_lm {

// The FNV-1a hash of 64 bits (Fowler, Noll and Vo), of the bytes behind those whose hash
// `before` is. It does not withstand intent.
constexpr std::uint64_t hash(std::string_view bytes,
                             std::uint64_t before = 0xcbf29ce484222325) {
  std::uint64_t hash = before;
  for (const char byte : bytes) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  }
  return hash;
}

}  // namespace heed::char_lm

// A number that tells texts and files from one another, and damaged ones from whole ones.
#pragma once

#include <cstdint>
#include <string_view>

namespace heed::training {

// The FNV-1a hash of 64 bits (Fowler, Noll and Vo). It goes on from `before`, the hash of
// the bytes that come before these; alone, `bytes` are hashed from its start value. It
// finds accidents, not tampering: whoever wants an equal hash can make one.
constexpr std::uint64_t hash(std::string_view bytes,
                             std::uint64_t before = 0xcbf29ce484222325) {
  std::uint64_t result = before;
  for (const char byte : bytes) {
    result = (result ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  }
  return result;
}

}  // namespace heed::training

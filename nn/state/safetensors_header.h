// Reading and writing the header of a safetensors file: all that uses the JSON library.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tensor/core/tensor.h"

namespace heed::nn {

inline constexpr std::uint64_t max_header_size = 100'000'000;  // the reference's limit

// What the header says of a tensor. Its elements are the bytes from `begin` to `end` of
// the data.
struct TensorEntry {
  std::string name;
  DType dtype = float32;
  Shape shape;
  std::uint64_t begin = 0, end = 0;
};

struct SafetensorsHeader {
  std::vector<TensorEntry> tensors;  // in the order of their data
  std::map<std::string, std::string> metadata;
};

// The header of a file with so many bytes of data. Its tensors have distinct names, their
// bytes are those that dtype and shape need, and together they are all of the data.
// Throws Error, whose message starts with `where`, when it is not so.
SafetensorsHeader parse_header(const std::string& where, std::string_view text,
                               std::uint64_t data_size);

// The header as text, padded so that the data begin at a multiple of eight bytes. Throws
// Error, whose message starts with `where`, when a name cannot be written.
std::string format_header(const std::string& where, const SafetensorsHeader& header);

}  // namespace heed::nn

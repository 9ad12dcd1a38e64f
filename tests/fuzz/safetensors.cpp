// A file of any bytes is refused, or it is read as tensors; then its header, written and
// read again, must say the same.
#include <cstdint>
#include <sstream>
#include <string>

#include "nn/state/safetensors.h"
#include "nn/state/safetensors_header.h"
#include "tests/fuzz/fuzz.h"

using namespace heed;
using namespace heed::fuzz;

namespace {

// What the content would be written as; `size` becomes that of its data.
nn::SafetensorsHeader header_of(const nn::Safetensors& content, std::uint64_t& size) {
  nn::SafetensorsHeader header{.tensors = {}, .metadata = content.metadata};
  size = 0;
  for (const auto& [name, tensor] : content.tensors) {
    const std::uint64_t begin = size;
    size += static_cast<std::uint64_t>(tensor.numel()) * element_size(tensor.dtype());
    header.tensors.push_back({name, tensor.dtype(), tensor.shape(), begin, size});
  }
  return header;
}

// Whether two headers, written, are the same text.
bool same(const nn::SafetensorsHeader& a, const nn::SafetensorsHeader& b) {
  return nn::format_header("a", a) == nn::format_header("b", b);
}

}  // namespace

void heed::fuzz::try_input(std::string_view input) {
  std::istringstream file{std::string(input)};
  nn::Safetensors content;
  try {
    content = nn::read_safetensors(file, "file");
  } catch (const Error& error) {
    check_message(error.what());
    return;
  }
  std::uint64_t bytes = 0;
  const nn::SafetensorsHeader header = header_of(content, bytes);
  require(bytes <= input.size(), "tensors no larger than the file");
  const std::string text = nn::format_header("fuzz", header);
  require(same(header, nn::parse_header("fuzz", text, bytes)), "the same header", text);
}

// A file of tensors from anywhere: it is read, and then its header written and read again
// says the same, or it is refused.
#include <cstdint>
#include <sstream>
#include <string>

#include "nn/safetensors.h"
#include "nn/safetensors_header.h"
#include "tests/fuzz/fuzz.h"

using namespace heed;
using namespace heed::fuzz;

namespace {

// The header that the content would be written with.
std::string header_of(const nn::Safetensors& content, std::uint64_t& size) {
  nn::SafetensorsHeader header{.tensors = {}, .metadata = content.metadata};
  size = 0;
  for (const auto& [name, tensor] : content.tensors) {
    const std::uint64_t begin = size;
    size += static_cast<std::uint64_t>(tensor.numel()) * element_size(tensor.dtype());
    header.tensors.push_back({name, tensor.dtype(), tensor.shape(), begin, size});
  }
  return nn::format_header("fuzz", header);
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
  const std::string text = header_of(content, bytes);
  require(bytes <= input.size(), "tensors no larger than the file");
  const nn::SafetensorsHeader again = nn::parse_header("fuzz", text, bytes);
  require(again.metadata == content.metadata, "the same metadata", text);
  require(again.tensors.size() == content.tensors.size(), "as many tensors", text);
}

#include "tests/fuzz/fuzz.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "tensor/core/text.h"

namespace heed::fuzz {

void require(bool holds, const char* what, std::string_view found) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: expected %s, got \"%.*s\"\n", what,
               static_cast<int>(found.size()), found.data());
  std::abort();
}

void check_message(std::string_view message) {
  std::string_view rest = message;
  while (!rest.empty()) {
    const auto point = first_code_point(rest);
    require(point.has_value(), "a message in UTF-8", message);
    const bool control =
        point->code < 0x20 || (0x7F <= point->code && point->code < 0xA0);
    require(!control, "a message without control characters", message);
    rest.remove_prefix(point->size);
  }
}

}  // namespace heed::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  heed::fuzz::try_input({reinterpret_cast<const char*>(data), size});
  return 0;
}

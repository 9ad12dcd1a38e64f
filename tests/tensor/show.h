// Tensors as a line that a test can compare.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

#include "tensor/core/factories.h"
#include "tests/errors.h"

namespace heed {

// 1 2 3
// 4 5 6
inline Tensor six() { return tensor({{1, 2, 3}, {4, 5, 6}}, float32); }

// Shape and elements, "(2, 2) 1 2 3 4"; the dtype in front unless it is float32.
inline std::string show(const Tensor& x) {
  std::string text;
  if (x.dtype() != float32) text = fmt::format("{} ", name(x.dtype()));
  text += fmt::format("{}", x.shape());
  for (double element : x.to(float64).to_vector<double>()) {
    text += fmt::format(" {}", element);
  }
  return text;
}

// The bits of the elements in hexadecimal, the first `most` of them.
inline std::string bits(const Tensor& x, std::int64_t most = 64) {
  std::string text;
  dispatch_floating("bits", x.dtype(), [&]<class T>() {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    const std::vector<T> elements = x.to_vector<T>();
    for (std::int64_t i = 0; i < std::min(most, x.numel()); ++i) {
      text += fmt::format("{}{:x}", i == 0 ? "" : " ",
                          std::bit_cast<Bits>(elements[static_cast<std::size_t>(i)]));
    }
  });
  return text;
}

}  // namespace heed

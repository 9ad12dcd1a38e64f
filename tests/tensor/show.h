// A tensor as one line that a test can compare.
#pragma once

#include <string>

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

}  // namespace heed

// A matrix in memory, as products take it.
#pragma once

#include <cstdint>

namespace heed {

// Element (i, j) is first[i * row_stride + j * column_stride].
template <class T>
struct Matrix {
  T* first;
  std::int64_t row_stride, column_stride;
};

}  // namespace heed

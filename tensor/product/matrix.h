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

// Whether rows so many elements apart are in each other's way in the L1 cache. A line of
// it, 64 bytes, has its place in one of 64 sets of 8 or 12 lines, so that numbers 4 KiB
// apart share a set: a whole column would. Rows 0 apart are one row.
template <class T>
constexpr bool share_a_set(std::int64_t row_stride) {
  return row_stride != 0 && row_stride % std::int64_t{4096 / sizeof(T)} == 0;
}

}  // namespace heed

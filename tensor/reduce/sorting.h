// Order along one dimension: sorting, the largest few, running sums.
#pragma once

#include <algorithm>
#include <ostream>
#include <string>

#include <fmt/core.h>

#include "tensor/core/tensor.h"

namespace heed {

// Values and where they came from. Converts to the values alone, so that
// `Tensor x = sort(y)` reads as it should.
template <class T>
struct WithIndices {
  T values;
  Tensor indices;  // int64, along the dimension worked on

  operator T() const { return values; }
};

template <class T>
std::ostream& operator<<(std::ostream& out, const WithIndices<T>& x) {
  return out << fmt::format("{}", x);
}

// The elements along `dim` in rising (or falling) order; equal ones keep their order, NaN
// counts as the largest. values and indices have x's shape. Throws Error out of range.
WithIndices<Tensor> sort(const Tensor& x, Dim dim = -1, bool descending = false);
// sort(x, dim, descending).indices
Tensor argsort(const Tensor& x, Dim dim = -1, bool descending = false);
// The k largest (or smallest) along `dim`, in order. Throws Error unless k is from 0 to
// the size of `dim`; of a scalar, which has no empty part, k must be 1.
WithIndices<Tensor> topk(const Tensor& x, Size k, Dim dim = -1, bool largest = true);
// Running sums along `dim`; int64 for bool tensors.
Tensor cumsum(const Tensor& x, Dim dim);

}  // namespace heed

// Values and indices print as PyTorch's do. Not with fmt::format_to(): programs that
// clang compiles would not find it in a libfmt that g++ has compiled.
template <class T>
struct fmt::formatter<heed::WithIndices<T>> {
  constexpr auto parse(format_parse_context& context) { return context.begin(); }
  auto format(const heed::WithIndices<T>& x, format_context& context) const {
    const std::string text = fmt::format("values={},\nindices={}", x.values, x.indices);
    return std::copy(text.begin(), text.end(), context.out());
  }
};

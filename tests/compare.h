// Comparing two tensors: by their bits, by their elements, by their distance.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "tensor/core/tensor.h"
#include "tensor/elementwise/elementwise.h"
#include "tensor/reduce/reductions.h"

namespace heed {

// Elements as bits, -0 apart from 0.
using Bits = std::vector<std::uint64_t>;

// Appends the elements of x, as float64, to `bits`; nothing if x is undefined.
inline void append_bits(Bits& bits, const Tensor& x) {
  if (!x.defined()) return;
  for (const double number : x.to(float64).to_vector<double>()) {
    bits.push_back(std::bit_cast<std::uint64_t>(number));
  }
}

// Whether shape, dtype and every bit are equal.
inline bool same_bits(const Tensor& a, const Tensor& b) {
  if (!a.defined() || !b.defined()) return a.defined() == b.defined();
  if (a.shape() != b.shape() || a.dtype() != b.dtype()) return false;
  const Tensor x = a.contiguous(), y = b.contiguous();
  const auto bytes = static_cast<std::size_t>(x.numel()) * element_size(x.dtype());
  return x.numel() == 0 || dispatch(x.dtype(), [&]<class T>() {
           return std::memcmp(x.data<T>(), y.data<T>(), bytes) == 0;
         });
}

// Whether shape, dtype and elements are equal: -0 to 0, and NaN to NaN.
inline bool same(const Tensor& a, const Tensor& b) {
  if (a.shape() != b.shape() || a.dtype() != b.dtype()) return false;
  Tensor equal = a == b;
  if (is_floating(a.dtype())) {
    equal = logical_or(equal, logical_and(isnan(a), isnan(b)));
  }
  return all(equal).item() != 0;
}

// Throws Error unless the shapes are equal. No assertion of Boost.Test: one that passes
// would use up the BOOST_TEST_INFO of the assertion that calls this.
inline void check_equal_shapes(const Tensor& a, const Tensor& b) {
  check(a.shape() == b.shape(), "must have equal shapes, got {} and {}", a.shape(),
        b.shape());
}

// The largest |a - b|; NaN if any is NaN. Throws Error unless the shapes are equal.
inline double distance(const Tensor& a, const Tensor& b) {
  check_equal_shapes(a, b);
  return a.numel() == 0 ? 0 : max(abs(a.to(float64) - b.to(float64))).item();
}

// The largest |a - b| / max(1, |b|), and 0 for equal infinities; NaN if any is.
inline double relative_distance(const Tensor& a, const Tensor& b) {
  check_equal_shapes(a, b);
  if (a.numel() == 0) return 0;
  const Tensor x = a.to(float64), y = b.to(float64);
  const Tensor scale = clamp(abs(y), 1, {});
  return max(masked_fill(abs(x - y) / scale, x == y, 0)).item();
}

}  // namespace heed

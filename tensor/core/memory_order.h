// The order in which the elements of a tensor lie in memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "tensor/core/tensor_iterator.h"
#include "tensor/core/views.h"

namespace heed {

// The dimensions of a tensor, the one with the largest stride first. A stride of 0 says
// nothing about the order and leaves the dimension where it is; of two equal strides the
// larger dimension goes first.
inline Dims memory_order(const Shape& shape, const Strides& strides) {
  const auto after = [&](std::int64_t a, std::int64_t b) {
    const auto i = static_cast<int>(a), j = static_cast<int>(b);
    if (strides[i] == 0 || strides[j] == 0) return 0;
    if (strides[i] != strides[j]) return strides[i] < strides[j] ? 1 : -1;
    return shape[i] < shape[j] ? 1 : 0;
  };
  Dims order;
  for (int d = 0; d < shape.rank(); ++d) order.push_back(d);
  // Sorting by insertion from the last dimension on, as PyTorch does: dimensions that say
  // nothing are passed over, so the outcome depends on the method.
  for (int next = shape.rank() - 2; next >= 0; --next) {
    int place = next;
    for (int other = next + 1; other < shape.rank(); ++other) {
      const int verdict = after(order[place], order[other]);
      if (verdict < 0) break;
      if (verdict > 0) {
        std::swap(order[place], order[other]);
        place = other;
      }
    }
  }
  return order;
}

// The strides of a tensor whose elements lie without gaps, the dimensions in `order`; the
// last of these has the stride `step`.
inline Strides dense_strides(const Shape& shape, const Dims& order,
                             std::int64_t step = 1) {
  Strides strides = Strides::zeros(shape.rank());
  for (int i = order.rank() - 1; i >= 0; --i) {
    const auto d = static_cast<int>(order[i]);
    strides[d] = step;
    step *= std::max<std::int64_t>(shape[d], 1);
  }
  return strides;
}

// Sets every element of x, in memory order, to what next() returns.
template <class T, class F>
void generate_in_memory_order(Tensor& x, F&& next) {
  if (x.numel() == 0) return;
  T* const out = x.mutable_data<T>();
  const Tensor sorted = permute(x, memory_order(x.shape(), x.strides()));
  const TensorIterator<1> iterator(sorted.shape(), {&sorted.strides()});
  const std::int64_t step = iterator.inner_strides()[0];
  iterator.run_in_sequence([&](std::int64_t n, const auto& at) {
    for (std::int64_t i = 0; i < n; ++i) out[at[0] + i * step] = next();
  });
}

}  // namespace heed

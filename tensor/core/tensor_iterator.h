// Walking several tensors of one shape together, whatever their strides.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "tensor/core/parallel.h"
#include "tensor/core/tensor.h"

namespace heed {

// The loops over N operands that share a shape, with as few dimensions as possible:
// dimensions of size 1 are dropped, and two neighbours become one where every operand
// steps through them evenly. The last dimension is the inner loop.
template <int N>
struct TensorIterator {
  int rank = 0;
  std::array<std::int64_t, max_rank> sizes{};
  std::array<std::array<std::int64_t, N>, max_rank> strides{};  // [dimension][operand]

  TensorIterator(const Shape& shape, const std::array<const Strides*, N>& operands) {
    for (int d = 0; d < shape.rank(); ++d) {
      if (shape[d] == 1) continue;
      std::array<std::int64_t, N> step;
      for (int k = 0; k < N; ++k) step[k] = (*operands[k])[d];
      bool joins = rank > 0;
      for (int k = 0; joins && k < N; ++k) {
        joins = strides[rank - 1][k] == step[k] * shape[d];
      }
      if (!joins) sizes[rank++] = 1;
      sizes[rank - 1] *= shape[d];
      strides[rank - 1] = step;
    }
    if (rank == 0) {  // a single element
      rank = 1;
      sizes[0] = 1;
      strides[0].fill(0);
    }
  }

  std::int64_t inner_size() const { return sizes[rank - 1]; }
  const std::array<std::int64_t, N>& inner_strides() const { return strides[rank - 1]; }

  // Calls f(n, offsets) for runs of the inner loop: n elements of operand k from
  // offsets[k] on, inner_strides()[k] apart. On several threads where it pays.
  template <class F>
  void run(F&& f) const {
    const std::int64_t outer = outer_size(), inner = inner_size();
    if (outer == 1) {
      parallel_for(inner, 1, [&](std::int64_t begin, std::int64_t end) {
        std::array<std::int64_t, N> at;
        for (int k = 0; k < N; ++k) at[k] = begin * inner_strides()[k];
        f(end - begin, at);
      });
      return;
    }
    parallel_for(outer, inner,
                 [&](std::int64_t begin, std::int64_t end) { run_range(begin, end, f); });
  }

  // Calls f as run() does, one run after the other on this thread.
  template <class F>
  void run_in_sequence(F&& f) const {
    run_range(0, outer_size(), f);
  }

 private:
  // The number of runs.
  std::int64_t outer_size() const {
    std::int64_t outer = 1;
    for (int d = 0; d + 1 < rank; ++d) outer *= sizes[d];
    return outer;
  }

  template <class F>
  void run_range(std::int64_t begin, std::int64_t end, F&& f) const {
    std::array<std::int64_t, max_rank> index{};
    std::array<std::int64_t, N> at{};
    std::int64_t rest = begin;
    for (int d = rank - 2; d >= 0; --d) {
      index[d] = rest % sizes[d];
      rest /= sizes[d];
      for (int k = 0; k < N; ++k) at[k] += index[d] * strides[d][k];
    }
    for (std::int64_t i = begin; i < end; ++i) {
      f(inner_size(), at);
      for (int d = rank - 2; d >= 0; --d) {  // counts like an odometer
        for (int k = 0; k < N; ++k) at[k] += strides[d][k];
        if (++index[d] < sizes[d]) break;
        for (int k = 0; k < N; ++k) at[k] -= sizes[d] * strides[d][k];
        index[d] = 0;
      }
    }
  }
};

// The strides with which a tensor of `shape` and `strides` is read as `target`, a shape
// that it broadcasts to: 0 where it repeats.
inline Strides expanded_strides(const Shape& shape, const Strides& strides,
                                const Shape& target) {
  Strides result = Strides::zeros(target.rank());
  const int lead = target.rank() - shape.rank();
  for (int i = 0; i < target.rank(); ++i) {
    const bool repeats = i < lead || (shape[i - lead] == 1 && target[i] != 1);
    result[i] = repeats ? 0 : strides[i - lead];
  }
  return result;
}

// The first and the last place in its storage of a tensor that has elements.
inline std::pair<std::int64_t, std::int64_t> places(const Tensor& x) {
  std::int64_t first = x.offset(), last = first;
  for (int d = 0; d < x.dim(); ++d) {
    const std::int64_t step = x.strides()[d] * (x.shape()[d] - 1);
    (step < 0 ? first : last) += step;
  }
  return {first, last};
}

// Whether two places of x are one element, as after expand().
inline bool repeats_elements(const Tensor& x) {
  for (int d = 0; d < x.dim(); ++d) {
    if (x.strides()[d] == 0 && x.shape()[d] > 1) return true;
  }
  return false;
}

// Throws Error, naming `op`, when the target repeats elements: what is written there
// would depend on the order of the writes.
inline void check_distinct(std::string_view op, const Tensor& target) {
  check(!repeats_elements(target),
        "{}: the target must not repeat its elements, got the shape {} with strides {}",
        op, target.shape(), target.strides());
}

}  // namespace heed

// Seeing any tensor as (outer, n, inner), n being what is reduced or worked along. Only
// heed's own sources include this file.
#pragma once

#include <string_view>

#include "tensor/core/parallel.h"
#include "tensor/core/tensor.h"
#include "tensor/kernels/level.h"
#include "tensor/reduce/reduce_kernels.h"

namespace heed {

// What a reduction sees of a tensor.
struct Reduced {
  Tensor elements;  // (outer, n, inner), contiguous; a copy only where no view will do
  std::int64_t outer = 1;
  std::int64_t n = 1;
  std::int64_t inner = 1;
  Shape shape;  // the result's; its elements in order are those of (outer, inner)

  std::int64_t size() const { return n * inner; }
};

// Throws Error, naming `op`, when one of `dims` is out of range or named twice.
Reduced reduced(std::string_view op, const Tensor& x, const Dims& dims, Flag keepdim);

// x along one dimension, in x's own order; `shape` is x's shape.
Reduced along(std::string_view op, const Tensor& x, Dim dim);

// The kernels' folds for an element type.
template <class T>
const kernels::Folds<T>& folds() {
  return kernels::get<kernels::Folds<T>>();
}

// Runs a fold over (outer, n, inner). A long n is cut into blocks of fixed size whose
// results are folded in turn: that keeps rounding errors small, gives every thread work,
// and fixes the order of the operations for any number of threads.
template <class T>
void run_fold(kernels::Fold<T> fold, std::int64_t outer, std::int64_t n,
              std::int64_t inner, const T* x, T* out) {
  if (inner == 0) return;
  const std::int64_t block = std::max<std::int64_t>(32, 4096 / inner);
  if (n <= block) {
    parallel_for(outer, n * inner, [&](std::int64_t begin, std::int64_t end) {
      fold(end - begin, n, inner, x + begin * n * inner, out + begin * inner);
    });
    return;
  }
  const std::int64_t blocks = ceil_div(n, block);
  Tensor partial = empty({outer, blocks, inner}, dtype_of<T>);
  T* const parts = partial.mutable_data<T>();
  parallel_for(outer * blocks, block * inner, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t first = i % blocks * block;
      fold(1, std::min(block, n - first), inner, x + (i / blocks * n + first) * inner,
           parts + i * inner);
    }
  });
  run_fold(fold, outer, blocks, inner, parts, out);
}

}  // namespace heed

// Products of strided matrices in memory: what matmul() comes down to.
#pragma once

#include <array>
#include <cstdint>

#include "tensor/core/tensor_iterator.h"
#include "tensor/product/matrix.h"

namespace heed {

// Products c = a b of one shape: a (m, k), b (k, n), each c (m, n) contiguous, one after
// the other. `batch` has the sizes and strides of the dimensions before the last two: its
// operand 0 is a, its operand 1 is b. With a bias (n), c = a b + bias, the bias in
// each row: heed's tiles add it while their sums are in registers, BLIS's tiles and
// products with vectors afterwards.
template <class T>
struct Products {
  std::int64_t m, n, k;
  Matrix<const T> a, b;
  T* c;
  TensorIterator<2> batch;
  const T* bias = nullptr;

  // How many products there are.
  std::int64_t count() const {
    std::int64_t products = 1;
    for (int d = 0; d < batch.rank; ++d) products *= batch.sizes[d];
    return products;
  }
  // The offsets of the operands of product i from those of product 0, in elements.
  std::array<std::int64_t, 2> offsets(std::int64_t i) const {
    std::array<std::int64_t, 2> at{};
    for (int d = batch.rank - 1; d >= 0; --d) {
      for (int operand : {0, 1}) {
        at[operand] += i % batch.sizes[d] * batch.strides[d][operand];
      }
      i /= batch.sizes[d];
    }
    return at;
  }
};

// Computes the products, on several threads where it pays; m, n and the batch are at
// least 1, k may be 0. Strides of a and b may be any, 0 too; c overlaps neither, and
// nothing writes to them meanwhile. The bits do not depend on the number of threads,
// except which of two different NaNs remains. Throws Error when there is no memory for
// panels or for sums, or HEED_LEVEL is wrong. T is float or double.
template <class T>
void multiply(const Products<T>& products);

// --- ways of multiply()

// As multiply(), without the bias, if m, n or k is 1; k is at least 1.
template <class T>
void multiply_vectors(const Products<T>& products);

// Whether m n k is at most multiply_grain (core/parallel.h), which is too little to share
// one product, and packed b leaves room for rows of a in an L1 cache of 32 KiB. m, n and
// k are at least 1.
template <class T>
bool is_small(const Products<T>& products);
// As multiply(), with the bias, for products of which is_small() is true.
template <class T>
void multiply_small(const Products<T>& products);

}  // namespace heed

// Products in which a matrix is a vector: not worth packing.
#pragma once

#include "tensor/product/gemm.h"

namespace heed {

// Computes the products, as multiply() does but without the bias, if m, n or k is 1; k is
// at least 1.
template <class T>
void multiply_vectors(const Products<T>& products);

}  // namespace heed

// Numbers to try ops on.
#pragma once

#include <vector>

#include "tests/autograd/op_table.h"

namespace heed::tests {

using In = const std::vector<Variable>&;

// Fixed random numbers between two bounds, others at each call.
inline Tensor u(double low, double high, const Shape& shape) {
  static Generator generator(7);
  Tensor x = empty(shape, float64);
  return uniform_(x, low, high, generator);
}

// Numbers of either sign, none nearer to zero or to each other than 0.05: no sample may
// stand at a kink of abs, relu, max or sort.
inline Tensor apart(const Shape& shape) {
  static Generator generator(8);
  const std::int64_t n = count(shape);
  const Tensor places =
      randperm(n, generator).to(float64) - (static_cast<double>(n) - 1) / 2;
  return reshape(places * 0.31 + 0.07, shape);
}

inline Tensor mask(const Shape& shape) {
  static Generator generator(9);
  return bernoulli(full(shape, 0.5), generator) == 1;
}

inline Tensor indices(const std::vector<std::int64_t>& list, const Shape& shape) {
  return reshape(from_vector(list), shape);
}

}  // namespace heed::tests

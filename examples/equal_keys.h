// The book's toy for additive and dot-product attention: all keys are equal, so only the
// valid lengths can make a difference.
#pragma once

#include <cstdint>

#include <heed.h>

#include "examples/support/claims.h"

namespace heed::equal_keys {

struct Toy {
  Tensor queries;  // (2, 1, query_size): (batch, queries, size)
  Tensor keys;     // (2, 10, 2): (batch, keys, size)
  Tensor values;   // (2, 10, 4): (batch, keys, 4), the same in both entries
  nn::Mask mask;   // lets 2 keys of one entry count, and 6 of the other
};

// The toy, its queries drawn from the default generator.
inline Toy toy(std::int64_t query_size, DType dtype) {
  return {.queries = normal(0.0, 1.0, {2, 1, query_size}, dtype),
          .keys = ones({2, 10, 2}, dtype),
          .values = repeat(reshape(arange(40, dtype), {1, 10, 4}), {2, 1, 1}),
          .mask = nn::Mask::valid_lens(tensor({2, 6}))};
}

// Claims what must come out however queries and keys are compared: output (2, 1, 4) is
// the mean of the values that count, and weights (2, 1, 10) are those of a mean.
inline void expect_means(const Tensor& output, const Tensor& weights,
                         support::Claims& claims) {
  using support::is_close;
  const DType dtype = output.dtype();
  claims.expect(
      is_close(output, tensor({{{2, 3, 4, 5}}, {{10, 11, 12, 13}}}, dtype), 1e-5),
      "the outputs are [2, 3, 4, 5] and [10, 11, 12, 13]");
  claims.expect(
      is_close(slice(weights[0], 1, 0, 2), full({1, 2}, 1.0 / 2, dtype), 1e-6) &&
          is_close(slice(weights[1], 1, 0, 6), full({1, 6}, 1.0 / 6, dtype), 1e-6),
      "the weights of the keys that count are 1/2 and 1/6");
}

}  // namespace heed::equal_keys

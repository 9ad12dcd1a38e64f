// Calls of scaled_dot_product_attention, by the op and by its definition.
#pragma once

#include <string>
#include <tuple>

#include <boost/test/unit_test.hpp>
#include <fmt/format.h>

#include "tensor/attention/attention.h"
#include "tensor/core/factories.h"
#include "tensor/core/views.h"
#include "tensor/elementwise/elementwise.h"
#include "tensor/product/matmul.h"
#include "tensor/random/random.h"
#include "tensor/reduce/reductions.h"
#include "tensor/reduce/softmax.h"
#include "tests/compare.h"
#include "tests/infinity.h"
#include "tests/layouts.h"

namespace heed::tests {

using Int = std::int64_t;

struct Call {
  Tensor query, key, value, g;
  AttentionOptions mask = {};
  double scale = 0.3;
};

struct Results {
  Tensor output, weights, largest, inverse_sums, query, key, value;
};

inline Results fused(const Call& c) {
  Results r;
  const AttentionResult y =
      scaled_dot_product_attention(c.query, c.key, c.value, c.mask, c.scale, &r.weights);
  r.output = y.output;
  std::tie(r.largest, r.inverse_sums) = std::tie(y.largest, y.inverse_sums);
  const AttentionGradients d = scaled_dot_product_attention_backward(
      c.g, c.query, c.key, c.value, c.mask, c.scale, y);
  r.query = d.query;
  r.key = d.key;
  r.value = d.value;
  return r;
}

// The definition, in float64.
inline Results composed(const Call& c) {
  const auto t = [](const Tensor& x) { return transpose(x, -2, -1); };
  const Tensor q = c.query.to(float64), k = c.key.to(float64), v = c.value.to(float64);
  const Tensor g = c.g.to(float64);
  const std::int64_t m = k.size(-2);
  const auto some = [](const Tensor& x) { return x.defined() && x.numel() > 0; };
  Tensor seen = ones({m}, boolean), scores = matmul(q, t(k)) * c.scale;
  if (some(c.mask.lens)) seen = arange(m, int64) < unsqueeze(c.mask.lens, -1);
  if (some(c.mask.keep)) seen = logical_and(seen, c.mask.keep);
  if (some(c.mask.bias)) scores = scores + c.mask.bias.to(float64);
  const Tensor hidden = logical_not(expand(seen, scores.shape()));
  const Tensor sees_none = all(hidden, -1, true);
  scores = masked_fill(masked_fill(scores, hidden, -infinity), sees_none, 0);
  Results r;
  r.weights = masked_fill(softmax(scores, -1), hidden, 0);
  Tensor factors = ones({m}, float64);
  if (some(c.mask.dropout_bits)) {
    factors = unpack_bits(c.mask.dropout_bits, m, float64) / c.mask.keep_probability;
  }
  r.output = matmul(r.weights * factors, v);
  const Tensor dp = matmul(g, t(v)) * factors;
  const Tensor ds = r.weights * (dp - sum(dp * r.weights, -1, true)) * c.scale;
  r.query = matmul(ds, k);
  r.key = matmul(t(ds), q);
  r.value = matmul(t(r.weights * factors), g);
  return r;
}

inline void check_call(const Call& c, const std::string& label) {
  const double bound = c.query.dtype() == float32 ? 5e-5 : 1e-12;
  const Results got = fused(c), expected = composed(c);
  BOOST_TEST_INFO(label << " " << name(c.query.dtype()));
  BOOST_TEST(relative_distance(got.output, expected.output) < bound);
  BOOST_TEST(relative_distance(got.weights, expected.weights) < bound);
  BOOST_TEST(relative_distance(got.query, expected.query) < bound);
  BOOST_TEST(relative_distance(got.key, expected.key) < bound);
  BOOST_TEST(relative_distance(got.value, expected.value) < bound);
}

inline Tensor numbers(const Shape& shape, DType dtype) {
  static Generator generator(31);
  return randn(shape, dtype, generator);
}

// Queries (..., n, d), keys (..., m, d) and values (..., m, dv).
inline Call call(const Shape& batch, Int n, Int m, Int d, Int dv, DType dtype = float32) {
  const auto shape = [&](Int rows, Int columns) {
    return append(batch, {rows, columns});
  };
  return {numbers(shape(n, d), dtype), numbers(shape(m, d), dtype),
          numbers(shape(m, dv), dtype), numbers(shape(n, dv), dtype)};
}

// The shape of the call's weights.
inline Shape weights_shape(const Call& c, Int m) {
  return append(without_last(c.query.shape(), 1), {m});
}

inline Tensor causal(Int n) { return arange(1, n + 1, 1, int64); }

// Numbers from 0 to m + 2, the first 0.
inline Tensor random_lens(const Shape& shape, Int m) {
  static Generator generator(32);
  Tensor lens = randint(0, m + 3, shape, generator);
  if (lens.numel() > 0) reshape(lens, {-1}).set({0}, 0);
  return lens;
}

inline Tensor drawn_bits(const Shape& weights) {
  static Generator generator(33);
  return bernoulli_bits(weights, 0.7, generator);
}

inline Tensor random_keep(const Shape& shape) {
  static Generator generator(34);
  return bernoulli(full(shape, 0.6), generator) == 1;
}

inline bool same(const Results& a, const Results& b) {
  return same_bits(a.output, b.output) && same_bits(a.weights, b.weights) &&
         same_bits(a.largest, b.largest) && same_bits(a.inverse_sums, b.inverse_sums) &&
         same_bits(a.query, b.query) && same_bits(a.key, b.key) &&
         same_bits(a.value, b.value);
}

// The same elements as columns one after the other.
inline Tensor column_major_matrices(const Tensor& x) {
  return stored_transposed(x, -2, -1);
}

// The same elements with the rows of all heads side by side, as a projection leaves them.
inline Tensor as_heads(const Tensor& x) { return stored_transposed(x, 1, 2); }

}  // namespace heed::tests

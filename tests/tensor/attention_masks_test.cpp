// The masks of the fused attention: what they leave out, their shapes and strides, and
// what is refused.
#include <limits>
#include <vector>

#include "tests/errors.h"
#include "tests/tensor/attention_call.h"

namespace heed {

using namespace tests;

BOOST_AUTO_TEST_SUITE(attention_masks)

BOOST_AUTO_TEST_CASE(a_query_that_sees_no_key_gives_and_gets_zeros) {
  Call c = call({2}, 3, 40, 8, 8);
  c.mask.lens = reshape(tensor({0, 40, 3, 7, 0, 0}), {2, 3});
  const Results r = fused(c);
  for (const auto& [head, row] : {std::pair<Int, Int>{0, 0}, {1, 1}, {1, 2}}) {
    BOOST_TEST(same_bits(r.output[head][row], zeros({8})));
    BOOST_TEST(same_bits(r.weights[head][row], zeros({40})));
    BOOST_TEST(same_bits(r.query[head][row], zeros({8})));
  }
  // And keys that no query sees get no gradient.
  BOOST_TEST(same_bits(slice(r.key[1], 0, 7), zeros({33, 8})));
  BOOST_TEST(same_bits(slice(r.value[1], 0, 7), zeros({33, 8})));
  BOOST_TEST(sum(abs(r.key[1][6])).item() > 0);
}

BOOST_AUTO_TEST_CASE(lens_broadcast_and_stop_at_the_last_key) {
  Call c = call({2, 3}, 20, 35, 6, 7);
  const auto with = [&](const Tensor& lens) {
    Call other = c;
    other.mask.lens = lens;
    return fused(other);
  };
  const Tensor per_batch = reshape(tensor({9, 34}), {2, 1, 1});
  BOOST_TEST(same(with(per_batch), with(expand(per_batch, {2, 3, 20}).clone())));
  BOOST_TEST(same(with(tensor(5)), with(full({2, 3, 20}, 5, int64))));
  BOOST_TEST(same(with(causal(20)), with(expand(causal(20), {2, 3, 20}).clone())));
  BOOST_TEST(same(with(full({20}, 35, int64)), fused(c)));
  BOOST_TEST(same(with(full({20}, 36, int64)), fused(c)));
  BOOST_TEST(same(with(tensor(1'000'000'000'000)), fused(c)));
  BOOST_TEST(!same(with(full({20}, 34, int64)), fused(c)));
  BOOST_TEST(same(with(strided(causal(20))), with(causal(20))));
}

// A part of a mask may have any shape that broadcasts, and any strides.
BOOST_AUTO_TEST_CASE(masks_broadcast_and_are_read_in_place) {
  for (const Int n : {3, 20}) {
    Call c = call({2, 3}, n, 70, 6, 7);
    const auto with = [&](const AttentionOptions& mask) {
      Call other = c;
      other.mask = mask;
      return fused(other);
    };
    const Shape scores{2, 3, n, 70};
    for (const Shape& shape : {Shape{70}, Shape{n, 1}, Shape{1}, Shape{2, 1, 1, 70},
                               Shape{3, n, 70}, Shape{2, 3, n, 70}}) {
      const Tensor keep = random_keep(shape), bias = numbers(shape, float32);
      BOOST_TEST_CONTEXT(fmt::format("{} queries, {}", n, shape)) {
        c.mask = {.keep = keep, .bias = bias};
        check_call(c, "broadcast");
        const Results whole = with(
            {.keep = expand(keep, scores).clone(), .bias = expand(bias, scores).clone()});
        BOOST_TEST(same(with({.keep = keep, .bias = bias}), whole));
        BOOST_TEST(same(with({.keep = strided(keep), .bias = strided(bias)}), whole));
      }
    }
  }
}

// A query without a kept key has the same rows as a query whose length is 0.
BOOST_AUTO_TEST_CASE(a_query_of_which_no_key_is_kept_sees_none) {
  for (const Int n : {4, 20}) {
    Call c = call({2}, n, 40, 8, 8);
    Tensor keep = ones({n, 40}, boolean);
    for (Int j = 0; j < 40; ++j) keep.set({1, j}, 0);
    for (Int j = 3; j < 40; ++j) keep.set({2, j}, 0);
    c.mask.keep = keep;
    const Results kept = fused(c);
    Tensor lens = full({n}, 40, int64);
    lens.set({1}, 0);
    lens.set({2}, 3);
    c.mask = {.lens = lens};
    const Results first = fused(c);
    BOOST_TEST(relative_distance(kept.output, first.output) < 1e-6);
    BOOST_TEST(relative_distance(kept.weights, first.weights) < 1e-6);
    BOOST_TEST(relative_distance(kept.query, first.query) < 1e-6);
    BOOST_TEST(relative_distance(kept.key, first.key) < 1e-6);
    BOOST_TEST(relative_distance(kept.value, first.value) < 1e-6);
    // Likewise a query whose kept keys all lie beyond its length; its g has no effect.
    c.mask.keep = keep;
    c.mask.lens = ones({n}, int64);
    for (Int i = 0; i < n; ++i) keep.set({i, 0}, 0);
    c.g = full({2, n, 8}, std::numeric_limits<double>::quiet_NaN());
    const Results none = fused(c);
    BOOST_TEST(same_bits(none.output, zeros({2, n, 8})));
    BOOST_TEST(same_bits(none.query, zeros({2, n, 8})));
    BOOST_TEST(same_bits(none.key, zeros({2, 40, 8})));
    BOOST_TEST(same_bits(none.value, zeros({2, 40, 8})));
  }
}

// So has a query of which the bias hides every key, or every one that is left.
BOOST_AUTO_TEST_CASE(a_query_whose_keys_the_bias_hides_sees_none) {
  for (const DType dtype : {float32, float64}) {
    for (const Int n : {4, 20, 70}) {
      Call c = call({2}, n, 40, 8, 8, dtype);
      Tensor keep = ones({n, 40}, boolean), bias = randn({n, 40}).to(dtype);
      for (Int i = 1; i < n; i += 3) {
        for (Int j = 0; j < 40; ++j) keep.set({i, j}, 0);
      }
      Tensor lens = full({n}, 40, int64);
      lens.set({2}, 3);
      for (Int j = 0; j < 3; ++j) keep.set({2, j}, 0);
      c.mask = {.lens = lens, .keep = keep, .bias = bias};
      const Results expected = fused(c);
      c.mask.keep = {};
      c.mask.bias = where(keep, bias, -infinity);
      const Results found = fused(c);
      BOOST_TEST_INFO(fmt::format("{} queries, {}", n, dtype));
      BOOST_TEST(same_bits(found.output, expected.output));
      BOOST_TEST(same_bits(found.weights, expected.weights));
      BOOST_TEST(same_bits(found.query, expected.query));
      BOOST_TEST(same_bits(found.key, expected.key));
      BOOST_TEST(same_bits(found.value, expected.value));
    }
  }
}

BOOST_AUTO_TEST_CASE(bits_may_have_any_strides) {
  for (const Int n : {4, 30}) {
    Call c = call({2}, n, 130, 8, 8);
    c.mask = {.dropout_bits = drawn_bits({2, n, 130}), .keep_probability = 0.7};
    const Results expected = fused(c);
    c.mask.dropout_bits = stored_transposed(c.mask.dropout_bits, 0, 2);
    BOOST_TEST(same(fused(c), expected));
  }
}

// The tensor that receives the weights may share storage with an operand.
BOOST_AUTO_TEST_CASE(weights_may_take_the_place_of_an_operand) {
  for (const Int n : {4, 30}) {
    Call c = call({2}, n, n, n, n);
    const Results expected = fused(c);
    Tensor query = c.query;
    const AttentionResult y =
        scaled_dot_product_attention(query, c.key, c.value, c.mask, c.scale, &query);
    BOOST_TEST(same_bits(y.output, expected.output));
  }
}

BOOST_AUTO_TEST_CASE(errors) {
  const auto message = [](const Shape& q, const Shape& k, const Shape& v,
                          const AttentionOptions& mask = {}) {
    return error_of(
        [&] { scaled_dot_product_attention(zeros(q), zeros(k), zeros(v), mask, 1); });
  };
  BOOST_TEST(message({3}, {3}, {3}) ==
             "scaled_dot_product_attention: query, key and value must be matrices with "
             "equal sizes before the last two, got (3), (3) and (3)");
  BOOST_TEST(message({2, 3, 4}, {2, 5, 4}, {1, 5, 4}) ==
             "scaled_dot_product_attention: query, key and value must be matrices with "
             "equal sizes before the last two, got (2, 3, 4), (2, 5, 4) and (1, 5, 4)");
  BOOST_TEST(message({3, 4}, {5, 6}, {5, 4}) ==
             "scaled_dot_product_attention: query and key must have equally many "
             "features, got (3, 4) and (5, 6)");
  BOOST_TEST(message({3, 4}, {5, 4}, {6, 4}) ==
             "scaled_dot_product_attention: there must be as many values as keys, got "
             "(6, 4) and (5, 4)");
  BOOST_TEST(message({3, 4}, {5, 4}, {5, 4}, {ones({3})}) ==
             "scaled_dot_product_attention: lens must be int64, got float32");
  BOOST_TEST(message({2, 3, 4}, {2, 5, 4}, {2, 5, 4}, {causal(4)}) ==
             "scaled_dot_product_attention: lens must broadcast to the queries (2, 3), "
             "got (4)");
  BOOST_TEST(message({3, 4}, {5, 4}, {5, 4}, {ones({1, 1, 3}, int64)}) ==
             "scaled_dot_product_attention: lens must broadcast to the queries (3), got "
             "(1, 1, 3)");
  BOOST_TEST(message({3, 4}, {5, 4}, {5, 4}, {tensor({2, -1, 0})}) ==
             "scaled_dot_product_attention: lens must not be negative, got -1");
  const std::string keep = "scaled_dot_product_attention: keep must ",
                    bias = "scaled_dot_product_attention: bias must ";
  BOOST_TEST(message({3, 4}, {5, 4}, {5, 4}, {.keep = ones({3, 5})}) ==
             keep + "be bool, got float32");
  BOOST_TEST(message({3, 4}, {5, 4}, {5, 4}, {.keep = ones({4, 5}, boolean)}) ==
             keep + "broadcast to the scores (3, 5), got (4, 5)");
  BOOST_TEST(message({3, 4}, {5, 4}, {5, 4}, {.bias = ones({3, 5}, float64)}) ==
             bias + "be float32, got float64");
  BOOST_TEST(message({3, 4}, {5, 4}, {5, 4}, {.bias = ones({2, 3, 5})}) ==
             bias + "broadcast to the scores (3, 5), got (2, 3, 5)");
  BOOST_TEST(message({3, 4}, {65, 4}, {65, 4}, {.dropout_bits = ones({3, 1}, int64)}) ==
             "scaled_dot_product_attention: dropout_bits must be int64 (3, 2), got int64 "
             "(3, 1)");
  BOOST_TEST(message({3, 4}, {5, 4}, {5, 4},
                     {.dropout_bits = ones({3, 1}, int64), .keep_probability = 0}) ==
             "scaled_dot_product_attention: keep_probability must be above 0 and at most "
             "1, got 0");
  BOOST_TEST(message({3, 4}, {5, 4}, {5, 4}, {.keep_probability = 1.5}) ==
             "scaled_dot_product_attention: keep_probability must be above 0 and at most "
             "1, got 1.5");
  const Tensor x = zeros({3, 4}), wide = x.to(float64), whole = x.to(int64);
  BOOST_TEST(error_of([&] { scaled_dot_product_attention(x, x, wide, {}, 1); }) ==
             "scaled_dot_product_attention: the dtypes must be equal, got float32 and "
             "float64; to(dtype) converts a tensor");
  BOOST_TEST(
      error_of([&] { scaled_dot_product_attention(whole, whole, whole, {}, 1); }) ==
      "scaled_dot_product_attention: the dtype must be float32 or float64, got "
      "int64; to(float32) converts a tensor");
  const AttentionResult y = scaled_dot_product_attention(x, x, x, {}, 1);
  const auto refusal = [&](const Tensor& g, const Tensor& key) {
    return error_of(
        [&] { scaled_dot_product_attention_backward(g, x, key, x, {}, 1, y); });
  };
  BOOST_TEST(refusal(zeros({4, 3}), x) ==
             "scaled_dot_product_attention_backward: the gradient and the output must "
             "have the shape (3, 4), got (4, 3) and (3, 4)");
  BOOST_TEST(refusal(x, zeros({2, 4})) ==
             "scaled_dot_product_attention_backward: there must be as many values as "
             "keys, got (3, 4) and (2, 4)");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace heed

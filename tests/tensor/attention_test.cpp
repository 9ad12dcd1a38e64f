// The fused attention against its definition in float64: shapes around the sizes of the
// blocks, layouts, masks, dropout, threads.
#include <cmath>
#include <vector>

#include "tensor/core/threads.h"
#include "tests/tensor/attention_call.h"

namespace heed {

using namespace tests;

BOOST_AUTO_TEST_SUITE(attention)

BOOST_AUTO_TEST_CASE(values_and_gradients_of_every_shape) {
  const Int sizes[][4] = {{1, 1, 1, 1},      {1, 7, 3, 2},     {5, 1, 4, 4},
                          {16, 16, 16, 16},  {11, 12, 13, 5},  {12, 32, 12, 32},
                          {13, 33, 14, 16},  {31, 24, 8, 17},  {32, 64, 32, 8},
                          {33, 129, 40, 33}, {47, 48, 64, 64}, {49, 127, 65, 31},
                          {96, 96, 16, 3},   {97, 257, 9, 12}, {130, 130, 24, 24}};
  for (const auto& [n, m, d, dv] : sizes) {
    for (const DType dtype : {float32, float64}) {
      Call c = call({2, 2}, n, m, d, dv, dtype);
      const std::string label = fmt::format("n {} m {} d {} dv {}", n, m, d, dv);
      check_call(c, label);
      c.mask.lens = causal(n);
      check_call(c, label + " causal");
      c.mask.lens = random_lens({2, 2, n}, m);
      c.scale = -0.7;
      check_call(c, label + " random lens");
      c.mask.dropout_bits = drawn_bits({2, 2, n, m});
      c.mask.keep_probability = 0.7;
      check_call(c, label + " random lens, dropout");
      c.mask.bias = numbers({2, 1, n, m}, dtype);
      check_call(c, label + " random lens, dropout, bias");
      c.mask.keep = random_keep({2, n, m});
      check_call(c, label + " random lens, dropout, bias, keep");
      c.mask.lens = c.mask.bias = c.mask.dropout_bits = Tensor();
      check_call(c, label + " keep");
    }
  }
}

BOOST_AUTO_TEST_CASE(nothing_to_attend_with_or_to) {
  for (const DType dtype : {float32, float64}) {
    const Int sizes[][4] = {
        {0, 5, 3, 4}, {5, 0, 3, 4}, {0, 0, 2, 2}, {5, 6, 0, 4}, {5, 6, 3, 0}};
    for (const auto& [n, m, d, dv] : sizes) {
      Call c = call({3}, n, m, d, dv, dtype);
      c.mask.lens = random_lens({3, n}, m);
      check_call(c, fmt::format("n {} m {} d {} dv {}", n, m, d, dv));
    }
    check_call(call({0, 2}, 3, 4, 5, 6, dtype), "no head");
  }
  // Without keys and without lens: zeros too.
  const Call c = call({2}, 3, 0, 4, 5);
  const Results r = fused(c);
  BOOST_TEST(same_bits(r.output, zeros({2, 3, 5})));
  BOOST_TEST(same_bits(r.query, zeros({2, 3, 4})));
}

BOOST_AUTO_TEST_CASE(layouts_are_read_in_place) {
  for (const DType dtype : {float32, float64}) {
    const Call c = call({2, 3}, 37, 70, 12, 20, dtype);
    const Results expected = fused(c);
    using Layout = Tensor (*)(const Tensor&);
    for (const Layout layout :
         {Layout(strided), Layout(column_major_matrices), Layout(as_heads)}) {
      const Call other{layout(c.query), layout(c.key), layout(c.value), layout(c.g)};
      BOOST_TEST_REQUIRE(!other.query.is_contiguous());
      const Results got = fused(other);
      BOOST_TEST(relative_distance(got.output, expected.output) == 0);
      BOOST_TEST(relative_distance(got.weights, expected.weights) == 0);
      BOOST_TEST(relative_distance(got.query, expected.query) < 1e-6);
      BOOST_TEST(relative_distance(got.key, expected.key) < 1e-6);
      BOOST_TEST(relative_distance(got.value, expected.value) == 0);
    }
  }
  // The same keys and values for all heads, and a gradient that is one number.
  Call c = call({2, 3}, 5, 6, 4, 4);
  c.key = expand(numbers({6, 4}, float32), {2, 3, 6, 4});
  c.value = expand(numbers({2, 1, 6, 4}, float32), {2, 3, 6, 4});
  c.g = expand(tensor(0.5), {2, 3, 5, 4});
  check_call(c, "expanded");
  check_call(call({}, 5, 6, 4, 3), "without a batch");
  check_call(call({2, 1, 2}, 5, 6, 4, 3), "five dimensions");
}

BOOST_AUTO_TEST_CASE(heads_are_joined_without_a_copy) {
  const Int b = 2, t = 10, h = 3, w = 4;
  const auto heads = [&] { return transpose(numbers({b, t, h, w}, float32), 1, 2); };
  const Tensor q = heads(), k = heads(), v = heads(), g = heads();
  const AttentionResult y = scaled_dot_product_attention(q, k, v, {causal(t)}, 0.5);
  BOOST_TEST(transpose(y.output, 1, 2).is_contiguous());
  const AttentionGradients d =
      scaled_dot_product_attention_backward(g, q, k, v, {causal(t)}, 0.5, y);
  for (const Tensor& x : {d.query, d.key, d.value}) {
    BOOST_TEST(x.shape() == (Shape{b, h, t, w}));
    BOOST_TEST(transpose(x, 1, 2).is_contiguous());
  }
  const Tensor dense = q.contiguous();
  BOOST_TEST(scaled_dot_product_attention(dense, k, v, {}, 0.5).output.is_contiguous());
}

BOOST_AUTO_TEST_CASE(gradients_that_are_not_wanted_change_nothing) {
  const Call c = call({3}, 30, 40, 8, 9);
  const AttentionResult y =
      scaled_dot_product_attention(c.query, c.key, c.value, c.mask, c.scale);
  const Results all = fused(c);
  for (int i = 0; i < 8; ++i) {
    const std::array<bool, 3> wanted = {(i & 1) != 0, (i & 2) != 0, (i & 4) != 0};
    const AttentionGradients d = scaled_dot_product_attention_backward(
        c.g, c.query, c.key, c.value, c.mask, c.scale, y, wanted);
    BOOST_TEST(same_bits(d.query, wanted[0] ? all.query : Tensor()));
    BOOST_TEST(same_bits(d.key, wanted[1] ? all.key : Tensor()));
    BOOST_TEST(same_bits(d.value, wanted[2] ? all.value : Tensor()));
  }
}

// Whatever their memory held before.
BOOST_AUTO_TEST_CASE(zeros_for_a_query_that_sees_no_key) {
  Call c = call({2}, 30, 40, 8, 9);
  c.mask.lens = remainder(arange(30), 2) * 40;
  {
    std::vector<Tensor> numbers;
    for (int i = 0; i < 4; ++i) {
      numbers.push_back(full({2, 30}, not_a_number, c.query.dtype()));
    }
  }
  const AttentionResult y =
      scaled_dot_product_attention(c.query, c.key, c.value, c.mask, c.scale);
  for (const Tensor& x :
       {y.output, unsqueeze(y.largest, -1), unsqueeze(y.inverse_sums, -1)}) {
    const Tensor blind = slice(x, 1, 0, to_end, 2);
    BOOST_TEST(same(blind, zeros(blind.shape(), x.dtype())));
  }
}

BOOST_AUTO_TEST_CASE(bits_depend_neither_on_threads_nor_on_weights) {
  const int before = num_threads();
  for (const Shape& batch : {Shape{}, Shape{2}, Shape{40, 4}, Shape{40, 4, 1}}) {
    const bool many = batch.rank() >= 2, few = batch.rank() == 3;
    Call c = few    ? call(batch, 2, 120, 64, 48)
             : many ? call(batch, 30, 30, 16, 16)
                    : call(batch, 300, 333, 64, 48);
    const Int n = c.query.size(-2);
    const AttentionOptions dropping{
        .dropout_bits = drawn_bits(weights_shape(c, c.key.size(-2))),
        .keep_probability = 0.7};
    for (const AttentionOptions& mask :
         {AttentionOptions{}, AttentionOptions{.lens = causal(n)},
          AttentionOptions{.lens = random_lens({n}, n)}, dropping}) {
      c.mask = mask;
      set_num_threads(1);
      const Results one = fused(c);
      for (const int threads : {1, 2, 3, 5}) {
        set_num_threads(threads);
        BOOST_TEST_INFO(threads << " threads, " << batch.rank() << " leading dimensions");
        BOOST_TEST(same(fused(c), one));
        const AttentionResult without =
            scaled_dot_product_attention(c.query, c.key, c.value, c.mask, c.scale);
        BOOST_TEST(same_bits(without.output, one.output));
        BOOST_TEST(same_bits(without.inverse_sums, one.inverse_sums));
      }
    }
  }
  set_num_threads(before);
}

// Scores in the hundreds leave one weight of a row: nothing overflows, and weights too
// small for a normal number are 0.
BOOST_AUTO_TEST_CASE(large_scores) {
  for (const DType dtype : {float32, float64}) {
    Call c = call({2}, 40, 50, 16, 16, dtype);
    c.scale = 100;
    c.mask.lens = causal(40);
    const Results got = fused(c), expected = composed(c);
    BOOST_TEST(relative_distance(got.output, expected.output) < 1e-3);
    BOOST_TEST(relative_distance(got.value, expected.value) < 1e-3);
    BOOST_TEST(all(isfinite(got.query)).item() == 1);
  }
  Tensor q = full({1, 1}, 1), k = reshape(tensor({0.0, -50.0, -87.4}), {3, 1});
  Tensor weights;
  scaled_dot_product_attention(q, k, k, {}, 1, &weights);
  BOOST_TEST(weights.at({0, 0}) == 1);
  BOOST_TEST(weights.at({0, 1}) > 0);
  BOOST_TEST(weights.at({0, 2}) == 0);
}

// A NaN in a query reaches only its own row, as in the definition.
BOOST_AUTO_TEST_CASE(not_a_number_in_a_query_stays_in_its_row) {
  Call c = call({}, 40, 40, 8, 8);
  c.query.set({3, 2}, std::numeric_limits<double>::quiet_NaN());
  c.mask.lens = causal(40);
  const Results r = fused(c);
  for (Int i = 0; i < 40; ++i) {
    BOOST_TEST(std::isnan(sum(r.output[i]).item()) == (i == 3));
    BOOST_TEST(std::isnan(sum(r.query[i]).item()) == (i == 3));
    BOOST_TEST(std::isnan(sum(r.value[i]).item()) == (i <= 3));
  }
  BOOST_TEST(r.weights.at({3, 4}) == 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace heed

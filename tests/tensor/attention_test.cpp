// The fused attention against its definition in float64: shapes around the sizes of the
// blocks, layouts, prefixes, weights, threads, errors.
#include "tensor/attention.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "tensor/elementwise.h"
#include "tensor/factories.h"
#include "tensor/matmul.h"
#include "tensor/random.h"
#include "tensor/reductions.h"
#include "tensor/softmax.h"
#include "tensor/threads.h"
#include "tensor/views.h"
#include "tests/errors.h"

namespace heed {
namespace {

using Int = std::int64_t;
using Lens = std::optional<Tensor>;

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Call {
  Tensor query, key, value, g;
  Lens lens;
  double scale = 0.3;
};

struct Results {
  Tensor output, weights, largest, inverse_sums, query, key, value;
};

Results fused(const Call& c) {
  Results r;
  const AttentionResult y =
      scaled_dot_product_attention(c.query, c.key, c.value, c.lens, c.scale, &r.weights);
  r.output = y.output;
  std::tie(r.largest, r.inverse_sums) = std::tie(y.largest, y.inverse_sums);
  const AttentionGradients d = scaled_dot_product_attention_backward(
      c.g, c.query, c.key, c.value, c.lens, c.scale, y);
  r.query = d.query;
  r.key = d.key;
  r.value = d.value;
  return r;
}

// The definition, in float64.
Results composed(const Call& c) {
  const auto t = [](const Tensor& x) { return transpose(x, -2, -1); };
  const Tensor q = c.query.to(float64), k = c.key.to(float64), v = c.value.to(float64);
  const Tensor g = c.g.to(float64);
  const Tensor places = arange(k.size(-2), int64);
  const Tensor lens = c.lens ? *c.lens : full({1}, 1e9, int64);
  const Tensor seen = places < unsqueeze(lens, -1);
  const Tensor scores =
      masked_fill(matmul(q, t(k)) * c.scale, logical_not(seen), -infinity);
  Results r;
  r.weights = masked_fill(softmax(scores, -1), logical_not(seen), 0);
  r.output = matmul(r.weights, v);
  const Tensor dp = matmul(g, t(v));
  const Tensor ds = r.weights * (dp - sum(dp * r.weights, -1, true)) * c.scale;
  r.query = matmul(ds, k);
  r.key = matmul(t(ds), q);
  r.value = matmul(t(r.weights), g);
  return r;
}

double difference(const Tensor& a, const Tensor& b) {
  BOOST_TEST_REQUIRE(a.shape() == b.shape());
  if (a.numel() == 0) return 0;
  const Tensor x = a.to(float64), y = b.to(float64);
  return max(masked_fill(abs(x - y) / (1 + abs(y)), x == y, 0)).item();
}

void check_call(const Call& c, const std::string& label) {
  const double bound = c.query.dtype() == float32 ? 2e-5 : 1e-12;
  const Results got = fused(c), expected = composed(c);
  BOOST_TEST_INFO(label << " " << name(c.query.dtype()));
  BOOST_TEST(difference(got.output, expected.output) < bound);
  BOOST_TEST(difference(got.weights, expected.weights) < bound);
  BOOST_TEST(difference(got.query, expected.query) < bound);
  BOOST_TEST(difference(got.key, expected.key) < bound);
  BOOST_TEST(difference(got.value, expected.value) < bound);
}

Tensor numbers(const Shape& shape, DType dtype) {
  static Generator generator(31);
  return randn(shape, dtype, generator);
}

// Queries (..., n, d), keys (..., m, d) and values (..., m, dv).
Call call(const Shape& batch, Int n, Int m, Int d, Int dv, DType dtype = float32) {
  const auto shape = [&](Int rows, Int columns) {
    Shape s = batch;
    s.push_back(rows);
    s.push_back(columns);
    return s;
  };
  return {numbers(shape(n, d), dtype), numbers(shape(m, d), dtype),
          numbers(shape(m, dv), dtype), numbers(shape(n, dv), dtype), std::nullopt};
}

Tensor causal(Int n) { return arange(1, n + 1, 1, int64); }

// Numbers from 0 to m + 2, the first 0.
Tensor random_lens(const Shape& shape, Int m) {
  static Generator generator(32);
  Tensor lens = randint(0, m + 3, shape, generator);
  if (lens.numel() > 0) reshape(lens, {-1}).set({0}, 0);
  return lens;
}

bool same_bits(const Tensor& a, const Tensor& b) {
  if (a.shape() != b.shape() || a.dtype() != b.dtype()) return false;
  const Tensor x = a.contiguous(), y = b.contiguous();
  const auto bytes = static_cast<std::size_t>(x.numel()) * element_size(x.dtype());
  return x.numel() == 0 || dispatch(x.dtype(), [&]<class T>() {
           return std::memcmp(x.data<T>(), y.data<T>(), bytes) == 0;
         });
}

bool same(const Results& a, const Results& b) {
  return same_bits(a.output, b.output) && same_bits(a.weights, b.weights) &&
         same_bits(a.largest, b.largest) && same_bits(a.inverse_sums, b.inverse_sums) &&
         same_bits(a.query, b.query) && same_bits(a.key, b.key) &&
         same_bits(a.value, b.value);
}

// The same elements with every second place of a larger storage between them.
Tensor strided(const Tensor& x) {
  Shape wide = x.shape();
  for (Int& size : wide) size *= 2;
  Tensor view = zeros(wide, x.dtype());
  for (int d = 0; d < x.dim(); ++d) view = slice(view, d, 1, to_end, 2);
  return view.copy_(x);
}

// The same elements as columns one after the other.
Tensor by_columns(const Tensor& x) {
  return transpose(transpose(x, -2, -1).contiguous(), -2, -1);
}

// The same elements with the rows of all heads side by side, as a projection leaves them.
Tensor as_heads(const Tensor& x) {
  return transpose(transpose(x, 1, 2).contiguous(), 1, 2);
}

}  // namespace

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
      c.lens = causal(n);
      check_call(c, label + " causal");
      c.lens = random_lens({2, 2, n}, m);
      c.scale = -0.7;
      check_call(c, label + " random lens");
    }
  }
}

BOOST_AUTO_TEST_CASE(nothing_to_attend_with_or_to) {
  for (const DType dtype : {float32, float64}) {
    const Int sizes[][4] = {
        {0, 5, 3, 4}, {5, 0, 3, 4}, {0, 0, 2, 2}, {5, 6, 0, 4}, {5, 6, 3, 0}};
    for (const auto& [n, m, d, dv] : sizes) {
      Call c = call({3}, n, m, d, dv, dtype);
      c.lens = random_lens({3, n}, m);
      check_call(c, fmt::format("n {} m {} d {} dv {}", n, m, d, dv));
    }
    check_call(call({0, 2}, 3, 4, 5, 6, dtype), "no head");
  }
  // Without lens there is no score to take the softmax of: zeros too.
  const Call c = call({2}, 3, 0, 4, 5);
  const Results r = fused(c);
  BOOST_TEST(same_bits(r.output, zeros({2, 3, 5})));
  BOOST_TEST(same_bits(r.inverse_sums, zeros({2, 3})));
  BOOST_TEST(same_bits(r.query, zeros({2, 3, 4})));
}

BOOST_AUTO_TEST_CASE(a_query_that_sees_no_key_gives_and_gets_zeros) {
  Call c = call({2}, 3, 40, 8, 8);
  c.lens = reshape(tensor({0, 40, 3, 7, 0, 0}), {2, 3});
  const Results r = fused(c);
  for (const auto& [head, row] : {std::pair<Int, Int>{0, 0}, {1, 1}, {1, 2}}) {
    BOOST_TEST(same_bits(r.output[head][row], zeros({8})));
    BOOST_TEST(same_bits(r.weights[head][row], zeros({40})));
    BOOST_TEST(same_bits(r.query[head][row], zeros({8})));
    BOOST_TEST(r.inverse_sums.at({head, row}) == 0);
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
    other.lens = lens;
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

BOOST_AUTO_TEST_CASE(layouts_are_read_in_place) {
  for (const DType dtype : {float32, float64}) {
    const Call c = call({2, 3}, 37, 70, 12, 20, dtype);
    const Results expected = fused(c);
    using Layout = Tensor (*)(const Tensor&);
    for (const Layout layout : {Layout(strided), Layout(by_columns), Layout(as_heads)}) {
      const Call other{layout(c.query), layout(c.key), layout(c.value), layout(c.g),
                       c.lens};
      BOOST_TEST_REQUIRE(!other.query.is_contiguous());
      const Results got = fused(other);
      BOOST_TEST(difference(got.output, expected.output) == 0);
      BOOST_TEST(difference(got.weights, expected.weights) == 0);
      BOOST_TEST(difference(got.query, expected.query) < 1e-6);
      BOOST_TEST(difference(got.key, expected.key) < 1e-6);
      BOOST_TEST(difference(got.value, expected.value) == 0);
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
  const AttentionResult y = scaled_dot_product_attention(q, k, v, causal(t), 0.5);
  BOOST_TEST(transpose(y.output, 1, 2).is_contiguous());
  const AttentionGradients d =
      scaled_dot_product_attention_backward(g, q, k, v, causal(t), 0.5, y);
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
      scaled_dot_product_attention(c.query, c.key, c.value, c.lens, c.scale);
  const Results all = fused(c);
  for (int i = 0; i < 8; ++i) {
    const std::array<bool, 3> wanted = {(i & 1) != 0, (i & 2) != 0, (i & 4) != 0};
    const AttentionGradients d = scaled_dot_product_attention_backward(
        c.g, c.query, c.key, c.value, c.lens, c.scale, y, wanted);
    BOOST_TEST(same_bits(d.query, wanted[0] ? all.query : Tensor()));
    BOOST_TEST(same_bits(d.key, wanted[1] ? all.key : Tensor()));
    BOOST_TEST(same_bits(d.value, wanted[2] ? all.value : Tensor()));
  }
}

BOOST_AUTO_TEST_CASE(bits_depend_neither_on_threads_nor_on_weights) {
  const int before = num_threads();
  for (const Shape& batch : {Shape{}, Shape{2}, Shape{40, 4}}) {
    const bool many = batch.rank() == 2;
    Call c = many ? call(batch, 30, 30, 16, 16) : call(batch, 300, 333, 64, 48);
    const Int n = c.query.size(-2);
    for (const Lens& lens : {Lens(), Lens(causal(n)), Lens(random_lens({n}, n))}) {
      c.lens = lens;
      set_num_threads(1);
      const Results one = fused(c);
      for (const int threads : {1, 2, 3, 5}) {
        set_num_threads(threads);
        BOOST_TEST_INFO(threads << " threads, " << batch.rank() << " leading dimensions");
        BOOST_TEST(same(fused(c), one));
        const AttentionResult without =
            scaled_dot_product_attention(c.query, c.key, c.value, c.lens, c.scale);
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
    c.lens = causal(40);
    const Results got = fused(c), expected = composed(c);
    BOOST_TEST(difference(got.output, expected.output) < 1e-3);
    BOOST_TEST(difference(got.value, expected.value) < 1e-3);
    BOOST_TEST(all(isfinite(got.query)).item() == 1);
  }
  Tensor q = full({1, 1}, 1), k = reshape(tensor({0.0, -50.0, -87.4}), {3, 1});
  Tensor weights;
  scaled_dot_product_attention(q, k, k, {}, 1, &weights);
  BOOST_TEST(weights.at({0, 0}) == 1);
  BOOST_TEST(weights.at({0, 1}) > 0);
  BOOST_TEST(weights.at({0, 2}) == 0);
}

// A query with NaN spoils its own row alone, as in the definition.
BOOST_AUTO_TEST_CASE(not_a_number_in_a_query_stays_in_its_row) {
  Call c = call({}, 40, 40, 8, 8);
  c.query.set({3, 2}, std::numeric_limits<double>::quiet_NaN());
  c.lens = causal(40);
  const Results r = fused(c);
  for (Int i = 0; i < 40; ++i) {
    BOOST_TEST(std::isnan(sum(r.output[i]).item()) == (i == 3));
    BOOST_TEST(std::isnan(sum(r.query[i]).item()) == (i == 3));
    BOOST_TEST(std::isnan(sum(r.value[i]).item()) == (i <= 3));
  }
  BOOST_TEST(r.weights.at({3, 4}) == 0);
}

BOOST_AUTO_TEST_CASE(errors) {
  const auto message = [](const Shape& q, const Shape& k, const Shape& v,
                          const Lens& lens = {}) {
    return error_of(
        [&] { scaled_dot_product_attention(zeros(q), zeros(k), zeros(v), lens, 1); });
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
  BOOST_TEST(message({3, 4}, {5, 4}, {5, 4}, ones({3})) ==
             "scaled_dot_product_attention: lens must be int64, got float32");
  BOOST_TEST(message({2, 3, 4}, {2, 5, 4}, {2, 5, 4}, causal(4)) ==
             "scaled_dot_product_attention: lens must broadcast to the queries (2, 3), "
             "got (4)");
  BOOST_TEST(message({3, 4}, {5, 4}, {5, 4}, ones({1, 1, 3}, int64)) ==
             "scaled_dot_product_attention: lens must broadcast to the queries (3), got "
             "(1, 1, 3)");
  BOOST_TEST(message({3, 4}, {5, 4}, {5, 4}, tensor({2, -1, 0})) ==
             "scaled_dot_product_attention: lens must not be negative, got -1");
  const Tensor x = zeros({3, 4}), wide = x.to(float64), whole = x.to(int64);
  BOOST_TEST(error_of([&] { scaled_dot_product_attention(x, x, wide, {}, 1); }) ==
             "scaled_dot_product_attention: the dtypes must be equal, got float32 and "
             "float64");
  BOOST_TEST(
      error_of([&] { scaled_dot_product_attention(whole, whole, whole, {}, 1); }) ==
      "scaled_dot_product_attention: the dtype must be float32 or float64, got "
      "int64");
  const AttentionResult y = scaled_dot_product_attention(x, x, x, {}, 1);
  const auto refusal = [&](const Tensor& g, const Tensor& key) {
    return error_of(
        [&] { scaled_dot_product_attention_backward(g, x, key, x, {}, 1, y); });
  };
  BOOST_TEST(refusal(zeros({4, 3}), x) ==
             "scaled_dot_product_attention_backward: the gradient and the output must "
             "have the shape (3, 4), what is kept of each row (3), got (4, 3), (3, 4), "
             "(3) and (3)");
  BOOST_TEST(refusal(x, zeros({2, 4})) ==
             "scaled_dot_product_attention_backward: there must be as many values as "
             "keys, got (3, 4) and (2, 4)");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace heed

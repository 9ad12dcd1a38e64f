// Additive attention's scores and their gradients: against the formula with plain ops,
// layouts, threads, NaN and errors.
#include "tensor/attention/additive_scores.h"

#include <cmath>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "tensor/core/factories.h"
#include "tensor/core/threads.h"
#include "tensor/core/views.h"
#include "tensor/elementwise/elementwise.h"
#include "tensor/random/random.h"
#include "tensor/reduce/reductions.h"
#include "tests/compare.h"
#include "tests/infinity.h"
#include "tests/layouts.h"
#include "tests/tensor/show.h"

namespace heed {
namespace {

// Operands and a gradient of the scores, fixed random numbers of either sign.
struct Sample {
  Tensor queries, keys, w, g;

  Sample(const Shape& batch, std::int64_t n, std::int64_t m, std::int64_t h,
         DType dtype = float64) {
    Generator generator(11);
    const auto numbers = [&](std::initializer_list<Size> last) {
      return randn(append(batch, last), float64, generator).to(dtype);
    };
    queries = numbers({n, h});
    keys = numbers({m, h});
    w = randn({h}, float64, generator).to(dtype);
    g = numbers({n, m});
  }
  Tensor scores() const { return additive_scores(queries, keys, w); }
  AdditiveScoresGradients gradients() const {
    return additive_scores_backward(g, queries, keys, w);
  }
};

// The same with plain ops, which hold the array of all sums, in float64.
struct Plain {
  Tensor scores, queries, keys, w;

  explicit Plain(const Sample& x) {
    const Tensor weights = x.w.to(float64), each = unsqueeze(x.g.to(float64), -1);
    const Tensor t = tanh(unsqueeze(x.queries.to(float64), -2) +
                          unsqueeze(x.keys.to(float64), -3));  // (..., n, m, h)
    scores = sum(t * weights, -1);
    queries = sum(each * (1 - t * t) * weights, -2);
    keys = sum(each * (1 - t * t) * weights, -3);
    w = sum_to(each * t, weights.shape());
  }
};

void check_against_plain(const Sample& x, double tolerance) {
  const Plain plain(x);
  const Tensor scores = x.scores();
  const auto [queries, keys, w] = x.gradients();
  // The tolerance is relative to the largest number, or to 1.
  const auto check = [&](const Tensor& got, const Tensor& expected) {
    const double largest = expected.numel() == 0 ? 0 : max(abs(expected)).item();
    BOOST_TEST(distance(got, expected) < tolerance * std::max(1.0, largest));
  };
  BOOST_TEST_CONTEXT(
      fmt::format("{} {} {}", name(x.w.dtype()), x.queries.shape(), x.keys.shape())) {
    BOOST_TEST((scores.dtype() == x.w.dtype()));
    check(scores, plain.scores);
    check(queries, plain.queries);
    check(keys, plain.keys);
    check(w, plain.w);
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(additive)

BOOST_AUTO_TEST_CASE(values_and_gradients_of_every_shape) {
  struct Sizes {
    Shape batch;
    std::int64_t n, m, h;
  };
  // Hidden units below, at and above the width of a vector and its multiples; one query,
  // one key; no batch, one of two dimensions; nothing.
  const Sizes all[] = {
      {{2}, 1, 10, 8}, {{3}, 4, 5, 16}, {{2}, 3, 7, 17},    {{2}, 5, 4, 33},
      {{1}, 1, 1, 1},  {{2}, 6, 3, 1},  {{2}, 1, 1, 100},   {{}, 9, 11, 20},
      {{}, 1, 4, 64},  {{}, 4, 1, 15},  {{2, 3}, 4, 5, 31}, {{5}, 30, 40, 50},
      {{0}, 2, 3, 4},  {{2}, 0, 3, 4},  {{2}, 3, 0, 4},     {{2}, 3, 4, 0},
  };
  for (const auto& [batch, n, m, h] : all) {
    check_against_plain(Sample(batch, n, m, h, float32), 1e-6);
    check_against_plain(Sample(batch, n, m, h, float64), 1e-14);
  }
}

// Many queries and keys take powers of each; small, middling and large ones, and pairs of
// unlike ones, in different ways.
BOOST_AUTO_TEST_CASE(operands_of_every_size) {
  for (const DType dtype : {float32, float64}) {
    const double exact = dtype == float32 ? 1e-6 : 2e-15;
    for (const double scale : {1e-6, 1e-3, 0.1, 0.4, 1.0, 4.0, 15.0, 100.0, 1e30}) {
      Sample x({2}, 20, 24, 19, dtype);
      x.queries *= scale;
      x.keys *= scale;
      const Plain plain(x);
      BOOST_TEST_CONTEXT(name(dtype) << ", " << scale) {
        const double largest = max(abs(plain.scores)).item();
        BOOST_TEST(distance(x.scores(), plain.scores) <= exact * largest);
        check_against_plain(x, 4 * exact);
      }
    }
    Sample mixed({}, 12, 14, 21, dtype);
    for (std::int64_t i = 0; i < 12; ++i) mixed.queries[i] *= std::pow(4.0, i - 6);
    for (std::int64_t j = 0; j < 14; ++j) mixed.keys[j] *= std::pow(4.0, 6 - j);
    check_against_plain(mixed, 4 * exact);
    Sample opposite({}, 16, 16, 40, dtype);  // q + k is nearly 0
    opposite.queries *= 3;
    opposite.keys = opposite.queries * (-1 - 1e-6);
    check_against_plain(opposite, 4 * exact);
  }
}

BOOST_AUTO_TEST_CASE(the_toy_of_equal_keys) {
  // Equal keys score equally: here tanh(0.5) for each of two hidden units, times 1 and 2.
  const Tensor scores =
      additive_scores(full({1, 2}, 0.25), full({3, 2}, 0.25), tensor({1.0, 2.0}));
  BOOST_TEST((scores.shape() == Shape{1, 3}));
  for (int j = 0; j < 3; ++j) {
    BOOST_TEST(std::abs(scores.at({0, j}) - 3 * std::tanh(0.5)) < 1e-6);
  }
}

BOOST_AUTO_TEST_CASE(a_sum_over_many_queries_keeps_its_digits) {
  // Added one after the other in float32, only three digits would be left.
  Sample x({1}, 200'000, 1, 1, float32);
  x.g.fill_(1);
  x.queries.fill_(1);
  x.keys.fill_(0);
  const double expected = 200'000 * std::tanh(1.0);
  BOOST_TEST(std::abs(x.gradients().w.item() / expected - 1) < 1e-6);
}

BOOST_AUTO_TEST_CASE(the_layout_does_not_matter) {
  const Sample x({3}, 4, 6, 18);
  const auto transposed = [](const Tensor& t) { return stored_transposed(t, 0, -1); };
  const auto by_layout = [&](auto layout) {
    Sample y = x;
    y.queries = layout(x.queries);
    y.keys = layout(x.keys);
    y.g = layout(x.g);
    y.w = strided(x.w);
    return y;
  };
  const auto [queries, keys, w] = x.gradients();
  for (const Sample& y : {by_layout(strided), by_layout(transposed)}) {
    BOOST_TEST(!y.queries.is_contiguous());
    const auto again = y.gradients();
    BOOST_TEST(distance(y.scores(), x.scores()) == 0);
    BOOST_TEST(distance(again.queries, queries) == 0);
    BOOST_TEST(distance(again.keys, keys) == 0);
    BOOST_TEST(distance(again.w, w) == 0);
    BOOST_TEST(again.queries.is_contiguous());
  }
}

BOOST_AUTO_TEST_CASE(bits_do_not_depend_on_threads) {
  const int before = num_threads();
  // A batch, a single entry of many hidden units, a single query, and sizes that no
  // number of threads divides.
  const Sample samples[] = {
      Sample({8}, 20, 30, 24, float32), Sample({1}, 40, 50, 67, float32),
      Sample({2}, 1, 700, 37, float32), Sample({7}, 13, 31, 5, float32),
      Sample({}, 300, 1, 90, float32)};
  for (const Sample& x : samples) {
    set_num_threads(1);
    const Tensor scores = x.scores();
    const auto [queries, keys, w] = x.gradients();
    for (const int threads : {2, 3, 5}) {
      set_num_threads(threads);
      const auto again = x.gradients();
      BOOST_TEST(same_bits(x.scores(), scores));
      BOOST_TEST(same_bits(again.queries, queries));
      BOOST_TEST(same_bits(again.keys, keys));
      BOOST_TEST(same_bits(again.w, w));
    }
  }
  set_num_threads(before);
}

BOOST_AUTO_TEST_CASE(padding_without_a_gradient_gives_none) {
  for (const DType dtype : {float32, float64}) {
    // The last two keys of the first entry and the last query of the second are padding.
    Sample x({2}, 3, 5, 18, dtype);
    Tensor padded_keys = slice(x.keys[0], 0, 3), padded_query = x.queries[1][2];
    padded_keys.fill_(0);
    padded_query.fill_(0);
    slice(x.g[0], 1, 3).fill_(0);
    x.g[1][2].fill_(0);
    const auto [queries, keys, w] = x.gradients();
    for (const double bad : {not_a_number, infinity}) {
      padded_keys.fill_(bad);
      padded_query.fill_(-bad);
      const auto padded = x.gradients();
      BOOST_TEST(distance(padded.queries, queries) == 0);
      BOOST_TEST(distance(padded.keys, keys) == 0);
      BOOST_TEST(distance(padded.w, w) == 0);
      BOOST_TEST(max(abs(padded.keys[0][4])).item() == 0);
      BOOST_TEST(max(abs(padded.queries[1][2])).item() == 0);
    }
    // A NaN that has a gradient shows in everything that it takes part in, and nowhere
    // else.
    x.keys.set({0, 1, 2}, not_a_number);
    const auto shown = x.gradients();
    BOOST_TEST(std::isnan(x.scores().at({0, 2, 1})));
    BOOST_TEST(!std::isnan(x.scores().at({0, 2, 2})));
    BOOST_TEST(std::isnan(shown.queries.at({0, 0, 2})));
    BOOST_TEST(!std::isnan(shown.queries.at({0, 0, 1})));
    BOOST_TEST(std::isnan(shown.keys.at({0, 1, 2})));
    BOOST_TEST(!std::isnan(shown.keys.at({0, 2, 2})));
    BOOST_TEST(std::isnan(shown.w.at({2})));
    BOOST_TEST(!std::isnan(shown.w.at({1})));
  }
}

BOOST_AUTO_TEST_CASE(errors) {
  const Tensor q = zeros({2, 3, 4}), k = zeros({2, 5, 4}), w = zeros({4});
  const auto message = [](const Tensor& a, const Tensor& b, const Tensor& c) {
    return error_of([&] { additive_scores(a, b, c); });
  };
  const std::string must =
      "additive_scores: queries (..., n, h), keys (..., m, h) and w (h), got ";
  BOOST_TEST(message(q, zeros({2, 5, 3}), w) == must + "(2, 3, 4), (2, 5, 3) and (4)");
  BOOST_TEST(message(q, zeros({1, 5, 4}), w) == must + "(2, 3, 4), (1, 5, 4) and (4)");
  BOOST_TEST(message(q, zeros({5, 4}), w) == must + "(2, 3, 4), (5, 4) and (4)");
  BOOST_TEST(message(w, w, w) == must + "(4), (4) and (4)");
  BOOST_TEST(message(q, k, zeros({5})) == must + "(2, 3, 4), (2, 5, 4) and (5)");
  BOOST_TEST(message(q, k, zeros({1, 4})) == must + "(2, 3, 4), (2, 5, 4) and (1, 4)");
  BOOST_TEST(message(q, k, tensor(1.0)) == must + "(2, 3, 4), (2, 5, 4) and ()");
  BOOST_TEST(message(q, k.to(float64), w) ==
             "additive_scores: the dtypes must be equal, got float32 and float64; "
             "to(dtype) converts a tensor");
  BOOST_TEST(message(q, k, w.to(float64)) ==
             "additive_scores: the dtypes must be equal, got float32 and float64; "
             "to(dtype) converts a tensor");
  BOOST_TEST(message(q.to(int64), k.to(int64), w.to(int64)) ==
             "additive_scores: the dtype must be float32 or float64, got int64; "
             "to(float32) converts a tensor");
  const auto backward_message = [&](const Tensor& g) {
    return error_of([&] { additive_scores_backward(g, q, k, w); });
  };
  BOOST_TEST(backward_message(zeros({2, 5, 3})) ==
             "additive_scores_backward: the gradient must have the shape (2, 3, 5), got "
             "(2, 5, 3)");
  BOOST_TEST(backward_message(zeros({2, 3, 5}, float64)) ==
             "additive_scores_backward: the dtypes must be equal, got float64 and "
             "float32; to(dtype) converts a tensor");
  BOOST_TEST(error_of([&] { additive_scores_backward(w, q, k, zeros({5})); }) ==
             "additive_scores_backward: queries (..., n, h), keys (..., m, h) and w (h), "
             "got (2, 3, 4), (2, 5, 4) and (5)");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace heed

// Gaussian attention and its gradients: against the formula with plain ops, layouts,
// threads and errors.
#include "tensor/attention/gaussian_attention.h"

#include <cmath>
#include <limits>

#include <boost/test/unit_test.hpp>

#include "tensor/core/factories.h"
#include "tensor/core/threads.h"
#include "tensor/core/views.h"
#include "tensor/elementwise/elementwise.h"
#include "tensor/indexing/joining.h"
#include "tensor/random/random.h"
#include "tensor/reduce/reductions.h"
#include "tensor/reduce/softmax.h"
#include "tests/compare.h"
#include "tests/layouts.h"
#include "tests/tensor/show.h"

namespace heed {
namespace {

// Operands and a gradient of the output, fixed random numbers of either sign.
struct Sample {
  Tensor query, key, value, w, g;

  Sample(std::int64_t n, std::int64_t m, DType dtype = float64) {
    Generator generator(12);
    query = randn({n, 1, 1}, float64, generator).to(dtype);
    key = randn({n, m, 1}, float64, generator).to(dtype);
    value = randn({n, m, 1}, float64, generator).to(dtype);
    w = full({1}, 1.3, dtype);
    g = randn({n, 1, 1}, float64, generator).to(dtype);
  }
  GaussianAttentionResult result() const {
    return gaussian_attention(query, key, value, w);
  }
  GaussianAttentionGradients gradients(const std::array<bool, 2>& wanted = {true,
                                                                            true}) const {
    return gaussian_attention_backward(g, query, key, value, w, result(), wanted);
  }
};

// The same with plain ops, in float64.
struct Plain {
  Tensor weights, output, query, key, value, w;

  explicit Plain(const Sample& x) {
    const Tensor factor = x.w.to(float64), g = x.g.to(float64), v = x.value.to(float64);
    const Tensor d = x.query.to(float64) - x.key.to(float64);  // (n, m, 1)
    const Tensor p = softmax(-square(d * factor) / 2, 1);
    output = sum(p * v, 1, true);
    weights = transpose(p, 1, 2);
    const Tensor ds = p * g * (v - output);
    key = ds * d * square(factor);
    query = -sum(key, 1, true);
    value = p * g;
    w = -factor * sum(ds * square(d));
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(gaussian)

BOOST_AUTO_TEST_CASE(values_and_gradients_of_every_shape) {
  // Few and many rows, short and long ones.
  const std::pair<std::int64_t, std::int64_t> sizes[] = {
      {50, 49}, {3, 17}, {9, 64}, {9, 65}, {2, 5000}, {300, 7},
      {1, 1},   {7, 1},  {1, 30}, {0, 4},  {4, 0}};
  for (const auto& [n, m] : sizes) {
    for (const DType dtype : {float32, float64}) {
      const double tolerance = dtype == float32 ? 2e-6 : 1e-14;
      const Sample x(n, m, dtype);
      const Plain plain(x);
      const GaussianAttentionResult result = x.result();
      const Tensor output = result.output, weights = result.weights;
      const auto [query, key, value, w] = x.gradients();
      BOOST_TEST_CONTEXT(fmt::format("{} {} {}", name(dtype), n, m)) {
        BOOST_TEST((weights.dtype() == dtype));
        BOOST_TEST(relative_distance(weights, plain.weights) < tolerance);
        BOOST_TEST(relative_distance(output, plain.output) < tolerance);
        BOOST_TEST(relative_distance(query, plain.query) < tolerance);
        BOOST_TEST(relative_distance(key, plain.key) < tolerance);
        BOOST_TEST(relative_distance(value, plain.value) < tolerance);
        BOOST_TEST(relative_distance(w, plain.w) < tolerance);
        // Bit for bit what the ops give in their own dtype.
        const Tensor scores = -square((x.query - x.key) * x.w) / 2;  // (n, m, 1)
        BOOST_TEST(distance(weights, softmax(transpose(scores, 1, 2), 2)) == 0);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(what_is_not_wanted_changes_nothing) {
  const Sample x(6, 20);
  const auto all = x.gradients();
  for (const std::array<bool, 2>& wanted :
       {std::array{false, false}, {true, false}, {false, true}}) {
    const auto fewer = x.gradients(wanted);
    BOOST_TEST(distance(fewer.query, all.query) == 0);
    BOOST_TEST(distance(fewer.w, all.w) == 0);
    BOOST_TEST(fewer.key.defined() == wanted[0]);
    BOOST_TEST(fewer.value.defined() == wanted[1]);
    if (wanted[0]) BOOST_TEST(distance(fewer.key, all.key) == 0);
    if (wanted[1]) BOOST_TEST(distance(fewer.value, all.value) == 0);
  }
}

BOOST_AUTO_TEST_CASE(far_keys_flat_kernels_and_w_of_any_rank) {
  // The nearest key gets the weight 1 however far it is; with w = 0 all are equally near.
  const Tensor query = reshape(tensor({0.0, 100.0}), {2, 1, 1});
  const Tensor key = expand(reshape(tensor({1.0, 5.0, 9.0}), {3, 1}), {2, 3, 1});
  const auto near = gaussian_attention(query, key, key, tensor(40.0));
  BOOST_TEST(show(near.weights) == "(2, 1, 3) 1 0 0 0 0 1");
  BOOST_TEST(show(near.output) == "(2, 1, 1) 1 9");
  const Tensor w = zeros({1, 1});
  const auto flat = gaussian_attention(query, key, key, w);
  BOOST_TEST(max(abs(flat.weights - 1.0 / 3)).item() < 1e-7);
  BOOST_TEST((gaussian_attention_backward(query, query, key, key, w, flat).w.shape() ==
              Shape{1, 1}));
  const Tensor nan = full({1}, std::numeric_limits<double>::quiet_NaN());
  BOOST_TEST(std::isnan(gaussian_attention(query, key, key, nan).weights.at({1, 0, 2})));
}

BOOST_AUTO_TEST_CASE(any_leading_dimensions) {
  const Sample x(6, 4);
  const Shape rows{1, 2, 3, 1, 1}, pairs{1, 2, 3, 4, 1};
  const auto result = gaussian_attention(reshape(x.query, rows), reshape(x.key, pairs),
                                         reshape(x.value, pairs), x.w);
  BOOST_TEST(distance(result.output, reshape(x.result().output, rows)) == 0);
  BOOST_TEST(distance(result.weights, reshape(x.result().weights, {1, 2, 3, 1, 4})) == 0);
  const auto d = gaussian_attention_backward(reshape(x.g, rows), reshape(x.query, rows),
                                             reshape(x.key, pairs),
                                             reshape(x.value, pairs), x.w, result);
  BOOST_TEST(distance(d.query, reshape(x.gradients().query, rows)) == 0);
  BOOST_TEST(distance(d.key, reshape(x.gradients().key, pairs)) == 0);
  const auto one = gaussian_attention(x.query[0], x.key[0], x.value[0], x.w);  // no batch
  BOOST_TEST(distance(one.output, x.result().output[0]) == 0);
}

BOOST_AUTO_TEST_CASE(the_layout_does_not_matter) {
  const Sample x(8, 10);
  Sample y = x;
  y.query = strided(x.query);
  y.key = stored_transposed(x.key, 0, 1);
  y.value = stored_transposed(x.value, 0, 1);
  y.g = strided(x.g);
  BOOST_TEST((!y.query.is_contiguous() && !y.key.is_contiguous()));
  BOOST_TEST(distance(y.result().output, x.result().output) == 0);
  const auto got = y.gradients(), expected = x.gradients();
  BOOST_TEST(distance(got.query, expected.query) == 0);
  BOOST_TEST(distance(got.key, expected.key) == 0);
  BOOST_TEST(distance(got.value, expected.value) == 0);
  BOOST_TEST(distance(got.w, expected.w) == 0);
}

BOOST_AUTO_TEST_CASE(bits_do_not_depend_on_threads) {
  const int before = num_threads();
  const auto bits = [](const Sample& x) {
    const auto [output, weights, by_query, by_w] = x.result();
    const auto [query, key, value, w] = x.gradients();
    return cat({flatten(output), flatten(weights), flatten(query), flatten(key),
                flatten(value), w})
        .to_vector<float>();
  };
  for (const Sample& x : {Sample(3001, 13, float32), Sample(511, 300, float32),
                          Sample(7, 40'000, float32)}) {
    set_num_threads(1);
    const auto one = bits(x);
    for (const int threads : {2, 3, 5}) {
      set_num_threads(threads);
      BOOST_TEST((bits(x) == one));
    }
  }
  set_num_threads(before);
}

BOOST_AUTO_TEST_CASE(errors) {
  const Tensor q = zeros({2, 1, 1}), k = zeros({2, 3, 1}), w = zeros({1});
  const auto message = [](const Tensor& a, const Tensor& b, const Tensor& c,
                          const Tensor& d) {
    return error_of([&] { gaussian_attention(a, b, c, d); });
  };
  const std::string must =
      "gaussian_attention: query (..., 1, 1), key (..., m, 1), value (..., m, 1) and a w "
      "of one element, got ";
  BOOST_TEST(message(k, k, k, w) == must + "(2, 3, 1), (2, 3, 1), (2, 3, 1) and (1)");
  BOOST_TEST(message(q, w, w, w) == must + "(2, 1, 1), (1), (1) and (1)");
  BOOST_TEST(message(q, zeros({2, 3, 2}), k, w) ==
             must + "(2, 1, 1), (2, 3, 2), (2, 3, 1) and (1)");
  BOOST_TEST(message(q, zeros({3, 3, 1}), k, w) ==
             must + "(2, 1, 1), (3, 3, 1), (2, 3, 1) and (1)");
  BOOST_TEST(message(q, k, q, w) == must + "(2, 1, 1), (2, 3, 1), (2, 1, 1) and (1)");
  BOOST_TEST(message(q, k, k, zeros({2})) ==
             must + "(2, 1, 1), (2, 3, 1), (2, 3, 1) and (2)");
  const std::string dtypes =
      "gaussian_attention: the dtypes must be equal, got float32 and float64; to(dtype) "
      "converts a tensor";
  BOOST_TEST(message(q.to(float64), k, k, w) == dtypes);
  BOOST_TEST(message(q, k, k.to(float64), w) == dtypes);
  BOOST_TEST(message(q, k, k, w.to(float64)) == dtypes);
  BOOST_TEST(message(q.to(int64), k.to(int64), k.to(int64), w.to(int64)) ==
             "gaussian_attention: the dtype must be float32 or float64, got int64; "
             "to(float32) converts a tensor");
  const Tensor p = zeros({2, 1, 3});
  const auto backward_message = [&](const Tensor& g, const GaussianAttentionResult& r) {
    return error_of([&] { gaussian_attention_backward(g, q, k, k, w, r); });
  };
  const std::string shapes =
      "gaussian_attention_backward: the gradient, the output and its derivatives must "
      "have "
      "the shape (2, 1, 1), the weights (2, 1, 3), got ";
  BOOST_TEST(backward_message(p, {q, p, q, q}) ==
             shapes + "(2, 1, 3), (2, 1, 1), (2, 1, 1), (2, 1, 1) and (2, 1, 3)");
  BOOST_TEST(backward_message(q, {p, p, q, q}) ==
             shapes + "(2, 1, 1), (2, 1, 3), (2, 1, 1), (2, 1, 1) and (2, 1, 3)");
  BOOST_TEST(backward_message(q, {q, q, q, q}) ==
             shapes + "(2, 1, 1), (2, 1, 1), (2, 1, 1), (2, 1, 1) and (2, 1, 1)");
  BOOST_TEST(backward_message(q, {q, p, p, q}) ==
             shapes + "(2, 1, 1), (2, 1, 1), (2, 1, 3), (2, 1, 1) and (2, 1, 3)");
  BOOST_TEST(backward_message(q, {q, p, q, p}) ==
             shapes + "(2, 1, 1), (2, 1, 1), (2, 1, 1), (2, 1, 3) and (2, 1, 3)");
  const std::string dtype =
      "gaussian_attention_backward: the dtypes must be equal, got float32 and float64; "
      "to(dtype) converts a tensor";
  BOOST_TEST(backward_message(q.to(float64), {q, p, q, q}) == dtype);
  BOOST_TEST(backward_message(q, {q.to(float64), p, q, q}) == dtype);
  BOOST_TEST(backward_message(q, {q, p.to(float64), q, q}) == dtype);
  BOOST_TEST(backward_message(q, {q, p, q.to(float64), q}) == dtype);
  BOOST_TEST(backward_message(q, {q, p, q, q.to(float64)}) == dtype);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace heed

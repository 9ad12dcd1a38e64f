// The weights of a Gaussian kernel and their gradients: against the formula in plain ops,
// layouts, threads and errors.
#include "tensor/gaussian_weights.h"

#include <cmath>
#include <limits>

#include <boost/test/unit_test.hpp>

#include "tensor/elementwise.h"
#include "tensor/factories.h"
#include "tensor/joining.h"
#include "tensor/random.h"
#include "tensor/reductions.h"
#include "tensor/softmax.h"
#include "tensor/threads.h"
#include "tensor/views.h"
#include "tests/tensor/show.h"

namespace heed {
namespace {

// Operands and a gradient of the weights, fixed random numbers of either sign.
struct Sample {
  Tensor queries, keys, w, g;

  Sample(std::int64_t n, std::int64_t m, DType dtype = float64) {
    Generator generator(12);
    queries = randn({n}, float64, generator).to(dtype);
    keys = randn({n, m}, float64, generator).to(dtype);
    w = full({1}, 1.3, dtype);
    g = randn({n, m}, float64, generator).to(dtype);
  }
  Tensor weights() const { return gaussian_weights(queries, keys, w); }
  GaussianWeightsGradients gradients(bool with_keys = true) const {
    return gaussian_weights_backward(g, weights(), queries, keys, w, with_keys);
  }
};

// The same in plain ops, in float64.
struct Plain {
  Tensor weights, queries, keys, w;

  explicit Plain(const Sample& x) {
    const Tensor factor = x.w.to(float64), g = x.g.to(float64);
    const Tensor d = unsqueeze(x.queries.to(float64), 1) - x.keys.to(float64);
    weights = softmax(-square(d * factor) / 2, 1);
    const Tensor ds = weights * (g - sum(g * weights, 1, true));
    keys = ds * d * square(factor);
    queries = -sum(keys, 1);
    w = -factor * sum(ds * square(d));
  }
};

double error(const Tensor& got, const Tensor& expected) {
  BOOST_TEST_REQUIRE(got.shape() == expected.shape());
  if (got.numel() == 0) return 0;
  const double scale = std::max(1.0, max(abs(expected)).item());
  return max(abs(got.to(float64) - expected.to(float64))).item() / scale;
}

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
      const Tensor weights = x.weights();
      const auto [queries, keys, w] = x.gradients();
      BOOST_TEST_CONTEXT(fmt::format("{} {} {}", name(dtype), n, m)) {
        BOOST_TEST((weights.dtype() == dtype));
        BOOST_TEST(error(weights, plain.weights) < tolerance);
        BOOST_TEST(error(queries, plain.queries) < tolerance);
        BOOST_TEST(error(keys, plain.keys) < tolerance);
        BOOST_TEST(error(w, plain.w) < tolerance);
        // To the last bit what the ops give in their own dtype.
        const Tensor scores = -square((unsqueeze(x.queries, 1) - x.keys) * x.w) / 2;
        BOOST_TEST(error(weights, softmax(scores, 1)) == 0);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(without_the_keys_the_others_are_the_same) {
  const Sample x(6, 20);
  const auto all = x.gradients(), fewer = x.gradients(false);
  BOOST_TEST(error(fewer.queries, all.queries) == 0);
  BOOST_TEST(error(fewer.w, all.w) == 0);
  BOOST_TEST(fewer.keys.numel() == 0);
}

BOOST_AUTO_TEST_CASE(far_keys_flat_kernels_and_w_of_any_rank) {
  // The nearest key takes all however far it is; with w = 0 all keys are equally near.
  const Tensor queries = tensor({0.0, 100.0});
  const Tensor keys = zeros({2, 3}) + tensor({1.0, 5.0, 9.0});
  BOOST_TEST(show(gaussian_weights(queries, keys, tensor(40.0))) == "(2, 3) 1 0 0 0 0 1");
  const Tensor flat = gaussian_weights(queries, keys, zeros({1, 1}));
  BOOST_TEST(max(abs(flat - 1.0 / 3)).item() < 1e-7);
  BOOST_TEST((gaussian_weights_backward(flat, flat, queries, keys, zeros({1, 1}), false)
                  .w.shape() == Shape{1, 1}));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  BOOST_TEST(std::isnan(gaussian_weights(queries, keys, full({1}, nan)).at({1, 2})));
}

BOOST_AUTO_TEST_CASE(the_layout_does_not_matter) {
  const Sample x(8, 10);
  Sample y = x;
  y.queries = slice(reshape(stack({x.queries, x.queries}, 1), {-1}), 0, 0, to_end, 2);
  y.keys = transpose(transpose(x.keys, 0, 1).contiguous(), 0, 1);
  y.g = transpose(transpose(x.g, 0, 1).contiguous(), 0, 1);
  BOOST_TEST((!y.queries.is_contiguous() && !y.keys.is_contiguous()));
  BOOST_TEST(error(y.weights(), x.weights()) == 0);
  const auto got = y.gradients(), expected = x.gradients();
  BOOST_TEST(error(got.queries, expected.queries) == 0);
  BOOST_TEST(error(got.keys, expected.keys) == 0);
  BOOST_TEST(error(got.w, expected.w) == 0);
}

BOOST_AUTO_TEST_CASE(bits_do_not_depend_on_threads) {
  const int before = num_threads();
  const auto bits = [](const Tensor& t) { return t.to_vector<float>(); };
  for (const Sample& x : {Sample(3001, 13, float32), Sample(511, 300, float32),
                          Sample(7, 40'000, float32)}) {
    set_num_threads(1);
    const auto weights = bits(x.weights());
    const auto [queries, keys, w] = x.gradients();
    for (const int threads : {2, 3, 5}) {
      set_num_threads(threads);
      const auto again = x.gradients();
      BOOST_TEST((bits(x.weights()) == weights));
      BOOST_TEST((bits(again.queries) == bits(queries)));
      BOOST_TEST((bits(again.keys) == bits(keys)));
      BOOST_TEST((bits(again.w) == bits(w)));
    }
  }
  set_num_threads(before);
}

BOOST_AUTO_TEST_CASE(errors) {
  const Tensor q = zeros({2}), k = zeros({2, 3}), w = zeros({1});
  const auto message = [](const Tensor& a, const Tensor& b, const Tensor& c) {
    return error_of([&] { gaussian_weights(a, b, c); });
  };
  const std::string must =
      "gaussian_weights: queries (n), keys (n, m) and a w of one element, got ";
  BOOST_TEST(message(k, k, w) == must + "(2, 3), (2, 3) and (1)");
  BOOST_TEST(message(q, q, w) == must + "(2), (2) and (1)");
  BOOST_TEST(message(q, zeros({3, 3}), w) == must + "(2), (3, 3) and (1)");
  BOOST_TEST(message(q, k, q) == must + "(2), (2, 3) and (2)");
  BOOST_TEST(message(q, k.to(float64), w) ==
             "gaussian_weights: the dtypes must be equal, got float32 and float64");
  BOOST_TEST(message(q, k, w.to(float64)) ==
             "gaussian_weights: the dtypes must be equal, got float32 and float64");
  BOOST_TEST(message(q.to(int64), k.to(int64), w.to(int64)) ==
             "gaussian_weights: the dtype must be float32 or float64, got int64");
  const auto backward_message = [&](const Tensor& g, const Tensor& y) {
    return error_of([&] { gaussian_weights_backward(g, y, q, k, w, true); });
  };
  const std::string shapes =
      "gaussian_weights_backward: the gradient and the weights must have the shape "
      "(2, 3), got ";
  BOOST_TEST(backward_message(q, k) == shapes + "(2) and (2, 3)");
  BOOST_TEST(backward_message(k, zeros({3, 2})) == shapes + "(2, 3) and (3, 2)");
  const std::string dtypes =
      "gaussian_weights_backward: the dtypes must be equal, got float64 and float32";
  BOOST_TEST(backward_message(k.to(float64), k) == dtypes);
  BOOST_TEST(backward_message(k, k.to(float64)) == dtypes);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace heed

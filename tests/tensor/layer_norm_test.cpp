// Layer normalisation against its formula, and what it refuses.

#include <boost/test/unit_test.hpp>

#include <heed.h>

#include "tests/compare.h"
#include "tests/errors.h"
#include "tests/layouts.h"

using namespace heed;

namespace {

// The formula with plain ops, in float64.
Tensor formula(const Tensor& x, const Tensor& weight, const Tensor& bias, double eps) {
  const Tensor wide = x.to(float64);
  const Tensor centered = wide - mean(wide, -1, true);
  const Tensor h = centered * rsqrt(mean(square(centered), -1, true) + eps);
  return h * weight.to(float64) + bias.to(float64);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(layer_norm_kernels)

BOOST_AUTO_TEST_CASE(values_are_those_of_the_formula) {
  Generator generator(1);
  for (const std::int64_t n : {1, 2, 7, 16, 33, 128, 1000}) {
    for (const DType dtype : {float32, float64}) {
      const Tensor x = randn({3, 5, n}, dtype, generator) * 2 + 10;
      const Tensor weight = randn({n}, dtype, generator);
      const Tensor bias = randn({n}, dtype, generator);
      const LayerNormResult y = layer_norm(x, weight, bias, 1e-5);
      const double bound = dtype == float32 ? (n == 1 ? 1e-6 : 2e-4) : 1e-12;
      BOOST_TEST(distance(y.output, formula(x, weight, bias, 1e-5)) < bound);
      BOOST_TEST(distance(y.mean, mean(x.to(float64), -1)) < 1e-5);
      BOOST_TEST((y.rstd.shape() == Shape{3, 5}));
    }
  }
}

BOOST_AUTO_TEST_CASE(far_off_rows_lose_no_digits) {
  // Adding one by one in float32 would lose some: the error would be 7e-5.
  Generator generator(5);
  for (const std::int64_t n : {768, 1024}) {
    const Tensor x = randn({64, n}, float32, generator) + 100;
    const LayerNormResult y = layer_norm(x, {}, {}, 1e-5);
    BOOST_TEST(distance(y.output, formula(x, ones({n}), zeros({n}), 1e-5)) < 2e-5);
  }
}

BOOST_AUTO_TEST_CASE(a_long_row_loses_no_digits) {
  Generator generator(4);
  const std::int64_t n = std::int64_t{1} << 20;
  const Tensor x = randn({1, n}, float32, generator) + 3;
  const Tensor g = randn({1, n}, float32, generator) + 1;
  const LayerNormResult y = layer_norm(x, {}, {}, 1e-5);
  const Tensor h = formula(x, ones({n}), zeros({n}), 1e-5);
  BOOST_TEST(distance(y.output, h) < 2e-6);
  const Tensor dx =
      layer_norm_backward(g, x, {}, y.mean, y.rstd, {true, false, false})[0];
  const Tensor wide = g.to(float64);
  const Tensor expected = wide - mean(wide) - h * mean(wide * h);
  BOOST_TEST(distance(dx.to(float64) / y.rstd.item(), expected) < 2e-6);
}

BOOST_AUTO_TEST_CASE(weight_and_bias_may_be_left_out) {
  Generator generator(2);
  const Tensor x = randn({4, 6}, float64, generator);
  const Tensor weight = randn({6}, float64, generator);
  const Tensor whole = layer_norm(x, weight, zeros({6}, float64), 1e-5).output;
  BOOST_TEST(same(layer_norm(x, weight, {}, 1e-5).output, whole));
  const Tensor plain = layer_norm(x, {}, {}, 1e-5).output;
  BOOST_TEST(distance(plain * weight, whole) < 1e-14);
  const Tensor bias = randn({6}, float64, generator);
  BOOST_TEST(same(layer_norm(x, {}, bias, 1e-5).output, plain + bias));
  // 1 / 49 is no float, but 49 / 49 is 1.
  for (DType dtype : {float32, float64}) {
    BOOST_TEST(same(layer_norm(ones({3, 49}, dtype), {}, {}, 1e-5).output,
                    zeros({3, 49}, dtype)));
  }
}

BOOST_AUTO_TEST_CASE(the_bits_do_not_depend_on_threads_or_strides) {
  Generator generator(3);
  const Tensor x = randn({700, 96}, float32, generator);
  const Tensor g = randn({700, 96}, float32, generator);
  const Tensor weight = randn({96}, float32, generator);
  const Tensor turned = stored_transposed(x, 0, 1);
  const int before = num_threads();
  std::vector<Tensor> first;
  for (const int threads : {1, 2, 3, 5}) {
    set_num_threads(threads);
    for (const Tensor& in : {x, turned}) {
      const LayerNormResult y = layer_norm(in, weight, {}, 1e-5);
      auto [dx, dw, db] =
          layer_norm_backward(g, in, weight, y.mean, y.rstd, {true, true, true});
      const std::vector<Tensor> now = {y.output, y.mean, y.rstd, dx, dw, db};
      if (first.empty()) first = now;
      for (std::size_t i = 0; i < now.size(); ++i) {
        BOOST_TEST(same_bits(now[i], first[i]));
      }
    }
  }
  set_num_threads(before);
}

BOOST_AUTO_TEST_CASE(only_wanted_gradients_are_computed) {
  const Tensor x = randn({2, 3});
  const LayerNormResult y = layer_norm(x, {}, {}, 1e-5);
  const auto [dx, dw, db] =
      layer_norm_backward(x, x, {}, y.mean, y.rstd, {false, false, true});
  BOOST_TEST(!dx.defined());
  BOOST_TEST(!dw.defined());
  BOOST_TEST(same(db, sum(x, 0)));
}

BOOST_AUTO_TEST_CASE(what_it_refuses) {
  BOOST_CHECK_EXCEPTION(layer_norm(full({}, 1.0), {}, {}, 1e-5), Error,
                        says("layer_norm: x must have a last dimension of at least 1, "
                             "got ()"));
  BOOST_CHECK_EXCEPTION(layer_norm(ones({2, 0}), {}, {}, 1e-5), Error,
                        says("layer_norm: x must have a last dimension of at least 1, "
                             "got (2, 0)"));
  BOOST_CHECK_EXCEPTION(layer_norm(ones({2, 3}), ones({2}), {}, 1e-5), Error,
                        says("layer_norm: weight must have the shape (3), got (2)"));
  BOOST_CHECK_EXCEPTION(layer_norm(ones({2, 3}), {}, ones({1, 3}), 1e-5), Error,
                        says("layer_norm: bias must have the shape (3), got (1, 3)"));
  BOOST_CHECK_EXCEPTION(layer_norm(ones({2, 3}), {}, ones({3}, float64), 1e-5), Error,
                        says("layer_norm: the dtypes must be equal, got float32 and "
                             "float64; to(dtype) converts a tensor"));
  const Tensor x = randn({4, 2}), rows = ones({4});
  const auto refused = [&](const Tensor& g, const Tensor& weight, const Tensor& mean,
                           const Tensor& rstd) {
    return error_of([&] {
      layer_norm_backward(g, x, weight, mean, rstd, {true, true, true});
    });
  };
  BOOST_TEST(refused(ones({1, 2}), {}, rows, rows) ==
             "layer_norm_backward: g must have the shape (4, 2), got (1, 2)");
  BOOST_TEST(refused(x, ones({4}), rows, rows) ==
             "layer_norm_backward: weight must have the shape (2), got (4)");
  BOOST_TEST(refused(x, {}, ones({3}), rows) ==
             "layer_norm_backward: mean must have the shape (4), got (3)");
  BOOST_TEST(refused(x, {}, rows, ones({4, 1})) ==
             "layer_norm_backward: rstd must have the shape (4), got (4, 1)");
  BOOST_TEST(refused(x.to(float64), {}, rows, rows) ==
             "layer_norm_backward: the dtypes must be equal, got float32 and float64; "
             "to(dtype) converts a tensor");
}

BOOST_AUTO_TEST_SUITE_END()

// Softmax, its logarithm and its gradient: values, layouts, edge cases and errors.
#include "tensor/reduce/softmax.h"

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
#include "tests/tensor/show.h"

namespace heed {
namespace {

// Numbers from -3 to 3.
Tensor numbers(const Shape& shape, DType dtype, std::uint64_t seed = 1) {
  Generator generator(seed);
  return (6 * rand(shape, float64, generator) - 3).to(dtype);
}

// The formula, in float64.
Tensor plain_softmax(const Tensor& x, std::int64_t dim) {
  const Tensor e = exp(x.to(float64));
  return e / sum(e, dim, true);
}

const std::vector<Shape> shapes = {
    {5},        {1, 1},      {7, 1},  {300, 5},  {3, 16},   {9, 63},     {40, 130},
    {7, 700},   {9, 64},     {9, 65}, {2, 5000}, {4, 9, 2}, {4, 9, 7},   {4, 9, 8},
    {3, 5, 33}, {2, 3, 300}, {0, 4},  {4, 0},    {2, 0, 3}, {2, 3, 4, 5}};

}  // namespace

BOOST_AUTO_TEST_SUITE(softmax_and_relatives)

// To the last numbers before float32's denormal ones, and 0 beyond.
BOOST_AUTO_TEST_CASE(small_weights) {
  for (const Shape& shape : {Shape{100}, Shape{1, 100}, Shape{20, 100}}) {
    const Tensor x = expand(-arange(0, 100, float32), shape);
    const Tensor y = softmax(x, -1), expected = plain_softmax(x, -1);
    for (std::int64_t i = 0; i < 100; ++i) {
      const double weight = select(y, -1, i).max().item();
      const double exact = i < 87 ? select(expected, -1, i).max().item() : 0;
      BOOST_TEST(std::abs(weight - exact) <= 1e-5 * exact);
    }
  }
}

// The sum of a long row is not a float's: that would be off by 2e-7.
BOOST_AUTO_TEST_CASE(long_row) {
  const Tensor x = numbers({1 << 20}, float32), exact = plain_softmax(x, 0);
  BOOST_TEST(std::abs(sum(softmax(x, 0).to(float64) / exact).item() / (1 << 20) - 1) <
             8e-8);
}

BOOST_AUTO_TEST_CASE(values_of_every_shape) {
  for (const Shape& shape : shapes) {
    for (int dim = 0; dim < shape.rank(); ++dim) {
      for (const DType dtype : {float32, float64}) {
        const double tolerance = dtype == float32 ? 1e-6 : 1e-14;
        const Tensor x = numbers(shape, dtype), g = numbers(shape, dtype, 2);
        const Tensor y = softmax(x, dim), expected = plain_softmax(x, dim);
        BOOST_TEST((y.dtype() == dtype));
        BOOST_TEST(distance(y, expected) < tolerance);
        BOOST_TEST(distance(softmax(x, dim - shape.rank()), y) == 0);
        BOOST_TEST(distance(log_softmax(x, dim), log(expected)) < 5 * tolerance);
        const Tensor wide_g = g.to(float64);
        const Tensor rule = expected * (wide_g - sum(wide_g * expected, dim, true));
        BOOST_TEST(distance(softmax_backward(g, y, dim), rule) < 5 * tolerance);
        const Tensor log_rule = wide_g - expected * sum(wide_g, dim, true);
        const Tensor log_y = log_softmax(x, dim);
        BOOST_TEST(distance(log_softmax_backward(g, log_y, dim), log_rule) <
                   20 * tolerance);
      }
    }
  }
}

// A sum of many numbers loses none of its digits.
BOOST_AUTO_TEST_CASE(gradients_of_many_logarithms) {
  constexpr std::int64_t n = 100'000;
  for (const int dim : {0, 1}) {
    const Shape shape = dim == 0 ? Shape{n, 3} : Shape{3, n};
    const Tensor g = rand(shape), y = full(shape, -std::log(double{n}));
    const Tensor wide = g.to(float64);
    const Tensor rule = wide - exp(y.to(float64)) * sum(wide, dim, true);
    BOOST_TEST(distance(log_softmax_backward(g, y, dim), rule) < 1e-6);
  }
}

BOOST_AUTO_TEST_CASE(views_and_scalars) {
  const Tensor x = numbers({6, 10}, float32);
  const Tensor t = transpose(x, 0, 1);
  BOOST_TEST(distance(softmax(t, 0), transpose(softmax(x, 1), 0, 1)) < 1e-7);
  BOOST_TEST(softmax(t, 0).is_contiguous());
  const Tensor y = softmax(x, 1);
  const Tensor back = softmax_backward(t, transpose(y, 0, 1), 0);
  BOOST_TEST(distance(back, transpose(softmax_backward(x, y, 1), 0, 1)) < 1e-7);
  BOOST_TEST(show(softmax(tensor(7.0), 0)) == "() 1");
  BOOST_TEST(show(softmax(tensor(7.0), -1)) == "() 1");
  BOOST_TEST(show(log_softmax(tensor(7.0), -1)) == "() 0");
}

BOOST_AUTO_TEST_CASE(large_and_infinite_numbers) {
  // In short rows, long rows and columns alike.
  for (const std::int64_t n : {3, 70, 3000}) {
    for (const bool columns : {false, true}) {
      Tensor x = full({n, 10}, -infinity);
      select(x, 1, 1).fill_(1e30);
      x.set({1, 2}, 5);
      x.set({2, 3}, 1000);
      x.set({1, 3}, 1000);
      x.set({1, 4}, not_a_number);
      x.set({1, 5}, infinity);
      select(x, 1, 6).fill_(2);
      x.set({1, 6}, not_a_number);
      if (!columns) x = transpose(x, 0, 1).contiguous();
      const int dim = columns ? 0 : 1;
      const auto at = [&](const Tensor& y, std::int64_t i, std::int64_t column) {
        return columns ? y.at({i, column}) : y.at({column, i});
      };
      const Tensor y = softmax(x, dim), logs = log_softmax(x, dim);
      BOOST_TEST(std::isnan(at(y, 0, 0)));  // -inf alone
      BOOST_TEST(std::isnan(at(logs, 2, 0)));
      BOOST_TEST(std::abs(at(y, 2, 1) * static_cast<double>(n) - 1) < 1e-6);
      BOOST_TEST(at(y, 1, 2) == 1);
      BOOST_TEST(at(y, 0, 2) == 0);
      BOOST_TEST(at(logs, 1, 2) == 0);
      BOOST_TEST(at(logs, 0, 2) == -infinity);
      BOOST_TEST(at(y, 2, 3) == 0.5);
      BOOST_TEST(std::abs(at(logs, 1, 3) + std::log(2.0)) < 1e-7);
      BOOST_TEST(std::isnan(at(y, 0, 4)));
      BOOST_TEST(std::isnan(at(y, 2, 4)));
      BOOST_TEST(std::isnan(at(y, 1, 5)));
      for (const std::int64_t i : {std::int64_t{0}, std::int64_t{1}, n - 1}) {
        BOOST_TEST(std::isnan(at(y, i, 6)));
        BOOST_TEST(std::isnan(at(logs, i, 6)));
      }
    }
  }
  // Where softmax is 0 its logarithm still is not.
  BOOST_TEST(show(log_softmax(tensor({0.0, 500.0}), 0)) == "(2) -500 0");
}

BOOST_AUTO_TEST_CASE(bits_do_not_depend_on_threads) {
  const int before = num_threads();
  for (const Shape& shape : {Shape{4000, 37}, Shape{300, 1000}, Shape{20, 100, 50}}) {
    const Tensor x = numbers(shape, float32);
    set_num_threads(1);
    const Tensor y = softmax(x, 1), logs = log_softmax(x, 1);
    const Tensor back = softmax_backward(x, y, 1);
    const Tensor log_back = log_softmax_backward(x, logs, 1);
    set_num_threads(3);
    BOOST_TEST(same_bits(softmax(x, 1), y));
    BOOST_TEST(same_bits(log_softmax(x, 1), logs));
    BOOST_TEST(same_bits(softmax_backward(x, y, 1), back));
    BOOST_TEST(same_bits(log_softmax_backward(x, logs, 1), log_back));
  }
  set_num_threads(before);
}

BOOST_AUTO_TEST_CASE(errors) {
  const Tensor x = zeros({2, 3});
  BOOST_TEST(error_of([&] { softmax(x, 2); }) ==
             "softmax: dim must be from -2 to 1, got 2");
  BOOST_TEST(error_of([&] { log_softmax(x, -3); }) ==
             "log_softmax: dim must be from -2 to 1, got -3");
  BOOST_TEST(error_of([&] {
               softmax(tensor({1, 2}), 0);
             }) ==
             "softmax: the dtype must be float32 or float64, got int64; to(float32) "
             "converts a tensor");
  BOOST_TEST(error_of([&] { log_softmax(tensor({true}), 0); }) ==
             "log_softmax: the dtype must be float32 or float64, got bool; to(float32) "
             "converts a tensor");
  BOOST_TEST(error_of([&] {
               softmax_backward(x, zeros({3, 2}), 0);
             }) == "softmax_backward: the shapes must be equal, got (2, 3) and (3, 2)");
  BOOST_TEST(error_of([&] { softmax_backward(x, x.to(float64), 0); }) ==
             "softmax_backward: the dtypes must be equal, got float32 and float64; "
             "to(dtype) converts a tensor");
  BOOST_TEST(error_of([&] { softmax_backward(x, x, 5); }) ==
             "softmax_backward: dim must be from -2 to 1, got 5");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace heed

// Elementwise operations: values, broadcasting, layouts, dtypes, edge cases and errors.
#include "tensor/elementwise/elementwise.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "tensor/core/factories.h"
#include "tensor/core/threads.h"
#include "tensor/core/views.h"
#include "tensor/random/random.h"
#include "tests/compare.h"
#include "tests/errors.h"
#include "tests/infinity.h"
#include "tests/layouts.h"
#include "tests/tensor/show.h"

namespace {

using namespace heed;

constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();

using Binary = Tensor (*)(const Tensor&, const Tensor&);

// Numbers between -range and range.
Tensor numbers(const Shape& shape, DType dtype = float64, double range = 3) {
  Generator generator(1);
  return (range * (2 * rand(shape, float64, generator) - 1)).to(dtype);
}

const std::vector<Binary>& pairs() {
  static const std::vector<Binary> all = {
      [](const Tensor& a, const Tensor& b) { return a + b; },
      [](const Tensor& a, const Tensor& b) { return a - b; },
      [](const Tensor& a, const Tensor& b) { return a * b; },
      [](const Tensor& a, const Tensor& b) { return a / b; },
      [](const Tensor& a, const Tensor& b) { return pow(a, b); },
      remainder,
      maximum,
      minimum,
      [](const Tensor& a, const Tensor& b) { return a == b; },
      [](const Tensor& a, const Tensor& b) { return a != b; },
      [](const Tensor& a, const Tensor& b) { return a < b; },
      [](const Tensor& a, const Tensor& b) { return a <= b; },
      [](const Tensor& a, const Tensor& b) { return a > b; },
      [](const Tensor& a, const Tensor& b) { return a >= b; },
  };
  return all;
}

BOOST_AUTO_TEST_SUITE(elementwise)

BOOST_AUTO_TEST_CASE(every_layout_gives_the_same_bits) {
  for (DType dtype : {float32, float64}) {
    const Tensor x = abs(numbers({7, 300}, dtype)) + 0.5;
    const Tensor turned = stored_transposed(x, 0, 1);
    const Tensor padded = empty({7, 300, 2}, dtype);
    Tensor sparse = select(padded, 2, 1);
    sparse.copy_(x);
    BOOST_TEST(!turned.is_contiguous());
    BOOST_TEST(!sparse.is_contiguous());
    const Tensor y = numbers({7, 300}, dtype);
    for (const Binary& f : pairs()) {
      const Tensor wanted = f(x, y);
      BOOST_TEST(same_bits(f(turned, y), wanted));
      BOOST_TEST(same_bits(f(sparse, stored_transposed(y, 0, 1)), wanted));
    }
  }
}

BOOST_AUTO_TEST_CASE(pairs_broadcast) {
  const std::vector<std::pair<Shape, Shape>> shapes = {
      {{4, 1}, {1, 5}}, {{5}, {4, 5}},    {{4, 5}, {}},        {{}, {3}},
      {{1}, {}},        {{1, 1}, {3}},    {{2, 1, 3}, {4, 1}}, {{300, 1}, {2}},
      {{1, 2}, {3, 1}}, {{2, 3}, {2, 3}}, {{2, 3}, {1, 3}},    {{2, 1, 300}, {5, 1}},
  };
  for (const auto& [first, second] : shapes) {
    const Tensor a = abs(numbers(first)) + 0.1;
    const Tensor b = numbers(second) * 0.7;
    const Shape shape = broadcast("test", first, second);
    for (const Binary& f : pairs()) {
      const Tensor full_a = expand(a, shape).contiguous();
      const Tensor full_b = expand(b, shape).contiguous();
      BOOST_TEST(same_bits(f(a, b), f(full_a, full_b)));
      BOOST_TEST(same_bits(f(a, full_b), f(full_a, full_b)));
      BOOST_TEST(same_bits(f(expand(a, shape), b), f(full_a, full_b)));
    }
  }
}

BOOST_AUTO_TEST_CASE(numbers_stand_on_either_side) {
  const Tensor x = tensor({1, -2, 0.5}, float32);
  BOOST_TEST((x + 1).to_vector<float>() == (std::vector<float>{2, -1, 1.5}));
  BOOST_TEST((1 + x).to_vector<float>() == (std::vector<float>{2, -1, 1.5}));
  BOOST_TEST((x - 1).to_vector<float>() == (std::vector<float>{0, -3, -0.5}));
  BOOST_TEST((1 - x).to_vector<float>() == (std::vector<float>{0, 3, 0.5}));
  BOOST_TEST((x * 3).to_vector<float>() == (std::vector<float>{3, -6, 1.5}));
  BOOST_TEST((3 * x).to_vector<float>() == (std::vector<float>{3, -6, 1.5}));
  BOOST_TEST((x / 2).to_vector<float>() == (std::vector<float>{0.5, -1, 0.25}));
  BOOST_TEST((2 / x).to_vector<float>() == (std::vector<float>{2, -1, 4}));
  BOOST_TEST(pow(2, x).to_vector<float>() ==
             (std::vector<float>{2, 0.25, std::sqrt(2.f)}));
  // A number becomes a float32 before it is used.
  BOOST_TEST((tensor({0.1}, float32) == 0.1).item() == 1);
}

// As Python's %.
BOOST_AUTO_TEST_CASE(remainders_have_the_sign_of_the_divisor) {
  const Tensor a = tensor({7, -7, 7, -7, 6, -6, 0}), b = tensor({3, 3, -3, -3, 3, -3, 5});
  BOOST_TEST(show(a % b) == "int64 (7) 1 2 -2 -1 0 0 0");
  BOOST_TEST(show(a.to(float32) % b.to(float32)) == "(7) 1 2 -2 -1 0 -0 0");
  BOOST_TEST(show(a % 4) == "int64 (7) 3 1 3 1 2 2 0");
  BOOST_TEST(show(tensor({lowest, highest}) % -1) == "int64 (2) 0 0");
  BOOST_TEST(show(tensor({5.5, -5.5}) % 2) == "(2) 1.5 0.5");
  BOOST_TEST(std::isnan((tensor({infinity}) % 2).item()));
  BOOST_TEST(std::isnan((tensor({5.5}) % 0).item()));
  const std::string message = "remainder: an integer cannot be divided by 0";
  BOOST_TEST(error_of([&] { a % 0; }) == message);
  BOOST_TEST(error_of([&] { a % tensor({1, 0, 1, 1, 1, 1, 1}); }) == message);
  BOOST_TEST(error_of([&] { a % tensor(false); }) == message);
  BOOST_TEST(show(a % tensor(true)) == "int64 (7) 0 0 0 0 0 0 0");
}

BOOST_AUTO_TEST_CASE(powers) {
  const Tensor x = tensor({-2, 0, 0.25, 9}, float32);
  BOOST_TEST(pow(x, 0).to_vector<float>() == (std::vector<float>{1, 1, 1, 1}));
  BOOST_TEST(same_bits(pow(x, 1), x));
  BOOST_TEST(!(pow(x, 1).storage() == x.storage()));
  BOOST_TEST(pow(x, 2).to_vector<float>() == (std::vector<float>{4, 0, 0.0625, 81}));
  BOOST_TEST(pow(x, 3).to_vector<float>() == (std::vector<float>{-8, 0, 0.015625, 729}));
  BOOST_TEST(same_bits(pow(x, 0.5), sqrt(x)));
  BOOST_TEST(same_bits(pow(x, -0.5), rsqrt(x)));
  BOOST_TEST(same_bits(pow(x, -1), 1 / x));
  BOOST_TEST(same_bits(pow(x, -2), 1 / (x * x)));
  BOOST_TEST(pow(x, 4).to_vector<float>() ==
             (std::vector<float>{16, 0, 0.00390625, 6561}));
  BOOST_TEST(std::isnan(pow(x, 0.8).at({0})));
  BOOST_TEST(pow(full({}, not_a_number), 0).item() == 1);
  const std::vector<double> y =
      pow(numbers({50}, float64) + 3.1, 0.8).to_vector<double>();
  const std::vector<double> base = (numbers({50}, float64) + 3.1).to_vector<double>();
  for (std::size_t i = 0; i < y.size(); ++i) BOOST_TEST(y[i] == std::pow(base[i], 0.8));
}

BOOST_AUTO_TEST_CASE(whole_numbers_wrap_around) {
  const Tensor x = tensor({lowest, highest, std::int64_t{-3}});
  using V = std::vector<std::int64_t>;
  BOOST_TEST((x + 1).to_vector<std::int64_t>() == (V{lowest + 1, lowest, -2}));
  BOOST_TEST((x - 1).to_vector<std::int64_t>() == (V{highest, highest - 1, -4}));
  BOOST_TEST((x * 2).to_vector<std::int64_t>() == (V{0, -2, -6}));
  BOOST_TEST(neg(x).to_vector<std::int64_t>() == (V{lowest, -highest, 3}));
  BOOST_TEST(abs(x).to_vector<std::int64_t>() == (V{lowest, highest, 3}));
  BOOST_TEST(sign(x).to_vector<std::int64_t>() == (V{-1, 1, -1}));
  BOOST_TEST(square(x).to_vector<std::int64_t>() == (V{0, 1, 9}));
  BOOST_TEST(maximum(x, neg(x)).to_vector<std::int64_t>() == (V{lowest, highest, 3}));
  BOOST_TEST(clamp(x, -2, {}).to_vector<std::int64_t>() == (V{-2, highest, -2}));
  BOOST_TEST(clamp(x, {}, 5).to_vector<std::int64_t>() == (V{lowest, 5, -3}));
}

BOOST_AUTO_TEST_CASE(nan_and_infinity) {
  for (DType dtype : {float32, float64}) {
    const Tensor x = tensor({not_a_number, infinity, -infinity, -0.0, 2.0}, dtype);
    const Tensor one = ones({}, dtype);
    BOOST_TEST(std::isnan(maximum(x, one).at({0})));
    BOOST_TEST(std::isnan(maximum(one, x).at({0})));
    BOOST_TEST(std::isnan(minimum(x, one).at({0})));
    BOOST_TEST(std::isnan(minimum(one, x).at({0})));
    BOOST_TEST(maximum(x, one).at({2}) == 1);
    BOOST_TEST(minimum(x, one).at({1}) == 1);
    BOOST_TEST(std::isnan(sign(x).at({0})));
    BOOST_TEST(sign(x).at({2}) == -1);
    BOOST_TEST(std::isnan(relu(x).at({0})));
    BOOST_TEST(relu(x).at({1}) == infinity);
    BOOST_TEST(relu(x).at({2}) == 0);
    const Tensor held = clamp(x, -1, 1);
    BOOST_TEST(std::isnan(held.at({0})));
    BOOST_TEST(held.at({1}) == 1);
    BOOST_TEST(held.at({2}) == -1);
    BOOST_TEST(clamp(x, 3, 1).at({4}) == 1);
    BOOST_TEST(same_bits(clamp(x, {}, {}), x));
    BOOST_TEST(isnan(x).to_vector<bool>() == (std::vector<bool>{1, 0, 0, 0, 0}));
    BOOST_TEST(isinf(x).to_vector<bool>() == (std::vector<bool>{0, 1, 1, 0, 0}));
    BOOST_TEST(isfinite(x).to_vector<bool>() == (std::vector<bool>{0, 0, 0, 1, 1}));
    BOOST_TEST((x == x).to_vector<bool>() == (std::vector<bool>{0, 1, 1, 1, 1}));
    BOOST_TEST((x != x).to_vector<bool>() == (std::vector<bool>{1, 0, 0, 0, 0}));
    BOOST_TEST((x < 1).to_vector<bool>() == (std::vector<bool>{0, 0, 1, 1, 0}));
    BOOST_TEST((x <= 0).to_vector<bool>() == (std::vector<bool>{0, 0, 1, 1, 0}));
    BOOST_TEST((x > 1).to_vector<bool>() == (std::vector<bool>{0, 1, 0, 0, 1}));
    BOOST_TEST((x >= 2).to_vector<bool>() == (std::vector<bool>{0, 1, 0, 0, 1}));
  }
  const Tensor whole = tensor({1, 2});
  BOOST_TEST(isnan(whole).to_vector<bool>() == (std::vector<bool>{0, 0}));
  BOOST_TEST(isfinite(whole).to_vector<bool>() == (std::vector<bool>{1, 1}));
  // Both tails keep their precision in float64.
  BOOST_TEST(sigmoid(full({}, -700, float64)).item() == std::exp(-700.0),
             boost::test_tools::tolerance(1e-14));
  BOOST_TEST(gelu(full({}, -20, float64)).item() == -10 * std::erfc(std::sqrt(200.0)),
             boost::test_tools::tolerance(1e-13));
}

BOOST_AUTO_TEST_CASE(logic) {
  const Tensor a = tensor({0, 0, 1, 1}, boolean), b = tensor({0, 1, 0, 1}, boolean);
  using V = std::vector<bool>;
  BOOST_TEST(logical_and(a, b).to_vector<bool>() == (V{0, 0, 0, 1}));
  BOOST_TEST(logical_or(a, b).to_vector<bool>() == (V{0, 1, 1, 1}));
  BOOST_TEST(logical_xor(a, b).to_vector<bool>() == (V{0, 1, 1, 0}));
  BOOST_TEST(logical_not(a).to_vector<bool>() == (V{1, 1, 0, 0}));
  BOOST_TEST((a == b).to_vector<bool>() == (V{1, 0, 0, 1}));
  BOOST_TEST((a != b).to_vector<bool>() == (V{0, 1, 1, 0}));
  BOOST_TEST((a == 1).to_vector<bool>() == (V{0, 0, 1, 1}));
  BOOST_TEST((a < b).to_vector<bool>() == (V{0, 1, 0, 0}));
}

BOOST_AUTO_TEST_CASE(empty_tensors_and_scalars) {
  BOOST_TEST(exp(empty({0})).shape() == Shape{0});
  BOOST_TEST(exp(ones({})).shape() == Shape{});
  for (const Binary& f : pairs()) {
    BOOST_TEST(f(empty({0}), empty({3, 1})).shape() == (Shape{3, 0}));
    BOOST_TEST(f(empty({0}), empty({0})).shape() == Shape{0});
    BOOST_TEST(f(ones({}), ones({1})).shape() == Shape{1});
  }
}

BOOST_AUTO_TEST_CASE(threads_do_not_change_a_bit) {
  const int before = num_threads();
  const Tensor x = numbers({333, 1000}, float32);
  const Tensor row = numbers({1000}, float32);
  std::vector<Tensor> results;
  for (int threads : {1, 2, 5}) {
    set_num_threads(threads);
    results.push_back(tanh(x) * row + pow(transpose(transpose(x, 0, 1) + 4, 0, 1), 0.3));
  }
  set_num_threads(before);
  BOOST_TEST(same_bits(results[0], results[1]));
  BOOST_TEST(same_bits(results[0], results[2]));
}

BOOST_AUTO_TEST_CASE(errors_say_what_must_hold) {
  const Tensor a = ones({2, 3}), b = ones({4}), whole = ones({2}, int64);
  const Tensor truth = ones({2}, boolean), twice = ones({2}, float64);
  const auto says = [](const std::string& wanted, const std::function<void()>& f) {
    BOOST_TEST(error_of(f) == wanted);
  };
  says("add: the shapes must broadcast (equal sizes, or 1), got (2, 3) and (4)",
       [&] { a + b; });
  says("gt: the shapes must broadcast (equal sizes, or 1), got (2, 3) and (4)",
       [&] { return a > b; });
  says(
      "mul: the dtypes must be equal, got float64 and float32; to(dtype) converts a "
      "tensor",
      [&] { return twice * a; });
  says(
      "sub: the dtype must not be bool, got bool; a ^ b tells where two differ, !a "
      "negates",
      [&] { 1 - truth; });
  says(
      "neg: the dtype must be float32, float64 or int64, got bool; to(float32) converts "
      "a tensor",
      [&] { -truth; });
  says(
      "clamp: the dtype must be float32, float64 or int64, got bool; to(float32) "
      "converts a tensor",
      [&] { clamp(truth, 0, 1); });
  says("logical_and: the dtype must be bool, got float32", [&] { logical_and(a, a); });
  says("logical_not: the dtype must be bool, got int64", [&] { logical_not(whole); });
  says(
      "clamp: an int64 tensor takes whole numbers, got inf; to(float32) converts a "
      "tensor",
      [&] { clamp(whole, 0, infinity); });
}

BOOST_AUTO_TEST_CASE(float64_angles_are_the_library_s_however_large) {
  for (const double angle : {1e6, 1e20, -70000.5}) {
    BOOST_TEST(sin(full({3}, angle, float64)).at({1}) == std::sin(angle));
    BOOST_TEST(cos(full({3}, angle, float64)).at({1}) == std::cos(angle));
  }
}

BOOST_AUTO_TEST_CASE(a_number_may_stand_on_the_left_of_a_comparison) {
  const Tensor x = from_vector(std::vector<double>{1, 2, 3});
  BOOST_TEST(show(2.0 < x) == "bool (3) 0 0 1");
  BOOST_TEST(show(2.0 >= x) == "bool (3) 1 1 0");
  BOOST_TEST(show(2.0 == x) == "bool (3) 0 1 0");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace

// The dtypes of results where operands have different ones, as PyTorch 2 has them.
#include <cmath>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <string>

#include <boost/test/unit_test.hpp>

#include "autograd/composed.h"
#include "tensor/core/factories.h"
#include "tests/compare.h"
#include "tests/errors.h"
#include "tests/infinity.h"

namespace {

using namespace heed;

constexpr DType dtypes[] = {boolean, int64, float32, float64};

// The initial of the dtype of f's result, or - where f throws Error.
std::string letter(const std::function<Tensor()>& f) {
  try {
    return std::string(1, "fdib"[static_cast<int>(f().dtype())]);
  } catch (const Error&) {
    return "-";
  }
}

// The letters for each dtype of x beside each dtype of y.
template <class F>
std::string of_tensors(F f) {
  std::string letters;
  for (const DType a : dtypes) {
    if (!letters.empty()) letters += ' ';
    for (const DType b : dtypes)
      letters += letter([&]() -> Tensor { return f(ones({2}, a), ones({2}, b)); });
  }
  return letters;
}

// The letters for x of each dtype beside the numbers true, 2 and 2.0.
template <class F>
std::string of_numbers(F f) {
  std::string letters;
  for (const Number number : {Number(true), Number(2), Number(2.0)}) {
    if (!letters.empty()) letters += ' ';
    for (const DType a : dtypes)
      letters += letter([&]() -> Tensor { return f(ones({2}, a), number); });
  }
  return letters;
}

template <class F>
std::string of_one(F f) {
  std::string letters;
  for (const DType a : dtypes)
    letters += letter([&]() -> Tensor { return f(ones({2}, a)); });
  return letters;
}

const Tensor condition = tensor({true, false});

}  // namespace

BOOST_AUTO_TEST_SUITE(promotion)

// float32 beside float64 is float64 in PyTorch, and an Error here.
BOOST_AUTO_TEST_CASE(two_tensors) {
  const std::string usual = "bifd iifd fff- dd-d", no_bools = "-ifd iifd fff- dd-d";
  BOOST_TEST(of_tensors([](auto a, auto b) { return a + b; }) == usual);
  BOOST_TEST(of_tensors([](auto a, auto b) { return a - b; }) == "---- -ifd -ff- -d-d");
  BOOST_TEST(of_tensors([](auto a, auto b) { return a * b; }) == usual);
  BOOST_TEST(of_tensors([](auto a, auto b) { return a / b; }) == "fffd fffd fff- dd-d");
  BOOST_TEST(of_tensors([](auto a, auto b) { return pow(a, b); }) == no_bools);
  BOOST_TEST(of_tensors([](auto a, auto b) { return a % b; }) == no_bools);
  BOOST_TEST(of_tensors([](auto a, auto b) { return floor_divide(a, b); }) == no_bools);
  BOOST_TEST(of_tensors([](auto a, auto b) { return maximum(a, b); }) == usual);
  BOOST_TEST(of_tensors([](auto a, auto b) { return minimum(a, b); }) == usual);
  BOOST_TEST(of_tensors([](auto a, auto b) { return where(condition, a, b); }) == usual);
  BOOST_TEST(of_tensors([](auto a, auto b) { return a == b; }) == "bbbb bbbb bbb- bb-b");
  BOOST_TEST(of_tensors([](auto a, auto b) { return a < b; }) == "bbbb bbbb bbb- bb-b");
}

BOOST_AUTO_TEST_CASE(a_tensor_and_a_number) {
  const std::string usual = "bifd iifd fffd", no_bools = "-ifd iifd fffd";
  BOOST_TEST(of_numbers([](auto x, auto n) { return x + n; }) == usual);
  BOOST_TEST(of_numbers([](auto x, auto n) { return n + x; }) == usual);
  BOOST_TEST(of_numbers([](auto x, auto n) { return x - n; }) == "-ifd -ifd -ffd");
  BOOST_TEST(of_numbers([](auto x, auto n) { return n - x; }) == "-ifd -ifd -ffd");
  BOOST_TEST(of_numbers([](auto x, auto n) { return x * n; }) == usual);
  BOOST_TEST(of_numbers([](auto x, auto n) { return n * x; }) == usual);
  BOOST_TEST(of_numbers([](auto x, auto n) { return x / n; }) == "fffd fffd fffd");
  BOOST_TEST(of_numbers([](auto x, auto n) { return n / x; }) == "fffd fffd fffd");
  BOOST_TEST(of_numbers([](auto x, auto n) { return pow(x, n); }) == no_bools);
  BOOST_TEST(of_numbers([](auto x, auto n) { return pow(n, x); }) == no_bools);
  BOOST_TEST(of_numbers([](auto x, auto n) { return x % n; }) == no_bools);
  BOOST_TEST(of_numbers([](auto x, auto n) { return floor_divide(x, n); }) == no_bools);
  BOOST_TEST(of_numbers([](auto x, auto n) { return x == n; }) == "bbbb bbbb bbbb");
  BOOST_TEST(of_numbers([](auto x, auto n) { return x < n; }) == "bbbb bbbb bbbb");
  BOOST_TEST(of_numbers([](auto x, auto n) { return where(condition, x, n); }) == usual);
  BOOST_TEST(of_numbers([](auto x, auto n) { return where(condition, n, x); }) == usual);
}

BOOST_AUTO_TEST_CASE(one_tensor) {
  using Unary = Tensor (*)(const Tensor&);
  for (const Unary f : std::initializer_list<Unary>{
           exp, log, sqrt, rsqrt, sin, cos, tanh, sigmoid, erf, reciprocal, expm1, log1p})
    BOOST_TEST(of_one(f) == "fffd");
  for (const Unary f :
       std::initializer_list<Unary>{neg, abs, sign, square, floor, ceil, round, relu})
    BOOST_TEST(of_one(f) == "-ifd");
  for (const Unary f : std::initializer_list<Unary>{log2<Tensor>, log10<Tensor>,
                                                    exp2<Tensor>, tan<Tensor>})
    BOOST_TEST(of_one(f) == "fffd");
  BOOST_TEST(of_one(trunc<Tensor>) == "-ifd");
}

// The result of an update in place keeps the dtype, or there is none.
BOOST_AUTO_TEST_CASE(in_place) {
  const auto twice = [](auto&& update) {
    return of_tensors([&](Tensor x, const Tensor& y) {
             update(x, y);
             return x;
           }) +
           ", " + of_numbers([&](Tensor x, Number y) {
             update(x, y);
             return x;
           });
  };
  const std::string tensors = "b--- ii-- fff- dd-d", numbers = "bifd -ifd --fd";
  BOOST_TEST(twice([](auto& x, auto y) { x += y; }) == tensors + ", " + numbers);
  BOOST_TEST(twice([](auto& x, auto y) { x *= y; }) == tensors + ", " + numbers);
  BOOST_TEST(twice([](auto& x, auto y) { x -= y; }) ==
             "---- -i-- -ff- -d-d, -ifd -ifd --fd");
  BOOST_TEST(twice([](auto& x, auto y) { x /= y; }) ==
             "---- ---- fff- dd-d, --fd --fd --fd");
  BOOST_TEST(error_of([] {
               Tensor x = ones({2}, int64);
               x *= 0.5;
             }) == "mul_: the result would be float32, which cannot be written to int64");
  BOOST_TEST(error_of([] {
               Tensor x = ones({2}, int64);
               x += ones({2});
             }) == "add_: the result would be float32, which cannot be written to int64");
  BOOST_TEST(error_of([] {
               Variable x = ones({2}, int64);
               x += 0.5;
             }) == "+=: the result would be float32, which cannot be written to int64");
}

BOOST_AUTO_TEST_CASE(values_beside_integers_are_converted_before_the_op) {
  const Tensor whole = tensor({1, 2, 3});
  BOOST_TEST(equal(whole / 2, tensor({0.5, 1.0, 1.5})));
  BOOST_TEST(equal(1 / whole, 1 / tensor({1.0, 2.0, 3.0})));
  BOOST_TEST(equal(whole * 0.5, tensor({0.5, 1.0, 1.5})));
  BOOST_TEST(equal(whole < 2.5, tensor({true, true, false})));
  BOOST_TEST(equal(tensor({0.5, 2.0, 3.5}) < whole, tensor({true, false, false})));
  BOOST_TEST(equal(where(whole > 1, whole, 0.5), tensor({0.5, 2.0, 3.0})));
  BOOST_TEST(equal((whole > 1) * tensor({0.5, 2.0, 3.0}), tensor({0.0, 2.0, 3.0})));
  BOOST_TEST(equal((whole > 1) + (whole > 2), whole > 1));
  BOOST_TEST(equal((whole > 1) * (whole < 3), tensor({false, true, false})));
  // Not by way of a double, which has 53 bits.
  constexpr std::int64_t large = (std::int64_t{1} << 53) + 1;
  BOOST_TEST((tensor({0}) + large).item<std::int64_t>() == large);
  BOOST_TEST((tensor({large}) == large).item() == 1);
  BOOST_TEST((tensor({large}) == large - 1).item() == 0);
}

BOOST_AUTO_TEST_CASE(powers_of_integers) {
  const Tensor x = tensor({-2, -1, 0, 1, 3});
  BOOST_TEST(equal(pow(x, 2), tensor({4, 1, 0, 1, 9})));
  BOOST_TEST(equal(pow(x, 5), tensor({-32, -1, 0, 1, 243})));
  BOOST_TEST(equal(pow(x, 0), tensor({1, 1, 1, 1, 1})));
  BOOST_TEST(
      equal(pow(2, tensor({0, 1, 10, 62})), tensor({1, 2, 1024, std::int64_t{1} << 62})));
  // As in PyTorch: what is left of the fraction without its digits.
  BOOST_TEST(equal(pow(x, tensor({-1, -3, 0, -2, -1})), tensor({0, -1, 1, 1, 0})));
  BOOST_TEST(equal(pow(tensor({3}), tensor({64})),
                   tensor({std::int64_t{8733086111712066817}})));  // modulo 2^64
  BOOST_TEST(error_of([&] { pow(x, -1); }) ==
             "pow: integers have no powers below 0, got -1; to(float32) converts a "
             "tensor");
  BOOST_TEST(equal(pow(tensor({1, 4}), -0.5), tensor({1.0, 0.5})));
}

BOOST_AUTO_TEST_CASE(floor_divide_rounds_down) {
  const Tensor a = tensor({7, -7, 7, -7, 6, 0}), b = tensor({2, 2, -2, -2, 3, -5});
  const Tensor wanted = tensor({3, -4, -4, 3, 2, 0});
  BOOST_TEST(equal(floor_divide(a, b), wanted));
  BOOST_TEST(equal(floor_divide(a.to(float64), b.to(float64)), wanted.to(float64)));
  BOOST_TEST(equal(floor_divide(a, -1), -a));
  BOOST_TEST(equal(floor_divide(a, 2), tensor({3, -4, 3, -4, 3, 0})));
  // 1 / 0.1 is 10 when rounded, but 0.1 is a little more than a tenth.
  BOOST_TEST(floor_divide(tensor({1.0}, float64), 0.1).item() == 9);
  BOOST_TEST(floor_divide(tensor({-1.0}), infinity).item() == -1);
  BOOST_TEST(std::signbit(floor_divide(tensor({-0.0}), 3.0).item()));
  BOOST_TEST(floor_divide(tensor({1.0}), 0).item() == infinity);
  constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
  BOOST_TEST(floor_divide(tensor({lowest}), -1).item<std::int64_t>() == lowest);
  BOOST_TEST(error_of([&] { floor_divide(a, 0); }) ==
             "floor_divide: an integer cannot be divided by 0");
  BOOST_TEST(error_of([&] { floor_divide(a, tensor({0})); }) ==
             "floor_divide: an integer cannot be divided by 0");
  BOOST_TEST(error_of([&] { a % false; }) ==
             "remainder: an integer cannot be divided by 0");
}

// A gradient passes beside integers, and none is asked of them.
BOOST_AUTO_TEST_CASE(gradients) {
  Variable w(tensor({1.0, 2.0}), true);
  const Tensor whole = tensor({3, 4});
  sum(w * whole + w / whole + whole / w - whole + where(whole > 3, w, whole)).backward();
  const Tensor x = tensor({3.0, 4.0}), value = w.value();
  BOOST_TEST(
      allclose(w.grad().value(), x + 1 / x - x / square(value) + tensor({0.0, 1.0})));
  Variable y = floor_divide(w, 2);
  BOOST_TEST(error_of([&] {
               sum(y).backward();
             }).starts_with("backward: the value has no graph"));
}

BOOST_AUTO_TEST_SUITE_END()

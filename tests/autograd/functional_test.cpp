// Jacobians, Hessians and backward of several values; the functions of angles.h,
// products.h and shapes.h as members, and what they refuse. Their values and derivatives
// are held by the reference cases and the table of ops.
#include <boost/test/unit_test.hpp>

#include <heed.h>

#include "tests/compare.h"
#include "tests/errors.h"

namespace heed {

BOOST_AUTO_TEST_SUITE(functional)

BOOST_AUTO_TEST_CASE(jacobians) {
  const Tensor a = tensor({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}});
  const Tensor x = tensor({0.5, -1.0, 2.0});
  BOOST_TEST(equal(jacobian([&](const Variable& x) { return mv(a, x); }, x), a));
  const Tensor rows = jacobian([](const auto& x) { return x * x; }, a);
  BOOST_TEST(rows.shape() == Shape({2, 3, 2, 3}));
  BOOST_TEST(rows[1][2][1][2].item() == 12);
  BOOST_TEST(rows[1][2][0][2].item() == 0);
  BOOST_TEST(jacobian([](const auto& x) { return sum(x); }, x).shape() == Shape({3}));
  const Tensor constant = jacobian([&](const Variable&) { return Variable(x); }, x);
  BOOST_TEST(equal(constant, zeros({3, 3})));
}

BOOST_AUTO_TEST_CASE(hessians) {
  const Tensor x = tensor({1.0, -2.0});
  const auto cubes = [](const Variable& x) { return pow(x, 3).sum() + x[0] * x[1]; };
  BOOST_TEST(equal(hessian(cubes, x), tensor({{6.0, 1.0}, {1.0, -12.0}})));
  const auto constant = [](const Variable&) { return Variable(tensor(1.0)); };
  BOOST_TEST(equal(hessian(constant, x), zeros({2, 2})));
  BOOST_TEST(error_of([&] { hessian([](const Variable& x) { return x * x; }, x); }) ==
             "hessian: f(x) must have one element, got the shape (2)");
}

BOOST_AUTO_TEST_CASE(several_values_are_differentiated_at_once) {
  const Variable x(tensor({1.0, 2.0}), true);
  const Variable trunk = x * x;
  backward({trunk.sum(), (trunk * 3).sum()});
  BOOST_TEST(equal(x.grad().value(), tensor({8.0, 16.0})));
  BOOST_TEST(error_of([] { backward({}); }) ==
             "backward: there must be at least one value");
  BOOST_TEST(error_of([&] {
               backward({x.sum(), x * 1});
             }) ==
             "backward: each value must have one element, got the shape (2) for value 1");
}

BOOST_AUTO_TEST_CASE(a_comparison_is_a_mask) {
  const Variable x(tensor({1.0, -2.0, 3.0}), true);
  const Variable chosen = x[x > 0];
  BOOST_TEST(equal(chosen.value(), tensor({1.0, 3.0})));
  chosen.sum().backward();
  BOOST_TEST(equal(x.grad().value(), tensor({1.0, 0.0, 1.0})));
}

BOOST_AUTO_TEST_CASE(members) {
  const Tensor x = tensor({{0.25, -0.5}, {0.75, 1.0}});
  const Variable v(x, true);
  BOOST_TEST(x.ndim() == 2);
  BOOST_TEST(v.ndim() == 2);
  BOOST_TEST(x.size() == x.shape());
  BOOST_TEST(v.size() == x.shape());
  BOOST_TEST(equal(x.fliplr(), fliplr(x)));
  BOOST_TEST(equal(x.flipud(), flipud(x)));
  BOOST_TEST(equal(x.frac(), frac(x)));
  BOOST_TEST(equal(x.asin(), asin(x)));
  BOOST_TEST(equal(x.acos(), acos(x)));
  BOOST_TEST(equal(x.atan(), atan(x)));
  BOOST_TEST(equal(v.sinh(), sinh(v)));
  BOOST_TEST(equal(v.cosh(), cosh(v)));
  BOOST_TEST(equal(x.kron(x), kron(x, x)));
  BOOST_TEST(equal(x.matrix_power(2), matmul(x, x)));
  const Tensor row = tensor({1.0, 2.0, 3.0});
  BOOST_TEST(equal(row.cross(row), zeros({3})));
  BOOST_TEST(equal(row.repeat_interleave(tensor({0, 2, 1})), tensor({2.0, 2.0, 3.0})));
  BOOST_TEST(equal(row.repeat_interleave(tensor({0, 0, 1}), 0), tensor({3.0})));
  BOOST_TEST(equal(row.tensor_split(2)[1], tensor({3.0})));
  manual_seed(0);
  const Tensor member = empty({5}).exponential_(2);
  manual_seed(0);
  Tensor by_function = empty({5});
  exponential_(by_function, 2);
  BOOST_TEST(equal(member, by_function));
}

BOOST_AUTO_TEST_CASE(whole_numbers_become_floating) {
  BOOST_TEST(atan(tensor({0, 1})).dtype() == float32);
  BOOST_TEST(atan2(tensor({0, 1}), tensor({1, 1})).dtype() == float32);
  BOOST_TEST(atan2(tensor(1), tensor(1.0, float64)).dtype() == float64);
  BOOST_TEST(matrix_power(tensor({{1, 1}, {0, 1}}).to(float64), 3)[0][1].item() == 3);
}

BOOST_AUTO_TEST_CASE(combinations_in_order) {
  BOOST_TEST(equal(combinations(arange(4), 3),
                   tensor({{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3}})));
  BOOST_TEST(equal(combinations(arange(3), 2, true),
                   tensor({{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}})));
  BOOST_TEST(equal(combinations(arange(9), 9), unsqueeze(arange(9), 0)));
  BOOST_TEST(combinations(arange(3), 10, true).shape() == Shape({66, 10}));
  // Counted from the side that is shorter: 70 over 35 would not fit.
  BOOST_TEST(combinations(arange(70), 69).shape() == Shape({70, 69}));
  BOOST_TEST(combinations(arange(2), 3).shape() == Shape({0, 3}));
  BOOST_TEST(combinations(zeros({0}), 2, true).shape() == Shape({0, 2}));
}

BOOST_AUTO_TEST_CASE(the_lowest_shift_goes_back_too) {
  const Variable x(tensor({1.0, 2.0, 3.0}), true);
  const Variable y = roll(x, INT64_MIN, 0);
  BOOST_TEST(equal(y, tensor({3.0, 1.0, 2.0})));
  y.backward(tensor({1.0, 10.0, 100.0}));
  BOOST_TEST(equal(x.grad(), tensor({10.0, 100.0, 1.0})));
  BOOST_TEST(roll(zeros({0, 2}), 3, 0).shape() == Shape({0, 2}));
}

BOOST_AUTO_TEST_CASE(a_write_names_its_function) {
  Variable x(tensor({{1.0, 2.0}, {3.0, 4.0}}));
  x[0] *= Number(2);
  BOOST_TEST(equal(x, tensor({{2.0, 4.0}, {3.0, 4.0}})));
  BOOST_TEST(error_of([] { expand(ones({1}), {3}).div_(2); }) ==
             "div_: the target must not repeat its elements, got the shape (3) with "
             "strides (0)");
}

BOOST_AUTO_TEST_CASE(what_does_not_fit_is_refused) {
  const Tensor x = zeros({2, 3});
  BOOST_TEST(
      error_of([&] { cross(x, x, 0); }) ==
      "cross: both must have one rank, and 3 numbers along the dimension, got (2, 3) "
      "and (2, 3)");
  BOOST_TEST(error_of([&] { matrix_power(x, 2); }) ==
             "matrix_power: the matrices must be square, got (2, 3)");
  BOOST_TEST(error_of([&] {
               matrix_power(zeros({2, 2}), -1);
             }) == "matrix_power: n must not be negative, got -1");
  BOOST_TEST(error_of([&] {
               tensordot(x, x, {0}, {0, 1});
             }) ==
             "tensordot: as many dimensions of a as of b must be named, got 1 and 2");
  BOOST_TEST(error_of([&] { tensordot(x, x, 1); }) ==
             "tensordot: the sizes of dimensions -1 and 0 must be equal, got (2, 3) and "
             "(2, 3)");
  BOOST_TEST(error_of([&] { tensordot(x, x, 3); }) ==
             "tensordot: dims must be from 0 to the ranks 2 and 2, got 3");
  BOOST_TEST(error_of([&] { tensor_split(x, 0); }) ==
             "tensor_split: there must be at least one piece, got 0");
  BOOST_TEST(error_of([&] { tensor_split(x, INT64_MAX); }) ==
             "tensor_split: there is no memory for a list of 9223372036854775807 pieces");
  BOOST_TEST(error_of([&] { tensor_split(x, 2, 7); }) ==
             "tensor_split: dim must be from -2 to 1, got 7");
  BOOST_TEST(error_of([&] { rot90(x, 1, 0); }) ==
             "rot90: two different dimensions must be named, got (0)");
  BOOST_TEST(error_of([&] { combinations(x); }) ==
             "combinations: x must be a vector, got (2, 3)");
  BOOST_TEST(error_of([&] { combinations(zeros({2}), 0); }) ==
             "combinations: r must be at least 1, got 0");
  BOOST_TEST(error_of([&] { combinations(arange(70), 35); }) ==
             "combinations: there are too many choices of 35 of 70 elements");
  BOOST_CHECK_THROW((void)combinations(arange(2), INT64_MAX), Error);
  BOOST_TEST(error_of([&] {
               const std::int64_t most = std::int64_t{1} << 40;
               kron(expand(x[0][0], {most}), expand(x[0][0], {most}));
             }) == "shape: too many elements, got (1099511627776, 1099511627776)");
  BOOST_TEST(error_of([&] { trapezoid(x, 1, 2); }) ==
             "trapezoid: dim must be from -2 to 1, got 2");
  BOOST_TEST(error_of([&] { quantile(x, 0.5, 2); }) ==
             "quantile: dim must be from -2 to 1, got 2");
  BOOST_TEST(error_of([&] {
               median(zeros({0, 2}), 0);
             }) == "median: cannot reduce over no elements, got (0, 2)");
  BOOST_TEST(error_of([&] { atan2(x, zeros({4})); }) ==
             "atan2: the shapes must broadcast (equal sizes, or 1), got (2, 3) and (4)");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace heed

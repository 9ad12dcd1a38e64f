// Equal and close tensors, and the functions that pick places: nonzero, one_hot, roll,
// meshgrid.
#include "tensor/reduce/comparing.h"

#include <cmath>

#include <boost/test/unit_test.hpp>

#include "tensor/core/factories.h"
#include "tensor/elementwise/elementwise.h"
#include "tensor/indexing/indexing.h"
#include "tests/infinity.h"
#include "tests/tensor/show.h"

namespace heed {

BOOST_AUTO_TEST_SUITE(comparing)

BOOST_AUTO_TEST_CASE(equal_asks_for_shape_and_elements) {
  const Tensor x = six();
  BOOST_TEST(equal(x, six()));
  BOOST_TEST(!equal(x, x + 1e-6));
  BOOST_TEST(!equal(tensor({1.0, 1.0}), tensor({{1.0, 1.0}})));
  BOOST_TEST(!equal(tensor({not_a_number}), tensor({not_a_number})));
  BOOST_TEST(equal(tensor({0.0}), tensor({-0.0})));
  BOOST_TEST(equal(empty({0, 2}), empty({0, 2})));
  BOOST_TEST(error_of([&] { equal(x, x.to(float64)); }) ==
             "equal: the dtypes must be equal, got float32 and float64; to(dtype) "
             "converts a tensor");
}

// As torch.isclose: |a - b| <= atol + rtol |b|, not symmetric.
BOOST_AUTO_TEST_CASE(close_is_within_the_tolerance) {
  const Tensor a =
      tensor({1.0, 1.0, 0.0, 0.0, infinity, infinity, -infinity, 1.0}, float64);
  const Tensor b = tensor(
      {1.000009, 1.00002, 9e-9, 2e-8, infinity, -infinity, 1.0, infinity}, float64);
  BOOST_TEST(show(isclose(a, b)) == "bool (8) 1 0 1 0 1 0 0 0");
  BOOST_TEST(show(isclose(a, b, 0, 1e-4)) == "bool (8) 1 1 1 1 1 0 0 0");
  const Tensor nan = tensor({not_a_number}, float64);
  BOOST_TEST(show(isclose(nan, nan)) == "bool (1) 0");
  BOOST_TEST(show(isclose(nan, nan, 1e-5, 1e-8, true)) == "bool (1) 1");
  BOOST_TEST(show(isclose(nan, tensor({1.0}, float64), 1e-5, 1e-8, true)) ==
             "bool (1) 0");
  BOOST_TEST(allclose(tensor({1, 2}), tensor({1, 2})));
  BOOST_TEST(!allclose(tensor({1, 2}), tensor({1, 3})));
  BOOST_TEST(allclose(tensor({1, 2}), tensor({1, 3}), 1e-5, 1));
  BOOST_TEST(allclose(tensor({{1.0, 2.0}}), tensor({{1.0}, {1.0}}), 1e-5, 1));
  BOOST_TEST(
      error_of([&] { allclose(a, six()); }) ==
      "isclose: the dtypes must be equal, got float64 and float32; to(dtype) converts "
      "a tensor");
}

BOOST_AUTO_TEST_CASE(nonzero_gives_the_places) {
  BOOST_TEST(show(nonzero(tensor({{0.0, 2.0}, {-1.0, not_a_number}}))) ==
             "int64 (3, 2) 0 1 1 0 1 1");
  BOOST_TEST(show(nonzero(tensor({true, false, true}))) == "int64 (2, 1) 0 2");
  BOOST_TEST(show(nonzero(zeros({2, 3}))) == "int64 (0, 2)");
  BOOST_TEST(show(nonzero(tensor(5))) == "int64 (1, 0)");
  BOOST_TEST(show(nonzero(transpose(tensor({{0, 1}, {1, 0}, {0, 1}}), 0, 1))) ==
             "int64 (3, 2) 0 1 1 0 1 2");
}

BOOST_AUTO_TEST_CASE(one_hot_marks_the_ids) {
  BOOST_TEST(show(one_hot(tensor({2, 0}))) == "int64 (2, 3) 0 0 1 1 0 0");
  BOOST_TEST(error_of([] { one_hot(tensor({INT64_MAX})); }) != "no error");
  BOOST_TEST(show(one_hot(tensor({{1}, {0}}), 2)) == "int64 (2, 1, 2) 0 1 1 0");
  BOOST_TEST(show(one_hot(tensor(1), 3)) == "int64 (3) 0 1 0");
  BOOST_TEST(show(one_hot(empty({0}, int64), 3)) == "int64 (0, 3)");
  BOOST_TEST(error_of([] { one_hot(tensor({3}), 3); }) ==
             "one_hot: the ids must be below the number of classes, 3, got 3");
  BOOST_TEST(error_of([] {
               one_hot(tensor({3, -5}));
             }) == "one_hot: the ids must not be negative, got -5");
  BOOST_TEST(error_of([] { one_hot(tensor({0}), 0); }) ==
             "one_hot: the ids must be below the number of classes, 0, got 0");
  BOOST_TEST(error_of([] { one_hot(tensor({1.0})); }) ==
             "one_hot: the ids must be int64, got float32");
  BOOST_TEST(
      error_of([] { one_hot(empty({0}, int64)); }) ==
      "one_hot: without ids the number of classes must be given, got the shape (0)");
  BOOST_TEST(error_of([] { one_hot(empty({0}, int64), -1); }) ==
             "one_hot: the number of classes must not be negative, got -1");
}

BOOST_AUTO_TEST_CASE(roll_moves_on) {
  BOOST_TEST(show(roll(six(), 1, 1)) == "(2, 3) 3 1 2 6 4 5");
  BOOST_TEST(show(roll(six(), -1, -1)) == "(2, 3) 2 3 1 5 6 4");
  BOOST_TEST(show(roll(six(), 7, 0)) == "(2, 3) 4 5 6 1 2 3");
  BOOST_TEST(show(roll(six(), INT64_MIN, 1)) == show(roll(six(), INT64_MIN % 3, 1)));
  BOOST_TEST(show(roll(empty({0, 2}), 1, 0)) == "(0, 2)");
  BOOST_TEST((roll(six(), 0, 0).storage() != six().storage()));
  BOOST_TEST(error_of([] { roll(six(), 1, 2); }) ==
             "roll: dim must be from -2 to 1, got 2");
  BOOST_TEST(error_of([] { roll(tensor(1), 1, 0); }) ==
             "roll: a scalar has no dimensions, got dim 0");
}

BOOST_AUTO_TEST_CASE(a_grid_of_coordinates) {
  const std::vector<Tensor> grid = meshgrid({tensor({1, 2}), tensor({3.0, 4.0, 5.0})});
  BOOST_TEST(show(grid.at(0)) == "int64 (2, 3) 1 1 1 2 2 2");
  BOOST_TEST(show(grid.at(1)) == "(2, 3) 3 4 5 3 4 5");
  BOOST_TEST(meshgrid(std::initializer_list<Tensor>{}).empty());
  BOOST_TEST(error_of([] { meshgrid({six()}); }) ==
             "meshgrid: each tensor must have one dimension, got (2, 3)");
}

BOOST_AUTO_TEST_CASE(rounding) {
  const Tensor x = tensor({-2.5, -0.5, 0.5, 1.5, 2.5, 2.75, -infinity, not_a_number});
  BOOST_TEST(show(floor(x)) == "(8) -3 -1 0 1 2 2 -inf nan");
  BOOST_TEST(show(ceil(x)) == "(8) -2 -0 1 2 3 3 -inf nan");
  BOOST_TEST(show(round(x)) == "(8) -2 -0 0 2 2 3 -inf nan");
  BOOST_TEST(show(maximum(tensor({1, 5}), 3)) == "int64 (2) 3 5");
  BOOST_TEST(show(minimum(tensor({1.0, not_a_number}), 0.5)) == "(2) 0.5 nan");
  BOOST_TEST(show(expm1(tensor({infinity, -infinity, 89.0}))) == "(3) inf -1 inf");
  BOOST_TEST(equal(expm1(tensor({1e-9})), tensor({1e-9})));
}

BOOST_AUTO_TEST_CASE(logic_by_sign) {
  const Tensor a = tensor({true, true, false, false}),
               b = tensor({true, false, true, false});
  BOOST_TEST(show(a & b) == "bool (4) 1 0 0 0");
  BOOST_TEST(show(a | b) == "bool (4) 1 1 1 0");
  BOOST_TEST(show(a ^ b) == "bool (4) 0 1 1 0");
  BOOST_TEST(show(!a) == "bool (4) 0 0 1 1");
  BOOST_TEST(error_of([&] { a& six(); }).starts_with("logical_and: "));
}

BOOST_AUTO_TEST_CASE(vectors_of_any_integers_and_likenesses) {
  BOOST_TEST(show(from_vector(std::vector<int>{1, -2})) == "int64 (2) 1 -2");
  BOOST_TEST(show(from_vector(std::vector<std::uint8_t>{255, 0}, {2, 1})) ==
             "int64 (2, 1) 255 0");
  BOOST_TEST(show(from_vector(std::vector<bool>{true, false})) == "bool (2) 1 0");
  BOOST_TEST(error_of([] { from_vector(std::vector<std::uint64_t>{UINT64_MAX}); }) ==
             "number: a whole number must fit int64, got 18446744073709551615");
  BOOST_TEST(show(full_like(six().to(float64), 2.5)) ==
             "float64 (2, 3) 2.5 2.5 2.5 2.5 2.5 2.5");
}

BOOST_AUTO_TEST_CASE(shapes_check_their_index) {
  const Shape shape{2, 3, 4};
  BOOST_TEST(shape[-1] == 4);
  BOOST_TEST(shape[-3] == 2);
  BOOST_TEST(error_of([&] { (void)shape[3]; }) ==
             "shape: the index must be from -3 to 2, got 3 for (2, 3, 4)");
  BOOST_TEST(error_of([&] { (void)shape[-4]; }) ==
             "shape: the index must be from -3 to 2, got -4 for (2, 3, 4)");
  BOOST_TEST(error_of([&] { (void)Shape{}[0]; }) ==
             "shape: the index must be from 0 to -1, got 0 for ()");
  const auto [a, b, c] = shape.sizes<3>();
  BOOST_TEST(a * 100 + b * 10 + c == 234);
  BOOST_TEST(error_of([&] { (void)shape.sizes<2>(); }) ==
             "shape: 2 sizes were asked for, got (2, 3, 4)");
}

// An unsigned number below 0 must not become -1, the last dimension.
BOOST_AUTO_TEST_CASE(unsigned_numbers_do_not_wrap) {
  const std::size_t first = 0;
  BOOST_TEST(error_of([&] {
               sum(ones({2, 3}), first - 1);
             }) ==
             "a number must be less than 2^63, got 18446744073709551615; is it below 0, "
             "as unsigned?");
}

// atol + rtol |b|: it is b that counts.
BOOST_AUTO_TEST_CASE(closeness_is_relative_to_the_second) {
  for (const DType dtype : {float64, int64}) {
    const Tensor a = tensor({100}).to(dtype), b = tensor({110}).to(dtype);
    BOOST_TEST(allclose(a, b, 0.095, 0));
    BOOST_TEST(!allclose(b, a, 0.095, 0));
  }
  // Beyond 2^53, where float64 would take them for equal.
  const std::int64_t large = (std::int64_t{1} << 53) + 1;
  BOOST_TEST(!allclose(tensor({large}), tensor({large - 1}), 0, 0));
  const auto check_refused = [](double rtol, double atol) {
    BOOST_TEST(error_of([&] {
                 allclose(tensor({1}), tensor({1}), rtol, atol);
               }).starts_with("isclose: rtol and atol must be at least 0, got "));
  };
  check_refused(-1, 0);
  check_refused(0, NAN);
  BOOST_TEST(error_of([] { isclose(tensor({1}), tensor({1.0})); }) ==
             "isclose: the dtypes must be equal, got int64 and float32; to(dtype) "
             "converts a tensor");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace heed

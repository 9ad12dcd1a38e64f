#include <cmath>
#include <string>

#include <boost/test/unit_test.hpp>
#include <fmt/format.h>

#include "tensor/core/factories.h"
#include "tensor/core/tensor.h"
#include "tensor/core/views.h"
#include "tests/errors.h"
#include "tests/infinity.h"

namespace heed {

// What PyTorch 1.13.1 prints, except its "torch." before a dtype.
BOOST_AUTO_TEST_SUITE(print)

BOOST_AUTO_TEST_CASE(scalars) {
  BOOST_TEST(to_string(tensor(3.14159)) == "tensor(3.1416)");
  BOOST_TEST(to_string(tensor(2.0)) == "tensor(2.)");
  BOOST_TEST(to_string(tensor(-5)) == "tensor(-5)");
  BOOST_TEST(to_string(tensor(true)) == "tensor(True)");
  BOOST_TEST(to_string(tensor(not_a_number)) == "tensor(nan)");
  BOOST_TEST(to_string(tensor(-not_a_number)) == "tensor(nan)");
  BOOST_TEST(to_string(tensor(1e-7)) == "tensor(1.0000e-07)");
}

BOOST_AUTO_TEST_CASE(whole_numbers_have_a_point) {
  BOOST_TEST(to_string(tensor({1.0, 2.0, 3.0})) == "tensor([1., 2., 3.])");
  BOOST_TEST(to_string(tensor({infinity, 0.0, -0.0})) == "tensor([inf, 0., -0.])");
  BOOST_TEST(to_string(tensor({1.0, 1000.0})) == "tensor([   1., 1000.])");
}

BOOST_AUTO_TEST_CASE(four_digits) {
  BOOST_TEST(to_string(tensor({1.5, not_a_number, -infinity})) ==
             "tensor([1.5000,    nan,   -inf])");
  BOOST_TEST(to_string(tensor({0.25, 1.5}, float64)) ==
             "tensor([0.2500, 1.5000], dtype=float64)");
}

BOOST_AUTO_TEST_CASE(exponents) {
  BOOST_TEST(to_string(tensor({1e-5, 1.0})) == "tensor([1.0000e-05, 1.0000e+00])");
  BOOST_TEST(to_string(tensor({0.1, 1000.0})) == "tensor([1.0000e-01, 1.0000e+03])");
  BOOST_TEST(to_string(tensor({0.0, 1.0, 1001.0})) ==
             "tensor([0.0000e+00, 1.0000e+00, 1.0010e+03])");
  BOOST_TEST(to_string(tensor({2e8, infinity})) == "tensor([2.0000e+08,        inf])");
}

BOOST_AUTO_TEST_CASE(integers_and_bools_are_aligned) {
  BOOST_TEST(to_string(tensor({{1, -20}, {300, 4}})) ==
             "tensor([[  1, -20],\n"
             "        [300,   4]])");
  BOOST_TEST(to_string(tensor({{true, false}})) == "tensor([[ True, False]])");
}

BOOST_AUTO_TEST_CASE(nothing_in_it) {
  BOOST_TEST(to_string(Tensor()) == "tensor(undefined)");
  BOOST_TEST(to_string(zeros({0})) == "tensor([])");
  BOOST_TEST(to_string(zeros({2, 0}, int64)) == "tensor([], size=(2, 0), dtype=int64)");
  BOOST_TEST(to_string(zeros({0}, boolean)) == "tensor([], dtype=bool)");
  BOOST_TEST(to_string(zeros({0, 3})) == "tensor([], size=(0, 3))");
}

BOOST_AUTO_TEST_CASE(matrices_are_set_apart) {
  BOOST_TEST(to_string(reshape(arange(0.0, 3.0, 0.25), {2, 2, 3})) ==
             "tensor([[[0.0000, 0.2500, 0.5000],\n"
             "         [0.7500, 1.0000, 1.2500]],\n"
             "\n"
             "        [[1.5000, 1.7500, 2.0000],\n"
             "         [2.2500, 2.5000, 2.7500]]])");
  BOOST_TEST(
      to_string(zeros({2, 2, 1, 1}, int64)) ==
      "tensor([[[[0]],\n\n         [[0]]],\n\n\n        [[[0]],\n\n         [[0]]]])");
}

BOOST_AUTO_TEST_CASE(long_lines_are_broken) {
  BOOST_TEST(to_string(arange(0.0, 5.0, 0.25, float64)) ==
             "tensor([0.0000, 0.2500, 0.5000, 0.7500, 1.0000, 1.2500, 1.5000, 1.7500, "
             "2.0000,\n"
             "        2.2500, 2.5000, 2.7500, 3.0000, 3.2500, 3.5000, 3.7500, 4.0000, "
             "4.2500,\n"
             "        4.5000, 4.7500], dtype=float64)");
  // The dtype goes to a line of its own where it would pass the 80th column.
  BOOST_TEST(to_string(full({8}, 0.5, float64)) ==
             "tensor([0.5000, 0.5000, 0.5000, 0.5000, 0.5000, 0.5000, 0.5000, 0.5000],\n"
             "       dtype=float64)");
}

BOOST_AUTO_TEST_CASE(many_elements_are_left_out) {
  BOOST_TEST(to_string(arange(1001)) ==
             "tensor([   0,    1,    2,  ...,  998,  999, 1000])");
  BOOST_TEST(to_string(reshape(arange(1400), {7, 200})) ==
             "tensor([[   0,    1,    2,  ...,  197,  198,  199],\n"
             "        [ 200,  201,  202,  ...,  397,  398,  399],\n"
             "        [ 400,  401,  402,  ...,  597,  598,  599],\n"
             "        ...,\n"
             "        [ 800,  801,  802,  ...,  997,  998,  999],\n"
             "        [1000, 1001, 1002,  ..., 1197, 1198, 1199],\n"
             "        [1200, 1201, 1202,  ..., 1397, 1398, 1399]])");
}

BOOST_AUTO_TEST_CASE(views_print_what_they_show) {
  const Tensor x = reshape(arange(6), {2, 3});
  BOOST_TEST(to_string(transpose(x, 0, 1)) ==
             "tensor([[0, 3],\n"
             "        [1, 4],\n"
             "        [2, 5]])");
  BOOST_TEST(fmt::format("{}", x[1]) == "tensor([3, 4, 5])");
}

BOOST_AUTO_TEST_CASE(each_element_takes_a_format) {
  const Tensor x = tensor({{1.0, 10.25}, {-0.125, 3.0}});
  BOOST_TEST(fmt::format("{:.2f}", x) ==
             "tensor([[ 1.00, 10.25],\n"
             "        [-0.12,  3.00]])");
  BOOST_TEST(fmt::format("{:.1f}", tensor({1, 20})) == "tensor([ 1.0, 20.0])");
  BOOST_TEST(fmt::format("{:03d}", tensor({1, 20})) == "tensor([001, 020])");
  BOOST_TEST(fmt::format("{:.1f}", tensor({INFINITY, 0.0})) == "tensor([inf, 0.0])");
  BOOST_TEST(fmt::format("{:.3f}", x[0][1]) == "10.250");
  BOOST_TEST(fmt::format("{:.3f}", Tensor()) == "tensor(undefined)");
  BOOST_CHECK_THROW((void)fmt::format("{:q}", x), fmt::format_error);
}

BOOST_AUTO_TEST_CASE(print_options_hold_until_they_are_set_again) {
  const Tensor x = tensor({1e-6, 1.0, 1e6});
  set_printoptions({.precision = 2, .sci_mode = false});
  BOOST_TEST(to_string(x) == "tensor([      0.00,       1.00, 1000000.00])");
  set_printoptions({.precision = 1, .threshold = 5, .edgeitems = 2, .sci_mode = true});
  BOOST_TEST(to_string(tensor({1.5, 2.5})) == "tensor([1.5e+00, 2.5e+00])");
  BOOST_TEST(to_string(arange(6)) == "tensor([0, 1,  ..., 4, 5])");
  set_printoptions({.threshold = 2, .edgeitems = 0});
  BOOST_TEST(to_string(ones({3})) == "tensor([...], size=(3))");
  BOOST_TEST(to_string(ones({3, 4}, float64)) ==
             "tensor([...], size=(3, 4), dtype=float64)");
  BOOST_TEST(to_string(ones({2})) == "tensor([1., 1.])");
  set_printoptions({.threshold = 2, .edgeitems = INT64_MAX});
  BOOST_TEST(to_string(ones({3})) == "tensor([1., 1., 1.])");
  set_printoptions({.linewidth = 20});
  BOOST_TEST(to_string(arange(6)) == "tensor([0, 1, 2, 3,\n        4, 5])");
  set_printoptions({});
  BOOST_TEST(to_string(x) == "tensor([1.0000e-06, 1.0000e+00, 1.0000e+06])");
  BOOST_TEST(error_of([] { set_printoptions({.precision = -1}); }) ==
             "set_printoptions: the numbers must not be negative, got -1");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace heed

// Rows of tensors in loops, members against functions, and what composed.h refuses. Its
// values are PyTorch's reference cases, its derivatives the table of ops.
#include <vector>

#include <boost/test/unit_test.hpp>
#include <heed.h>

#include "tests/errors.h"

namespace heed {

BOOST_AUTO_TEST_SUITE(composed)

BOOST_AUTO_TEST_CASE(a_loop_goes_over_the_first_dimension) {
  const Variable w(reshape(arange(6.0), {3, 2}), true);
  Variable total = tensor(0.0);
  double factor = 1;
  for (const Variable& row : w) {
    BOOST_TEST(row.shape() == Shape{2});
    total += factor * row.sum();
    factor *= 10;
  }
  total.backward();
  BOOST_TEST(equal(w.grad(), tensor({{1.0, 1.0}, {10.0, 10.0}, {100.0, 100.0}})));
  std::vector<double> sums;
  for (Tensor row : reshape(arange(4), {2, 2})) sums.push_back(row.sum().item());
  BOOST_TEST(sums == (std::vector<double>{1, 5}));
  Tensor x = zeros({2});
  for (Tensor element : x) element += 1;  // a row is a view
  BOOST_TEST(equal(x, ones({2})));
  for (const Tensor& row : zeros({0, 2})) BOOST_ERROR("a row of none: " << row);
  BOOST_TEST(error_of([] {
               for (const Tensor& row : tensor(1.0)) (void)row;
             }) == "size: a scalar has no dimensions, got dim 0");
}

BOOST_AUTO_TEST_CASE(tensors_are_no_containers_of_parts) {
  static_assert(!nn::detail::Range<Tensor> && !nn::detail::Range<Variable>);
  static_assert(!nn::detail::Container<Tensor> && !nn::detail::Container<Variable>);
  static_assert(nn::Part<Tensor> && nn::Part<Variable>);
}

BOOST_AUTO_TEST_CASE(members_are_the_functions) {
  const Tensor x = tensor({{3.0, 1.0, 2.0}, {9.0, -4.0, 5.0}});
  const Variable v(x, true);
  BOOST_TEST(equal(x.add(x).sub(1).mul(2).div(x), div(mul(sub(add(x, x), 1), 2), x)));
  BOOST_TEST(equal(v.median(1).values, median(v, 1).values));
  BOOST_TEST(equal(x.unbind(1)[2], select(x, 1, 2)));
  BOOST_TEST(
      equal(x.scatter(1, tensor({{0}, {2}}), 7), scatter(x, 1, tensor({{0}, {2}}), 7)));
  BOOST_TEST(equal(v.nonzero(), nonzero(x)));
  BOOST_TEST(equal(v.unique(), unique(x)));
  BOOST_TEST(equal(x.roll(1, 0), flipud(x)));
  BOOST_TEST(x.t().stride(0) == 1);
  BOOST_TEST(x.t().stride(-1) == 3);
  BOOST_TEST(x.stride() == (Shape{3, 1}));
}

BOOST_AUTO_TEST_CASE(numbers_of_where_decide_its_dtype) {
  const Tensor mask = tensor({true, false});
  BOOST_TEST(equal(where(mask, 1, -1), tensor({1, -1})));
  BOOST_TEST(equal(where(mask, true, 2), tensor({1, 2})));
  BOOST_TEST(equal(where(mask, true, false), mask));
  BOOST_TEST(equal(where(mask, 1, 0.5), tensor({1.0, 0.5})));
  BOOST_TEST(equal(where(Variable(mask), 1, -1), tensor({1, -1})));
  BOOST_TEST(equal(where(mask, (std::int64_t{1} << 53) + 1, 0),
                   tensor({(std::int64_t{1} << 53) + 1, std::int64_t{0}})));
}

BOOST_AUTO_TEST_CASE(of_several_sources_the_last_counts) {
  const Variable source(tensor({1.0, 2.0, 3.0}), true);
  const Variable y = scatter(zeros({2}), 0, tensor({1, 1, 1}), source);
  BOOST_TEST(equal(y, tensor({0.0, 3.0})));
  y.sum().backward();
  BOOST_TEST(equal(source.grad(), tensor({0.0, 0.0, 1.0})));
  BOOST_TEST(equal(scatter(ones({2}), 0, zeros({0}, int64), zeros({0})), ones({2})));
}

BOOST_AUTO_TEST_CASE(what_does_not_fit_is_refused) {
  const Tensor x = zeros({2, 3}), index = tensor({{0}, {3}});
  const auto message = [](auto f) { return error_of(f); };
  BOOST_TEST(
      message([&] { mm(x, x[0]); }) ==
      "mm: the numbers of dimensions must be 2 and 2, got the shapes (2, 3) and (3)");
  BOOST_TEST(message([&] { diag(zeros({})); }) ==
             "diag: x must be a vector or a matrix, got ()");
  BOOST_TEST(message([&] { narrow(x, 1, 2, 2); }) ==
             "narrow: start and length must lie within the size 3, got 2 and 2");
  BOOST_TEST(message([&] {
               movedim(x, {0, 0}, {0, 1});
             }) == "movedim: a dim is named twice in (0, 0) or (0, 1)");
  BOOST_TEST(
      message([&] {
        movedim(x, {0, 1}, {0});
      }) ==
      "movedim: as many dims must be moved as places are given, got (0, 1) and (0)");
  BOOST_TEST(message([&] { kthvalue(x, 4); }) ==
             "kthvalue: k must be from 1 to 3, got 4");
  BOOST_TEST(message([&] { quantile(x, 1.5); }) ==
             "quantile: q must be a number or a vector of numbers from 0 to 1, got "
             "tensor(1.5000)");
  BOOST_TEST(message([&] { quantile(zeros({0}), 0.5); }) ==
             "quantile: x must not be empty, got (0)");
  BOOST_TEST(message([&] { scatter(x, 1, index, 1); }) ==
             "scatter: the index must be from 0 to 2, got 3");
  BOOST_TEST(message([&] {
               scatter(x, 0, zeros({2, 1}), 1);
             }) == "scatter: the index must be int64, got float32");
  BOOST_TEST(message([&] { scatter(x, 0, tensor({0}), 1); }) ==
             "scatter: x and index must have one rank, got (2, 3) and (1)");
  BOOST_TEST(
      message([&] {
        scatter(x, 1, zeros({3, 1}, int64), 1);
      }) ==
      "scatter: the index must be no larger than x but along dim 1, got (3, 1) and "
      "(2, 3)");
  BOOST_TEST(
      message([&] {
        scatter(x, 1, zeros({2, 2}, int64), zeros({2, 1}));
      }) ==
      "scatter: the index must be no larger than the source, got (2, 2) and (2, 1)");
  BOOST_TEST(message([&] { bincount(x); }) ==
             "bincount: x must be a vector of int64, got the shape (2, 3) and float32");
  BOOST_TEST(message([] {
               bincount(tensor({2, -1}));
             }) == "bincount: x must not have negative numbers, got -1");
  BOOST_TEST(message([] { bincount(tensor({INT64_MAX})); }) ==
             "shape: too many elements, got (9223372036854775807)");
  BOOST_TEST(message([] {
               bincount(tensor({0, 1, 2}), ones({2}));
             }) == "bincount: there must be a weight for each element, got (2) and (3)");
  BOOST_TEST(message([&] { diff(x, -1); }) == "diff: n must not be negative, got -1");
  BOOST_TEST(message([&] { histc(x, 0); }) == "histc: bins must be positive, got 0");
  BOOST_TEST(message([&] { histc(x, 2, 1, 0); }) ==
             "histc: the range must be finite and rising, got 1 to 0");
  BOOST_TEST(message([&] {
               searchsorted(x, zeros({3, 1}));
             }) ==
             "searchsorted: the sequence must be a vector or have the values' leading "
             "sizes, got (2, 3) and (3, 1)");
  BOOST_TEST(message([&] { nn::pad(x, {1}); }) ==
             "pad: there must be two numbers for each of at most 2 dimensions, got 1");
}

BOOST_AUTO_TEST_CASE(whole_numbers_and_scalars) {
  const Tensor sums = bincount(tensor({1, 1, 3}), tensor({2, 3, 4}));
  BOOST_TEST(sums.dtype() == float64);
  BOOST_TEST(equal(sums, tensor({0.0, 5.0, 0.0, 4.0}, float64)));
  const Tensor sorted = tensor({1, 2, 3});
  BOOST_TEST(searchsorted(sorted, 2.5).item<int>() == 2);
  BOOST_TEST(searchsorted(sorted, 2, true).item<int>() == 2);
  const std::int64_t large = (std::int64_t{1} << 53) + 1;
  BOOST_TEST(searchsorted(tensor({large}), large).item<int>() == 0);
  BOOST_TEST(equal(cumprod(tensor(3), -1), tensor(3)));
  BOOST_CHECK_THROW((void)cumprod(tensor(3), 1), Error);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace heed

// Sums, means and extremes: values, dimensions, layouts, dtypes, edge cases and errors.
#include "tensor/reduce/reductions.h"

#include <cmath>
#include <limits>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "tensor/core/factories.h"
#include "tensor/core/threads.h"
#include "tensor/core/views.h"
#include "tensor/elementwise/elementwise.h"
#include "tensor/random/random.h"
#include "tests/compare.h"
#include "tests/infinity.h"
#include "tests/layouts.h"
#include "tests/tensor/show.h"

namespace heed {
namespace {

// Whole numbers from -4 to 4: their sums are exact.
Tensor whole(const Shape& shape, DType dtype = float32) {
  Generator generator(1);
  return randint(-4, 5, shape, generator).to(dtype);
}

// The sum along one dimension, element by element.
std::vector<double> plain_sum(const Tensor& x, int dim) {
  const Tensor rows = transpose(x, dim, -1).contiguous().to(float64);
  const std::int64_t n = x.shape()[dim];
  std::vector<double> sums;
  const std::vector<double> numbers = rows.to_vector<double>();
  for (std::size_t i = 0; i < numbers.size(); i += static_cast<std::size_t>(n)) {
    double sum = 0;
    for (std::int64_t j = 0; j < n; ++j) sum += numbers[i + static_cast<std::size_t>(j)];
    sums.push_back(sum);
  }
  return sums;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(reductions)

BOOST_AUTO_TEST_CASE(sum_over_chosen_dimensions) {
  const Tensor x = tensor({{1, 2, 3}, {4, 5, 6}}, float32);
  BOOST_TEST(show(sum(x)) == "() 21");
  BOOST_TEST(show(sum(x, 0)) == "(3) 5 7 9");
  BOOST_TEST(show(sum(x, 1)) == "(2) 6 15");
  BOOST_TEST(show(sum(x, -1)) == "(2) 6 15");
  BOOST_TEST(show(sum(x, 1, true)) == "(2, 1) 6 15");
  BOOST_TEST(show(sum(x, Dims{0, 1})) == "() 21");
  BOOST_TEST(show(sum(x, Dims{0, 1}, true)) == "(1, 1) 21");
  BOOST_TEST(show(sum(x, Dims{}, true)) == "(1, 1) 21");
  BOOST_TEST(show(sum(transpose(x, 0, 1), 0)) == "(2) 6 15");
  BOOST_TEST(show(sum(transpose(x, 0, 1), 1)) == "(3) 5 7 9");
  BOOST_TEST(show(sum(slice(x, 1, 0, 3, 2), 1)) == "(2) 4 10");
  BOOST_TEST(show(sum(expand(tensor({1.0, 2.0}), {3, 2}), 0)) == "(2) 3 6");
}

BOOST_AUTO_TEST_CASE(sum_of_scalars_and_of_nothing) {
  const Tensor scalar = tensor(5.0);
  BOOST_TEST(show(sum(scalar)) == "() 5");
  BOOST_TEST(show(sum(scalar, 0)) == "() 5");
  BOOST_TEST(show(sum(scalar, -1, true)) == "() 5");
  BOOST_TEST(show(sum(empty({0, 3}))) == "() 0");
  BOOST_TEST(show(sum(empty({0, 3}), 0)) == "(3) 0 0 0");
  BOOST_TEST(show(sum(empty({0, 3}), 1)) == "(0)");
  BOOST_TEST(show(prod(empty({0, 2}), 0)) == "(2) 1 1");
  BOOST_TEST(std::isnan(mean(empty({0, 2}), 0).at({1})));
  BOOST_TEST(std::isnan(var(empty({0})).item()));
  BOOST_TEST(show(norm(empty({0}))) == "() 0");
  BOOST_TEST(show(any(empty({0}))) == "bool () 0");
  BOOST_TEST(show(all(empty({0}))) == "bool () 1");
  BOOST_TEST(show(logsumexp(empty({0, 1}), 0)) == "(1) -inf");
}

BOOST_AUTO_TEST_CASE(whole_numbers_are_summed_as_int64) {
  const Tensor flags = tensor({{true, true}, {false, true}});
  BOOST_TEST(show(sum(flags)) == "int64 () 3");
  BOOST_TEST(show(sum(transpose(flags, 0, 1), 0)) == "int64 (2) 2 1");
  BOOST_TEST(show(prod(flags, 1)) == "int64 (2) 1 0");
  BOOST_TEST(show(prod(tensor({2, -3, 4}))) == "int64 () -24");
  BOOST_TEST(show(prod(tensor({2.0, -3.0, 0.5}))) == "() -3");
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const Tensor wrapped = sum(tensor({most, std::int64_t{1}}));
  BOOST_TEST(*wrapped.data<std::int64_t>() == std::numeric_limits<std::int64_t>::min());
}

BOOST_AUTO_TEST_CASE(sums_of_every_shape_and_layout) {
  // Around the sizes at which the kernels change their method.
  for (const std::int64_t n : {1, 3, 15, 16, 63, 64, 127, 128, 129, 255, 256, 1000}) {
    for (const std::int64_t inner : {1, 2, 3, 16, 31, 32, 33, 64, 100}) {
      const Tensor x = whole({2, n, inner});
      for (const DType dtype : {float32, float64, int64}) {
        const Tensor typed = x.to(dtype);
        for (int dim = 0; dim < 3; ++dim) {
          const std::vector<double> sums =
              sum(typed, dim).to(float64).to_vector<double>();
          const Tensor swapped = sum(stored_transposed(typed, 0, 2), dim);
          // `plain_sum` leaves the last dimension in the place of the summed one.
          Tensor expected = from_vector(plain_sum(x, dim));
          if (dim == 0) expected = transpose(reshape(expected, {inner, n}), 0, 1);
          BOOST_TEST(sums == expected.contiguous().to_vector<double>(),
                     boost::test_tools::per_element());
          BOOST_TEST(sums == swapped.to(float64).to_vector<double>(),
                     boost::test_tools::per_element());
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(dimensions_that_do_not_lie_together) {
  const Tensor x = whole({3, 4, 5, 2});
  const Tensor expected = sum(sum(x, 2), 0);
  BOOST_TEST(show(sum(x, Dims{0, 2})) == show(expected));
  BOOST_TEST(show(sum(x, Dims{-2, -4})) == show(expected));
  BOOST_TEST(show(sum(x, Dims{2, 0}, true)) == show(reshape(expected, {1, 4, 1, 2})));
  const Tensor permuted = permute(x, {3, 1, 0, 2});
  BOOST_TEST(show(sum(permuted, Dims{2, 3})) == show(transpose(expected, 0, 1)));
}

BOOST_AUTO_TEST_CASE(long_sums_are_accurate) {
  // 0.1f ten million times: adding in turn would be off by a tenth.
  const std::int64_t n = 10000000;
  const double exact = static_cast<double>(n) * static_cast<double>(0.1f);
  BOOST_TEST(std::abs(sum(full({n}, 0.1)).item() / exact - 1) < 1e-6);
  BOOST_TEST(std::abs(sum(full({n / 2, 2}, 0.1), 0).at({1}) / exact * 2 - 1) < 1e-6);
  BOOST_TEST(std::abs(mean(full({n}, 0.1)).item() / 0.1 - 1) < 1e-6);
}

BOOST_AUTO_TEST_CASE(bits_do_not_depend_on_threads) {
  const int before = num_threads();
  const Tensor x = whole({1 << 19}) / 3;
  const Tensor tall = reshape(x, {1 << 13, 64}), wide = reshape(x, {64, 1 << 13});
  const auto all_of_them = [&] {
    return std::vector<Tensor>{sum(x),          sum(tall, 0),    sum(wide, 0),
                               sum(wide, 1),    var(x),          var(tall, {0}),
                               norm(wide, {1}), logsumexp(x, 0), mean(tall)};
  };
  set_num_threads(1);
  const std::vector<Tensor> one = all_of_them();
  for (const int threads : {2, 3, 7}) {
    set_num_threads(threads);
    const std::vector<Tensor> many = all_of_them();
    for (std::size_t i = 0; i < one.size(); ++i) BOOST_TEST(same_bits(one[i], many[i]));
  }
  set_num_threads(before);
}

BOOST_AUTO_TEST_CASE(mean_var_std_norm) {
  const Tensor x = tensor({{1.0, 2.0, 3.0, 6.0}, {0.0, 0.0, 4.0, 0.0}});
  BOOST_TEST(show(mean(x)) == "() 2");
  BOOST_TEST(show(mean(x, 1)) == "(2) 3 1");
  BOOST_TEST(show(mean(x, 0, true)) == "(1, 4) 0.5 1 3.5 3");
  BOOST_TEST(show(var(x, {1}, 0)) == "(2) 3.5 3");
  BOOST_TEST(show(var(x, {1}, 2)) == "(2) 7 6");
  BOOST_TEST(show(var(x, {1}, 1, true).to(float64)) ==
             show(tensor({{14.0 / 3}, {4.0}}).to(float64)));
  BOOST_TEST(show(std(x, {0}, 0)) == "(4) 0.5 1 0.5 3");
  BOOST_TEST(show(std(x, {0}, 0, true)) == "(1, 4) 0.5 1 0.5 3");
  BOOST_TEST(show(norm(tensor({{3.0, 4.0}, {0.0, 2.0}}), {1})) == "(2) 5 2");
  BOOST_TEST(show(norm(tensor({{3.0, 4.0}, {0.0, 2.0}}), {1}, true)) == "(2, 1) 5 2");
  BOOST_TEST(std::abs(norm(tensor({3e30, 4e30})).item() / 5e30 - 1) < 1e-6);
  // Nothing left to divide by: 0/0, and a positive sum over 0.
  BOOST_TEST(std::isnan(var(tensor({5.0})).item()));
  BOOST_TEST(show(var(tensor({1.0, 3.0}), {}, 2)) == "() inf");
  BOOST_TEST(show(var(tensor({1.0, 3.0}), {}, 3)) == "() inf");
  BOOST_TEST(std::isnan(var(tensor({1.0, infinity})).item()));
}

BOOST_AUTO_TEST_CASE(var_far_from_zero) {
  // 1000000 +- 1 is exact in float32; squares of such numbers are not.
  Tensor x = full({40000}, 1000001);
  slice(x, 0, 0, to_end, 2).fill_(999999);
  BOOST_TEST(std::abs(var(x, {}, 0).item() - 1) < 1e-6);
  const Tensor columns = reshape(transpose(reshape(x, {20000, 2}), 0, 1), {20000, 2});
  BOOST_TEST(show(var(columns, {0}, 0)) ==
             show(var(columns.to(float64), {0}, 0).to(float32)));
}

BOOST_AUTO_TEST_CASE(logsumexp_without_overflow) {
  BOOST_TEST(std::abs(logsumexp(tensor({1000.0, 1000.0}), 0).item() -
                      (1000 + std::log(2.0))) < 1e-4);
  const Tensor x = tensor(
      {{-infinity, -infinity}, {0.0, -infinity}, {infinity, 1.0}, {not_a_number, 1.0}});
  BOOST_TEST(show(logsumexp(x, 1)) == "(4) -inf 0 inf nan");
  BOOST_TEST(show(logsumexp(x, 1, true)) == "(4, 1) -inf 0 inf nan");
  const Tensor zero = zeros({2, 3, 4});
  BOOST_TEST(logsumexp(zero, Dims{0, 2}, true).shape() == (Shape{1, 3, 1}));
  BOOST_TEST(std::abs(logsumexp(zero, Dims{0, 2}).at({1}) - std::log(8.0)) < 1e-6);
}

BOOST_AUTO_TEST_CASE(extremes) {
  const Tensor x = tensor({{3.0, 1.0, 3.0}, {-2.0, 5.0, -2.0}});
  BOOST_TEST(show(max(x)) == "() 5");
  BOOST_TEST(show(min(x)) == "() -2");
  BOOST_TEST(show(amax(x, {0})) == "(3) 3 5 3");
  BOOST_TEST(show(amin(x, {1}, true)) == "(2, 1) 1 -2");
  BOOST_TEST(show(amax(x, {0, 1})) == "() 5");
  const auto [values, indices] = max(x, 1);
  BOOST_TEST(show(values) == "(2) 3 5");
  BOOST_TEST(show(indices) == "int64 (2) 0 1");
  const auto [least, places] = min(x, -1, true);
  BOOST_TEST(show(least) == "(2, 1) 1 -2");
  BOOST_TEST(show(places) == "int64 (2, 1) 1 0");
  BOOST_TEST(show(argmax(x)) == "int64 () 4");
  BOOST_TEST(show(argmin(x)) == "int64 () 3");
  BOOST_TEST(show(argmax(transpose(x, 0, 1))) == "int64 () 3");
  BOOST_TEST(show(argmax(x, 0)) == "int64 (3) 0 1 0");
  BOOST_TEST(show(argmin(x, 0, true)) == "int64 (1, 3) 1 0 1");
  BOOST_TEST(show(argmin(transpose(x, 0, 1), 0)) == "int64 (2) 1 0");
  BOOST_TEST(show(max(tensor({3, -7, 9}))) == "int64 () 9");
  BOOST_TEST(show(amin(tensor({true, false}))) == "bool () 0");
  BOOST_TEST(show(argmax(tensor({false, true, true}))) == "int64 () 1");
  BOOST_TEST(show(argmax(tensor(2.0), -1)) == "int64 () 0");
  BOOST_TEST(show(max(tensor({-infinity, -infinity}))) == "() -inf");
}

BOOST_AUTO_TEST_CASE(nan_wins_and_the_first_place_counts) {
  BOOST_TEST(show(argmax(tensor({{1, 2}, {1, 2}, {0, 2}}), 0)) == "int64 (2) 0 0");
  const Tensor x =
      tensor({{1.0, not_a_number, infinity, not_a_number}, {2.0, 2.0, 1.0, 1.0}});
  BOOST_TEST(show(max(x, 1).values) == "(2) nan 2");
  BOOST_TEST(show(max(x, 1).indices) == "int64 (2) 1 0");
  BOOST_TEST(show(min(x, 1).values) == "(2) nan 1");
  BOOST_TEST(show(min(x, 1).indices) == "int64 (2) 1 2");
  BOOST_TEST(show(argmax(x, 0)) == "int64 (4) 1 0 0 0");
  BOOST_TEST(show(argmin(x, 0)) == "int64 (4) 0 0 1 0");
  // At every place of a long row, and in columns.
  for (const std::int64_t at : {0, 1, 63, 64, 65, 200, 299}) {
    Tensor row = whole({300});
    row.set({at}, not_a_number);
    BOOST_TEST(std::isnan(max(row).item()));
    BOOST_TEST(std::isnan(min(row).item()));
    BOOST_TEST(argmax(row).item() == static_cast<double>(at));
    const Tensor columns = expand(unsqueeze(row, 1), {300, 5}).contiguous();
    BOOST_TEST(std::isnan(amax(columns, {0}).at({3})));
    BOOST_TEST(argmin(columns, 0).at({4}) == static_cast<double>(at));
  }
}

BOOST_AUTO_TEST_CASE(any_and_all) {
  const Tensor x = tensor({{0.0, not_a_number}, {0.0, 0.0}, {-1.0, 0.5}});
  BOOST_TEST(show(any(x)) == "bool () 1");
  BOOST_TEST(show(all(x)) == "bool () 0");
  BOOST_TEST(show(any(x, {1})) == "bool (3) 1 0 1");
  BOOST_TEST(show(all(x, {1}, true)) == "bool (3, 1) 0 0 1");
  BOOST_TEST(show(all(transpose(x, 0, 1), {0})) == "bool (3) 0 0 1");
  BOOST_TEST(show(any(tensor({0, 0, 7}))) == "bool () 1");
}

BOOST_AUTO_TEST_CASE(all_finite_of_views) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  const auto views = [](const Tensor& x) {  // (6, 40)
    return std::vector<Tensor>{
        x,
        transpose(x, 0, 1),
        slice(x, 1, 3, 38),
        slice(x, 1, 1, to_end, 3),
        permute(reshape(x, {3, 2, 5, 8}), {2, 0, 3, 1}),
        expand(unsqueeze(select(x, 1, 7), 1), {6, 4}),
    };
  };
  for (const DType dtype : {float32, float64}) {
    const Tensor largest = full({6, 40}, dtype == float32 ? 3e38 : 1e308, dtype);
    for (const Tensor& view : views(largest)) BOOST_TEST(all_finite(view));
    for (const double bad : {std::nan(""), infinite, -infinite}) {
      for (std::int64_t i = 0; i < 240; ++i) {
        Tensor x = largest.clone();
        x.set({i / 40, i % 40}, bad);
        for (const Tensor& view : views(x)) {
          BOOST_TEST(all_finite(view) == all(isfinite(view)).item<bool>());
        }
      }
    }
  }
  BOOST_TEST(all_finite(zeros({0, 3})));
  BOOST_TEST(all_finite(ones({3}, int64)));
  BOOST_TEST(!all_finite(full({}, infinite)));
}

BOOST_AUTO_TEST_CASE(sum_to_undoes_broadcasting) {
  const Tensor x = whole({2, 3, 4});
  BOOST_TEST((sum_to(x, x.shape()).storage() == x.storage()));
  BOOST_TEST(show(sum_to(x, {3, 4})) == show(sum(x, 0)));
  BOOST_TEST(show(sum_to(x, {2, 1, 4})) == show(sum(x, 1, true)));
  BOOST_TEST(show(sum_to(x, {3, 1})) == show(sum(sum(x, 0), 1, true)));
  BOOST_TEST(show(sum_to(x, Shape{})) == show(sum(x)));
  BOOST_TEST(show(sum_to(empty({0, 2}), {1, 2})) == "(1, 2) 0 0");
  BOOST_TEST(error_of([&] {
               sum_to(x, {2, 4});
             }) ==
             "sum_to: the shape must broadcast to the tensor's, got (2, 4) and (2, "
             "3, 4)");
  BOOST_TEST(error_of([&] {
               sum_to(x, {1, 2, 3, 4});
             }) ==
             "sum_to: the shape must broadcast to the tensor's, got (1, 2, 3, 4) and "
             "(2, 3, 4)");
  BOOST_TEST(error_of([&] {
               sum_to(ones({1, 3}), {2, 3});
             }) ==
             "sum_to: the shape must broadcast to the tensor's, got (2, 3) and (1, 3)");
}

BOOST_AUTO_TEST_CASE(errors) {
  const Tensor x = zeros({2, 3}), none = zeros({0, 3}), whole = tensor({1, 2});
  BOOST_TEST(error_of([&] { sum(x, Dims{1, -1}); }) == "sum: dim 1 is named twice");
  BOOST_TEST(error_of([&] { sum(x, 2); }) == "sum: dim must be from -2 to 1, got 2");
  BOOST_TEST(error_of([&] { sum(tensor(1.0), 1); }) ==
             "sum: dim must be from -1 to 0, got 1");
  BOOST_TEST(error_of([&] { amax(none, {0}); }) ==
             "amax: cannot reduce over no elements, got (0, 3)");
  BOOST_TEST(error_of([&] { amin(none); }) ==
             "amin: cannot reduce over no elements, got (0, 3)");
  BOOST_TEST(error_of([&] { max(none); }) ==
             "max: cannot reduce over no elements, got (0, 3)");
  BOOST_TEST(error_of([&] { min(none, 0); }) ==
             "min: cannot reduce over no elements, got (0, 3)");
  BOOST_TEST(error_of([&] { argmax(none); }) ==
             "argmax: cannot reduce over no elements, got (0, 3)");
  BOOST_TEST(error_of([&] { argmin(none, 0); }) ==
             "argmin: cannot reduce over no elements, got (0, 3)");
  BOOST_TEST(show(amax(none, {1})) == "(0)");
  BOOST_TEST(error_of([&] { mean(whole); }) ==
             "mean: the dtype must be float32 or float64, got int64; to(float32) "
             "converts a tensor");
  BOOST_TEST(error_of([&] { var(whole); }) ==
             "var: the dtype must be float32 or float64, got int64; to(float32) converts "
             "a tensor");
  BOOST_TEST(error_of([&] { std(whole); }) ==
             "std: the dtype must be float32 or float64, got int64; to(float32) converts "
             "a tensor");
  BOOST_TEST(error_of([&] { norm(whole); }) ==
             "norm: the dtype must be float32 or float64, got int64; to(float32) "
             "converts a tensor");
  BOOST_TEST(error_of([&] { logsumexp(whole, 0); }) ==
             "logsumexp: the dtype must be float32 or float64, got int64; to(float32) "
             "converts a tensor");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace heed

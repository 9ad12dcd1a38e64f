// Sorting, topk, running sums: values, ties, NaN, layouts, dtypes and errors.
#include "tensor/reduce/sorting.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "tensor/core/factories.h"
#include "tensor/core/threads.h"
#include "tensor/core/views.h"
#include "tensor/random/random.h"
#include "tests/compare.h"
#include "tests/infinity.h"
#include "tests/tensor/show.h"

namespace heed {

BOOST_AUTO_TEST_SUITE(sorting)

BOOST_AUTO_TEST_CASE(sort_keeps_the_order_of_equals) {
  const Tensor x = tensor({2.0, 1.0, 2.0, 0.0, 1.0});
  const auto [values, indices] = sort(x);
  BOOST_TEST(show(values) == "(5) 0 1 1 2 2");
  BOOST_TEST(show(indices) == "int64 (5) 3 1 4 0 2");
  const auto [falling, places] = sort(x, 0, true);
  BOOST_TEST(show(falling) == "(5) 2 2 1 1 0");
  BOOST_TEST(show(places) == "int64 (5) 0 2 1 4 3");
  BOOST_TEST(show(argsort(x, -1, true)) == "int64 (5) 0 2 1 4 3");
  const Tensor alone = sort(x);
  BOOST_TEST(show(alone) == "(5) 0 1 1 2 2");
}

BOOST_AUTO_TEST_CASE(nan_counts_as_the_largest) {
  const Tensor x =
      tensor({not_a_number, 1.0, -infinity, not_a_number, infinity, -0.0, 0.0});
  BOOST_TEST(show(sort(x)) == "(7) -inf -0 0 1 inf nan nan");
  BOOST_TEST(show(argsort(x)) == "int64 (7) 2 5 6 1 4 0 3");
  BOOST_TEST(show(sort(x, 0, true)) == "(7) nan nan inf 1 -0 0 -inf");
  BOOST_TEST(show(argsort(x, 0, true)) == "int64 (7) 0 3 4 1 5 6 2");
  BOOST_TEST(show(topk(x, 3)) == "(3) nan nan inf");
  BOOST_TEST(show(topk(x, 3).indices) == "int64 (3) 0 3 4");
  BOOST_TEST(show(topk(x, 2, 0, false)) == "(2) -inf -0");
}

BOOST_AUTO_TEST_CASE(sort_along_any_dimension) {
  const Tensor x = tensor({{3.0, 1.0, 2.0}, {0.0, 5.0, 1.0}});
  BOOST_TEST(show(sort(x, 0)) == "(2, 3) 0 1 1 3 5 2");
  BOOST_TEST(show(sort(x, 0).indices) == "int64 (2, 3) 1 0 1 0 1 0");
  BOOST_TEST(show(sort(x, 1)) == "(2, 3) 1 2 3 0 1 5");
  BOOST_TEST(show(sort(transpose(x, 0, 1), 0)) == "(3, 2) 1 0 2 1 3 5");
  BOOST_TEST(sort(transpose(x, 0, 1), 0).values.is_contiguous());
  BOOST_TEST(sort(x, 0).indices.is_contiguous());
  const Tensor cube = reshape(arange(24, float32), {2, 3, 4});
  BOOST_TEST(show(sort(cube, 1, true).values[1]) ==
             "(3, 4) 20 21 22 23 16 17 18 19 12 13 14 15");
}

BOOST_AUTO_TEST_CASE(sort_of_every_dtype_and_of_little) {
  BOOST_TEST(show(sort(tensor({3, -1, 2}))) == "int64 (3) -1 2 3");
  BOOST_TEST(show(sort(tensor({true, false, true, false}))) == "bool (4) 0 0 1 1");
  BOOST_TEST(show(argsort(tensor({true, false, true, false}))) == "int64 (4) 1 3 0 2");
  BOOST_TEST(show(sort(tensor({2.5, 1.5}).to(float64))) == "float64 (2) 1.5 2.5");
  BOOST_TEST(show(sort(tensor(4.0))) == "() 4");
  BOOST_TEST(show(sort(tensor(4.0), 0).indices) == "int64 () 0");
  BOOST_TEST(show(sort(empty({0}))) == "(0)");
  BOOST_TEST(show(sort(empty({2, 0}), 0).indices) == "int64 (2, 0)");
  BOOST_TEST(show(sort(empty({0, 3}), 0)) == "(0, 3)");
}

BOOST_AUTO_TEST_CASE(sort_agrees_with_the_library) {
  const int before = num_threads();
  std::vector<float> numbers(100 * 57);
  std::uint32_t state = 1;
  for (float& number : numbers) {
    state = state * 1664525u + 1013904223u;
    number = static_cast<float>(state >> 26);
  }
  const Tensor x = from_vector(numbers, {100, 57});
  for (std::size_t row = 0; row < numbers.size(); row += 57) {
    std::sort(numbers.begin() + static_cast<std::ptrdiff_t>(row),
              numbers.begin() + static_cast<std::ptrdiff_t>(row) + 57);
  }
  for (const int threads : {1, 3}) {
    set_num_threads(threads);
    BOOST_TEST((sort(x).values.to_vector<float>() == numbers));
    BOOST_TEST(show(topk(x, 9, 1, false)) == show(slice(sort(x).values, 1, 0, 9)));
    BOOST_TEST(show(topk(x, 9).indices) == show(slice(argsort(x, 1, true), 1, 0, 9)));
  }
  set_num_threads(before);
}

BOOST_AUTO_TEST_CASE(topk_takes_the_first_of_equals) {
  const Tensor x = tensor({{1.0, 7.0, 7.0, 3.0}, {2.0, 2.0, 2.0, 2.0}});
  const auto [values, indices] = topk(x, 2);
  BOOST_TEST(show(values) == "(2, 2) 7 7 2 2");
  BOOST_TEST(show(indices) == "int64 (2, 2) 1 2 0 1");
  BOOST_TEST(show(topk(x, 1, 0)) == "(1, 4) 2 7 7 3");
  BOOST_TEST(show(topk(x, 1, 0).indices) == "int64 (1, 4) 1 0 0 0");
  BOOST_TEST(show(topk(x, 2, -1, false)) == "(2, 2) 1 3 2 2");
  BOOST_TEST(show(topk(x, 4)) == "(2, 4) 7 7 3 1 2 2 2 2");
  BOOST_TEST(show(topk(x, 0)) == "(2, 0)");
  BOOST_TEST(show(topk(tensor({1, 5, 3}), 2)) == "int64 (2) 5 3");
  BOOST_TEST(show(topk(tensor(6.0), 1).indices) == "int64 () 0");
}

BOOST_AUTO_TEST_CASE(cumsum_along_any_dimension) {
  const Tensor x = tensor({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}});
  BOOST_TEST(show(cumsum(x, 0)) == "(2, 3) 1 2 3 5 7 9");
  BOOST_TEST(show(cumsum(x, -1)) == "(2, 3) 1 3 6 4 9 15");
  BOOST_TEST(show(cumsum(transpose(x, 0, 1), 0)) == "(3, 2) 1 4 3 9 6 15");
  BOOST_TEST(show(cumsum(tensor({true, false, true}), 0)) == "int64 (3) 1 1 2");
  BOOST_TEST(show(cumsum(tensor({1, -4, 2}), 0)) == "int64 (3) 1 -3 -1");
  BOOST_TEST(show(cumsum(tensor({1.0, not_a_number, 2.0}), 0)) == "(3) 1 nan nan");
  BOOST_TEST(show(cumsum(tensor(3.0), 0)) == "() 3");
  BOOST_TEST(show(cumsum(empty({0, 2}), 0)) == "(0, 2)");
  // More columns than are added up side by side, and the same as rows.
  const Tensor wide = randn({3, 5, 600});
  const Tensor rows = transpose(wide, 1, 2).contiguous();
  BOOST_TEST(same_bits(cumsum(wide, 1), transpose(cumsum(rows, 2), 1, 2)));
  // float32 sums run in double: adding 0.1f in turn would drift.
  const double last = cumsum(full({1000000}, 0.1), 0).at({-1});
  BOOST_TEST(std::abs(last / (1e6 * static_cast<double>(0.1f)) - 1) < 1e-7);
}

BOOST_AUTO_TEST_CASE(errors) {
  const Tensor x = zeros({2, 3});
  BOOST_TEST(error_of([&] { sort(x, 2); }) == "sort: dim must be from -2 to 1, got 2");
  BOOST_TEST(error_of([&] { argsort(x, -3); }) ==
             "argsort: dim must be from -2 to 1, got -3");
  BOOST_TEST(error_of([&] { topk(x, 1, 2); }) == "topk: dim must be from -2 to 1, got 2");
  BOOST_TEST(error_of([&] { topk(x, 4); }) == "topk: k must be from 0 to 3, got 4");
  BOOST_TEST(error_of([&] { topk(x, -1); }) == "topk: k must be from 0 to 3, got -1");
  BOOST_TEST(error_of([&] { topk(tensor(1.0), 0); }) ==
             "topk: k must be from 1 to 1, got 0");
  BOOST_TEST(error_of([&] { cumsum(x, 2); }) ==
             "cumsum: dim must be from -2 to 1, got 2");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace heed

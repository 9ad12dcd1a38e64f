#include "tensor/core/factories.h"

#include <bit>
#include <cmath>

#include <boost/test/unit_test.hpp>

#include "tensor/core/views.h"
#include "tensor/reduce/comparing.h"
#include "tests/infinity.h"
#include "tests/tensor/show.h"

namespace heed {
namespace {

template <class T>
auto bits(const Tensor& x, std::int64_t i) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  return std::bit_cast<Bits>(x.data<T>()[i]);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(factories)

BOOST_AUTO_TEST_CASE(constants) {
  BOOST_TEST(show(zeros({2, 2})) == "(2, 2) 0 0 0 0");
  BOOST_TEST(show(ones({2}, int64)) == "int64 (2) 1 1");
  BOOST_TEST(show(full({3}, 2.5)) == "(3) 2.5 2.5 2.5");
  BOOST_TEST(show(full({}, 1, boolean)) == "bool () 1");
  BOOST_TEST(show(zeros({2, 0})) == "(2, 0)");
  const Tensor model = transpose(zeros({3, 2}, float64), 0, 1);
  BOOST_TEST(show(ones_like(model)) == "float64 (2, 3) 1 1 1 1 1 1");
  BOOST_TEST(show(zeros_like(model)) == "float64 (2, 3) 0 0 0 0 0 0");
  BOOST_TEST(zeros_like(model).is_contiguous());
  BOOST_TEST(show(eye(2)) == "(2, 2) 1 0 0 1");
  BOOST_TEST(show(eye(2, 3, int64)) == "int64 (2, 3) 1 0 0 0 1 0");
  BOOST_TEST(show(eye(3, 2, boolean)) == "bool (3, 2) 1 0 0 1 0 0");
  BOOST_TEST(show(eye(0)) == "(0, 0)");
}

BOOST_AUTO_TEST_CASE(empty_like_keeps_the_order_of_strides) {
  const Tensor x = permute(zeros({2, 3, 4}, int64), {2, 0, 1});
  BOOST_TEST((empty_like(x).strides() == x.strides()));
  BOOST_TEST((empty_like(x).dtype() == int64));
  BOOST_TEST((empty_like(slice(x, 0, 0, 2)).strides() == Strides({1, 6, 2})));
  BOOST_TEST((empty_like(expand(zeros({3, 1}), {3, 4})).strides() == Strides({4, 1})));
  BOOST_TEST(empty_like(zeros({})).dim() == 0);
  BOOST_TEST(empty_like(zeros({2, 0})).numel() == 0);
}

BOOST_AUTO_TEST_CASE(ranges_of_whole_numbers) {
  BOOST_TEST(show(arange(4)) == "int64 (4) 0 1 2 3");
  BOOST_TEST(show(arange(0)) == "int64 (0)");
  BOOST_TEST(show(arange(1, 10, 4)) == "int64 (3) 1 5 9");
  BOOST_TEST(show(arange(1, 3, float32)) == "(2) 1 2");
  BOOST_TEST(show(arange(1, 9, 4)) == "int64 (2) 1 5");
  BOOST_TEST(show(arange(3, -4, -3)) == "int64 (3) 3 0 -3");
  BOOST_TEST(show(arange(3, 3, -1)) == "int64 (0)");
  BOOST_TEST(show(arange(4, float32)) == "(4) 0 1 2 3");
  BOOST_TEST(show(arange(0, 2, 1, float64)) == "float64 (2) 0 1");
  BOOST_TEST(show(arange(3.0, int64)) == "int64 (3) 0 1 2");
  const Tensor ends = arange(INT64_MIN, INT64_MAX, INT64_MAX);
  BOOST_TEST((ends.to_vector<std::int64_t>() ==
              std::vector<std::int64_t>{INT64_MIN, -1, INT64_MAX - 1}));
  BOOST_TEST(arange(INT64_MAX - 1, INT64_MAX).data<std::int64_t>()[0] == INT64_MAX - 1);
  BOOST_TEST(arange(std::size_t{3}).numel() == 3);
}

// The bits are those of PyTorch 1.13.1.
BOOST_AUTO_TEST_CASE(ranges_of_real_numbers) {
  const Tensor x = arange(0, 5, 0.1);
  BOOST_TEST((x.dtype() == float32));
  BOOST_TEST(x.numel() == 50);
  const std::pair<std::int64_t, std::uint32_t> single[] = {
      {9, 0x3f666667},  {18, 0x3fe66667}, {26, 0x40266667}, {28, 0x40333334},
      {31, 0x40466667}, {36, 0x40666667}, {49, 0x409ccccd}};
  for (const auto& [i, expected] : single) BOOST_TEST(bits<float>(x, i) == expected);

  const Tensor y = arange(10, 0, -0.7, float64);
  BOOST_TEST(y.numel() == 15);
  const std::pair<std::int64_t, std::uint64_t> twice[] = {{3, 0x401f99999999999a},
                                                          {7, 0x4014666666666667},
                                                          {9, 0x400d99999999999a},
                                                          {13, 0x3fecccccccccccd2},
                                                          {14, 0x3fc99999999999b0}};
  for (const auto& [i, expected] : twice) BOOST_TEST(bits<double>(y, i) == expected);
  BOOST_TEST(show(arange(2.5)) == "(3) 0 1 2");
  BOOST_TEST(arange(0.0, 5.0, 0.1, float64).numel() == 50);
  BOOST_TEST(arange(1.0, 1.0, 0.5).numel() == 0);
}

BOOST_AUTO_TEST_CASE(even_spacing) {
  BOOST_TEST(show(linspace(0, 1, 5)) == "(5) 0 0.25 0.5 0.75 1");
  BOOST_TEST(show(linspace(3, 7, 1)) == "(1) 3");
  BOOST_TEST(show(linspace(3, 7, 0)) == "(0)");
  BOOST_TEST(show(linspace(0, 10, 5, int64)) == "int64 (5) 0 2 5 7 10");
  const Tensor x = linspace(1.3, 17.7, 64);
  const std::pair<std::int64_t, std::uint32_t> single[] = {
      {0, 0x3fa66666},  {7, 0x4047d27e},  {13, 0x4095e45e},
      {21, 0x40d88888}, {32, 0x411a1522}, {63, 0x418d999a}};
  for (const auto& [i, expected] : single) BOOST_TEST(bits<float>(x, i) == expected);
  const Tensor y = linspace(-12, 44, 32, float64);
  BOOST_TEST(bits<double>(y, 7) == 0x3fe4a5294a5294a0u);
  BOOST_TEST(bits<double>(y, 15) == 0x402e318c6318c630u);
  BOOST_TEST(bits<double>(y, 20) == 0x4038210842108421u);
}

BOOST_AUTO_TEST_CASE(lists) {
  BOOST_TEST(show(tensor({{1, 2}, {3, 4}})) == "int64 (2, 2) 1 2 3 4");
  BOOST_TEST(show(tensor({1.0, 2.5})) == "(2) 1 2.5");
  BOOST_TEST(show(tensor(3.5)) == "() 3.5");
  BOOST_TEST(show(tensor(7)) == "int64 () 7");
  BOOST_TEST(show(tensor({true, false})) == "bool (2) 1 0");
  BOOST_TEST(show(tensor({true, 3})) == "int64 (2) 1 3");
  BOOST_TEST(show(tensor({1, 2.5})) == "(2) 1 2.5");
  BOOST_TEST(show(tensor({1, 2}, float64)) == "float64 (2) 1 2");
  BOOST_TEST(show(tensor({1.0, 2.0}, int64)) == "int64 (2) 1 2");
  BOOST_TEST(show(tensor({1.0f, 2.0f})) == "(2) 1 2");
}

BOOST_AUTO_TEST_CASE(every_brace_is_a_dimension) {
  BOOST_TEST(show(tensor({5})) == "int64 (1) 5");
  BOOST_TEST(show(tensor({{5}})) == "int64 (1, 1) 5");
  BOOST_TEST(show(tensor({{1, 2}})) == "int64 (1, 2) 1 2");
  BOOST_TEST(show(tensor({{1}, {2}})) == "int64 (2, 1) 1 2");
  BOOST_TEST(show(tensor({{{1, 2}}})) == "int64 (1, 1, 2) 1 2");
  BOOST_TEST(show(tensor({{{1.5}}, {{2.5}}})) == "(2, 1, 1) 1.5 2.5");
  BOOST_TEST(show(tensor({})) == "(0)");
  BOOST_TEST(show(tensor({{}})) == "(1, 0)");
  BOOST_TEST(show(tensor({{}, {}})) == "(2, 0)");
  BOOST_TEST(show(tensor({{{{{{{{9}}}}}}}})) == "int64 (1, 1, 1, 1, 1, 1, 1, 1) 9");
  // A list outlives the braces that it was written in.
  const NestedList list = {{1, 2}, {3, 4}};
  BOOST_TEST(show(tensor(list)) == "int64 (2, 2) 1 2 3 4");
}

BOOST_AUTO_TEST_CASE(whole_numbers_stay_exact) {
  const Tensor x = tensor({INT64_MAX, INT64_MIN, std::int64_t{9007199254740993}});
  BOOST_TEST((x.to_vector<std::int64_t>() ==
              std::vector<std::int64_t>{INT64_MAX, INT64_MIN, 9007199254740993}));
}

BOOST_AUTO_TEST_CASE(vectors) {
  BOOST_TEST(show(from_vector(std::vector<float>{1, 2})) == "(2) 1 2");
  BOOST_TEST(show(from_vector(std::vector<double>{1, 2}, {2, 1})) ==
             "float64 (2, 1) 1 2");
  BOOST_TEST(show(from_vector(std::vector<std::int64_t>{1, 2, 3, 4}, {2, 2})) ==
             "int64 (2, 2) 1 2 3 4");
  BOOST_TEST(show(from_vector(std::vector<float>{})) == "(0)");
  BOOST_TEST(show(from_vector(std::vector<float>{4}, {})) == "() 4");
}

BOOST_AUTO_TEST_CASE(errors) {
  BOOST_TEST(error_of([] { full({2}, 0.5, int64); }) ==
             "full: an int64 tensor takes whole numbers, got 0.5; to(float32) converts a "
             "tensor");
  BOOST_TEST(error_of([] {
               zeros({2, -1});
             }) == "shape: sizes must not be negative, got (2, -1)");
  BOOST_TEST(error_of([] { eye(-1); }) ==
             "eye: the sizes must not be negative, got -1 and -1");
  BOOST_TEST(error_of([] { arange(0, 5, 0); }) == "arange: step must not be 0, got 0");
  BOOST_TEST(error_of([] { arange(0, 5, -1); }) ==
             "arange: step must lead from start to end, got 0, 5 and -1");
  BOOST_TEST(error_of([] { arange(-3); }) ==
             "arange: step must lead from start to end, got 0, -3 and 1");
  BOOST_TEST(error_of([] { arange(0, infinity); }) ==
             "arange: start, end and step must be finite, got 0, inf and 1");
  BOOST_TEST(error_of([] { arange(0, 1, NAN); }) ==
             "arange: start, end and step must be finite, got 0, 1 and nan");
  BOOST_TEST(error_of([] { arange(0, 1e30, 1e-5); }) ==
             "arange: too many elements, got 0 to 1e+30 by 1e-05");
  BOOST_TEST(error_of([] { arange(INT64_MIN, INT64_MAX); }) ==
             "arange: too many elements, got -9223372036854775808 to "
             "9223372036854775807 by 1");
  // As doubles start and end are equal here.
  const std::int64_t large = (std::int64_t{1} << 53) + 1;
  BOOST_TEST(error_of([=] { arange(large, large - 1, 2); }) ==
             "arange: step must lead from start to end, got 9007199254740993, "
             "9007199254740992 and 2");
  BOOST_TEST(error_of([] { arange(0.0, 1e300, 2.5e299); }) ==
             "arange: 1e+300 is too large for float32");
  BOOST_TEST(arange(0.0, 1e300, 2.5e299, float64).numel() == 4);
  BOOST_TEST(error_of([] { linspace(0, 1e300, 3); }) ==
             "linspace: 1e+300 is too large for float32");
  BOOST_TEST(error_of([] { arange(0, 2.5, 1, int64); }) ==
             "arange: an int64 tensor takes whole numbers, got 2.5; to(float32) converts "
             "a tensor");
  BOOST_TEST(error_of([] { arange(2, boolean); }) ==
             "arange: the dtype must not be bool, got bool");
  BOOST_TEST(error_of([] { arange(UINT64_MAX); }) ==
             "number: a whole number must fit int64, got 18446744073709551615");
  BOOST_TEST(error_of([] { linspace(0, 1, -1); }) ==
             "linspace: steps must not be negative, got -1");
  BOOST_TEST(error_of([] { linspace(0, 1, 2, boolean); }) ==
             "linspace: the dtype must not be bool, got bool");
  BOOST_TEST(error_of([] {
               tensor({{1, 2}, {1, 2, 3}});
             }) == "tensor: the lists at one depth must have equal lengths, got 2 and 3");
  BOOST_TEST(error_of([] {
               tensor({{1, 2}, 3});
             }) == "tensor: one depth must hold either numbers or lists, got both");
  BOOST_TEST(error_of([] {
               tensor({3, {1, 2}});
             }) == "tensor: one depth must hold either numbers or lists, got both");
  BOOST_TEST(error_of([] {
               tensor({{}, {1}});
             }) == "tensor: the lists at one depth must have equal lengths, got 0 and 1");
  BOOST_TEST(error_of([] { tensor({{{{{{{{{1}}}}}}}}}); }) ==
             "shape: at most 8 dimensions, got more");
  BOOST_TEST(error_of([] { tensor({1.5}, int64); }) ==
             "tensor: an int64 tensor takes whole numbers, got 1.5; to(float32) converts "
             "a tensor");
  BOOST_TEST(error_of([] { tensor({2}, boolean); }) ==
             "tensor: a bool tensor takes 0 or 1, got 2");
  BOOST_TEST(error_of([] {
               from_vector(std::vector<float>{1, 2}, {3});
             }) ==
             "from_vector: the shape must have as many elements as the vector, got (3) "
             "and 2");
}

BOOST_AUTO_TEST_CASE(numbers_that_do_not_fit_are_refused) {
  BOOST_TEST(error_of([] { full({2}, 1e300); }) ==
             "full: 1e+300 is too large for float32");
  BOOST_TEST(full({}, 1e300, float64).item() == 1e300);
  const double end = 9223372036854774784.0;
  BOOST_TEST(linspace(0, end, 8, int64).at({7}) == end);
}

BOOST_AUTO_TEST_CASE(lists_may_be_vectors) {
  const std::vector<double> row = {0.1, 2};
  BOOST_TEST(equal(tensor(row), tensor({0.1, 2.0}, float32)));
  BOOST_TEST(equal(tensor(std::vector{row, row}), tensor({{0.1, 2.0}, {0.1, 2.0}})));
  BOOST_TEST(equal(tensor(std::vector<int>{1, 2}), tensor({1, 2})));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace heed

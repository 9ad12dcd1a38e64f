// Plain numbers that become elements, and elements that become plain numbers.
#include <cstdint>
#include <string>

#include <boost/test/unit_test.hpp>

#include "tensor/core/factories.h"
#include "tensor/core/tensor.h"
#include "tests/errors.h"
#include "tests/infinity.h"
#include "tests/tensor/show.h"

namespace heed {
namespace {

constexpr std::int64_t no_double = 9007199254740993;  // 2^53 + 1

template <class T>
std::string item_message(const Tensor& x) {
  return error_of([&] { x.item<T>(); });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(numbers)

BOOST_AUTO_TEST_CASE(items_of_integers_are_exact) {
  for (const std::int64_t number : {INT64_MAX, INT64_MIN, no_double, -no_double}) {
    BOOST_TEST(tensor(number).item<std::int64_t>() == number);
  }
  BOOST_TEST(tensor(INT64_MAX).item<std::uint64_t>() == std::uint64_t{INT64_MAX});
  BOOST_TEST(tensor(0x1.8p63, float64).item<std::uint64_t>() == std::uint64_t{3} << 62);
  BOOST_TEST(tensor(-0x1p63).item<std::int64_t>() == INT64_MIN);
  BOOST_TEST(tensor({255}).item<std::uint8_t>() == 255);
  BOOST_TEST(tensor({-128}).item<signed char>() == -128);
  BOOST_TEST(tensor(true).item<int>() == 1);
}

BOOST_AUTO_TEST_CASE(items_lose_their_fraction) {
  BOOST_TEST(tensor(2.9).item<int>() == 2);
  BOOST_TEST(tensor(-2.9).item<int>() == -2);
  BOOST_TEST(tensor(2147483647.9, float64).item<int>() == INT32_MAX);
  BOOST_TEST(tensor(-2147483648.9, float64).item<int>() == INT32_MIN);
  BOOST_TEST(tensor(-0.9).item<unsigned>() == 0u);
  BOOST_TEST(tensor(0.5).item<bool>());
  BOOST_TEST(!tensor(0).item<bool>());
  BOOST_TEST(tensor({3}).item<float>() == 3.0F);
}

BOOST_AUTO_TEST_CASE(items_out_of_range_are_refused) {
  const std::string of_int =
      "item: the type asked for holds numbers from -2147483648 to 2147483647, got ";
  BOOST_TEST(item_message<int>(tensor({3000000000})) == of_int + "3000000000");
  BOOST_TEST(item_message<int>(tensor(-2147483649.0, float64)) == of_int + "-2147483649");
  BOOST_TEST(item_message<int>(tensor(not_a_number)) == of_int + "nan");
  BOOST_TEST(item_message<int>(tensor(-infinity)) == of_int + "-inf");
  BOOST_TEST(item_message<unsigned>(tensor({-1})) ==
             "item: the type asked for holds numbers from 0 to 4294967295, got -1");
  BOOST_TEST(item_message<std::uint64_t>(tensor(-1.0)) ==
             "item: the type asked for holds numbers from 0 to 18446744073709551615, got "
             "-1");
  BOOST_TEST(item_message<std::int64_t>(tensor(0x1p63, float64)) ==
             "item: the type asked for holds numbers from -9223372036854775808 to "
             "9223372036854775807, got 9.223372036854776e+18");
  BOOST_TEST(item_message<int>(zeros({2})) ==
             "item: the tensor must have one element, got the shape (2)");
}

BOOST_AUTO_TEST_CASE(whole_numbers_fill_exactly) {
  BOOST_TEST(full({}, no_double, int64).item<std::int64_t>() == no_double);
  BOOST_TEST(full_like(tensor(1), INT64_MAX).item<std::int64_t>() == INT64_MAX);
  BOOST_TEST(tensor(1).fill_(-no_double).item<std::int64_t>() == -no_double);
  Tensor x = tensor({1, 2});
  x.set({-1}, no_double);
  BOOST_TEST(x[1].item<std::int64_t>() == no_double);
  BOOST_TEST(show(full({1}, true, int64)) == "int64 (1) 1");
  BOOST_TEST(error_of([] { tensor(1).fill_(UINT64_MAX); }) ==
             "number: a whole number must fit int64, got 18446744073709551615");
  BOOST_TEST(error_of([] { tensor(1.0).fill_(1e300); }) ==
             "fill_: 1e+300 is too large for float32");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace heed

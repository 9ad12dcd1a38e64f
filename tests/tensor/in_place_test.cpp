// Choosing elements by a condition, and operations that write over their operand.
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "tensor/core/factories.h"
#include "tensor/core/views.h"
#include "tensor/elementwise/elementwise.h"
#include "tensor/reduce/comparing.h"
#include "tests/errors.h"
#include "tests/infinity.h"
#include "tests/layouts.h"

namespace {

using namespace heed;
using Floats = std::vector<float>;

// 0, 1, 2, ... in `shape`.
Tensor counting(const Shape& shape, DType dtype = float32) {
  return reshape(arange(count(shape)), shape).to(dtype);
}

Floats floats(const Tensor& x) { return x.to(float32).to_vector<float>(); }

BOOST_AUTO_TEST_SUITE(choosing)

BOOST_AUTO_TEST_CASE(where_takes_either) {
  for (DType dtype : {float32, float64, int64, boolean}) {
    const Tensor condition = counting({2, 1}) == 1;
    const Tensor a = ones({3}, dtype), b = zeros({2, 3}, dtype);
    const Tensor y = where(condition, a, b);
    BOOST_TEST((y.dtype() == dtype));
    BOOST_TEST(y.shape() == (Shape{2, 3}));
    BOOST_TEST(floats(y) == (Floats{0, 0, 0, 1, 1, 1}));
    BOOST_TEST(floats(where(condition, 0, a)) == (Floats{1, 1, 1, 0, 0, 0}));
    BOOST_TEST(floats(where(condition, a, 0)) == (Floats{0, 0, 0, 1, 1, 1}));
    BOOST_TEST(where(counting({0}) == 1, a[0], b[0][0]).shape() == Shape{0});
  }
}

BOOST_AUTO_TEST_CASE(what_is_not_chosen_does_not_leak) {
  const Tensor bad = full({600}, not_a_number), good = counting({600});
  const Tensor never = zeros({600}, boolean);
  BOOST_TEST(floats(where(never, bad, good)) == floats(good));
  BOOST_TEST(floats(where(logical_not(never), good, bad)) == floats(good));
  BOOST_TEST(floats(where(never, not_a_number, good)) == floats(good));
  BOOST_TEST(floats(masked_fill(good, never, not_a_number)) == floats(good));
}

BOOST_AUTO_TEST_CASE(where_reads_every_layout) {
  const Tensor a = counting({30, 40}), b = -a;
  const Tensor condition = sin(a) > 0;
  const Floats wanted = floats(where(condition, a, b));
  BOOST_TEST(floats(where(stored_transposed(condition, 0, 1), a, b)) == wanted);
  BOOST_TEST(floats(where(condition, stored_transposed(a, 0, 1),
                          stored_transposed(b, 0, 1))) == wanted);
  for (int i = 0; i < 1200; ++i) {
    BOOST_TEST(wanted[i] == (std::sin(i) > 0 ? i : -i));
  }
}

BOOST_AUTO_TEST_CASE(masked_fill_keeps_the_shape_of_x) {
  const Tensor x = counting({2, 3});
  const Tensor mask = counting({3}) >= 2;
  BOOST_TEST(floats(masked_fill(x, mask, -1)) == (Floats{0, 1, -1, 3, 4, -1}));
  BOOST_TEST(floats(masked_fill(x, full({}, 1, boolean), 7)) == (Floats(6, 7)));
}

BOOST_AUTO_TEST_CASE(a_choice_of_a_fraction_and_a_number_is_float32) {
  const Tensor chosen = where(tensor({true, false}), 0.1, -2);
  BOOST_TEST(equal(chosen, tensor({0.1, -2.0}, float32)));
}

BOOST_AUTO_TEST_CASE(errors) {
  const Tensor x = ones({3}), mask = ones({2, 3}, boolean);
  BOOST_TEST(error_of([&] { where(x, x, x); }) ==
             "where: the condition must be bool, got float32");
  BOOST_TEST(error_of([&] { where(mask, x, ones({3}, float64)); }) ==
             "where: the dtypes must be equal, got float32 and float64; to(dtype) "
             "converts a tensor");
  BOOST_TEST(error_of([&] { where(mask, x, ones({4})); }) ==
             "where: the shapes must broadcast (equal sizes, or 1), got (3) and (4)");
  BOOST_TEST(error_of([&] { where(mask, ones({4}), 0); }) ==
             "where: the shapes must broadcast (equal sizes, or 1), got (2, 3) and (4)");
  // Exact beyond 2^53.
  const Tensor whole = zeros({1}, int64), all = ones({1}, boolean);
  for (const std::int64_t large : {(std::int64_t{1} << 53) + 1, INT64_MAX}) {
    BOOST_TEST(masked_fill(whole, all, large).item<std::int64_t>() == large);
  }
  BOOST_TEST(error_of([&] { masked_fill(x, x, 0); }) ==
             "masked_fill: the mask must be bool, got float32");
  BOOST_TEST(error_of([&] { masked_fill(x, x > 0, -1e300); }) ==
             "masked_fill: -1e+300 is too large for float32");
  BOOST_TEST(error_of([&] { masked_fill(x, mask, 0); }) ==
             "masked_fill: the mask must broadcast to x, got (2, 3) and (3)");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(in_place)

BOOST_AUTO_TEST_CASE(add_and_mul) {
  for (DType dtype : {float32, float64, int64}) {
    Tensor x = counting({2, 3}, dtype);
    const Tensor seen = x;
    add_(x, counting({3}, dtype), -2);
    BOOST_TEST(floats(seen) == (Floats{0, -1, -2, 3, 2, 1}));
    add_(x, ones({}, dtype));
    BOOST_TEST(floats(seen) == (Floats{1, 0, -1, 4, 3, 2}));
    mul_(x, 3);
    BOOST_TEST(floats(seen) == (Floats{3, 0, -3, 12, 9, 6}));
  }
}

BOOST_AUTO_TEST_CASE(the_product_is_rounded_before_the_sum) {
  Tensor x = full({40}, 1);
  const float third = 1 / 3.f;
  add_(x, full({40}, third), 0.1);
  volatile float product = 0.1f * third;
  for (float value : floats(x)) BOOST_TEST(value == 1 + product);
}

BOOST_AUTO_TEST_CASE(views_are_written_through) {
  Tensor x = zeros({3, 4});
  Tensor column = select(x, 1, 2);
  add_(column, tensor({1.0, 2.0, 3.0}));
  mul_(column, 2);
  BOOST_TEST(floats(x) == (Floats{0, 0, 2, 0, 0, 0, 4, 0, 0, 0, 6, 0}));
  Tensor turned = transpose(x, 0, 1);
  add_(turned, tensor({1.0, 0.0, 0.0}));
  BOOST_TEST(floats(x) == (Floats{1, 1, 3, 1, 0, 0, 4, 0, 0, 0, 6, 0}));
  Tensor row = x[1];
  mul_(row, 0.5);
  BOOST_TEST(floats(x) == (Floats{1, 1, 3, 1, 0, 0, 2, 0, 0, 0, 6, 0}));
}

BOOST_AUTO_TEST_CASE(operands_may_share_storage) {
  Tensor x = counting({5});
  add_(x, x, 2);
  BOOST_TEST(floats(x) == (Floats{0, 3, 6, 9, 12}));
  Tensor tail = slice(x, 0, 1);
  add_(tail, slice(x, 0, 0, 4));
  BOOST_TEST(floats(x) == (Floats{0, 3, 9, 15, 21}));
  Tensor square = counting({3, 3});
  add_(square, transpose(square, 0, 1));
  BOOST_TEST(floats(square) == (Floats{0, 4, 8, 4, 8, 12, 8, 12, 16}));
  Tensor y = counting({3}) + 1;
  add_(y, y[0]);
  BOOST_TEST(floats(y) == (Floats{2, 3, 4}));
  // A first row that broadcasts starts where the target does and is overwritten first.
  for (const std::int64_t rows : {2, 3, 50}) {
    for (const double alpha : {1.0, 2.0}) {
      Tensor z = counting({rows, 2}) + 1;
      const Tensor expected = z + alpha * slice(z, 0, 0, 1);
      add_(z, slice(z, 0, 0, 1), alpha);
      BOOST_TEST(floats(z) == floats(expected));
      Tensor line = counting({rows}) + 1;
      add_(line, slice(line, 0, 0, 1), alpha);
      BOOST_TEST(floats(line) == floats(counting({rows}) + (1 + alpha)));
    }
  }
}

BOOST_AUTO_TEST_CASE(writing_raises_the_version) {
  Tensor x = ones({3});
  const auto version = [&] { return x.storage()->version.load(); };
  const auto before = version();
  add_(x, x);
  BOOST_TEST(version() > before);
  const auto between = version();
  mul_(x, 2);
  BOOST_TEST(version() > between);
}

BOOST_AUTO_TEST_CASE(nothing_happens_to_empty_tensors) {
  Tensor none = empty({0}), empty_rows = empty({0, 3});
  add_(none, none, 0.5);
  mul_(none, 2);
  add_(empty_rows, ones({3}));
  BOOST_TEST(none.shape() == Shape{0});
}

BOOST_AUTO_TEST_CASE(errors) {
  Tensor x = ones({3}), whole = ones({3}, int64), truth = ones({3}, boolean);
  BOOST_TEST(error_of([&] {
               add_(x, ones({2, 3}));
             }) == "add_: x must broadcast to the target, got (2, 3) and (3)");
  BOOST_TEST(error_of([&] { add_(x, ones({2})); }) ==
             "add_: x must broadcast to the target, got (2) and (3)");
  BOOST_TEST(error_of([&] { add_(x, ones({3}, float64)); }) ==
             "add_: the dtypes must be equal, got float32 and float64; to(dtype) "
             "converts a tensor");
  BOOST_TEST(error_of([&] { add_(whole, x); }) ==
             "add_: the result would be float32, which cannot be written to int64");
  BOOST_TEST(error_of([&] { whole -= x; }) ==
             "sub_: the result would be float32, which cannot be written to int64");
  BOOST_TEST(error_of([&] { x -= ones({2}); }) ==
             "sub_: x must broadcast to the target, got (2) and (3)");
  BOOST_TEST(error_of([&] { add_(truth, truth, 0); }) ==
             "add_: the dtype must be float32, float64 or int64, got bool; to(float32) "
             "converts a tensor");
  BOOST_TEST(error_of([&] { add_(whole, whole, 0.5); }) ==
             "add_: an int64 tensor takes whole numbers, got 0.5; to(float32) converts a "
             "tensor");
  BOOST_TEST(error_of([&] { mul_(whole, 0.5); }) ==
             "mul_: an int64 tensor takes whole numbers, got 0.5; to(float32) converts a "
             "tensor");
  Tensor repeated = expand(x, {2, 3});
  BOOST_TEST(error_of([&] { mul_(repeated, 2); }) ==
             "mul_: the target must not repeat its elements, got the shape (2, 3) with "
             "strides (0, 1)");
  const auto refused = [&](auto&& change) {
    const std::string message = error_of([&] { change(repeated); });
    const std::size_t colon = message.find(':');
    BOOST_TEST(message.substr(colon) ==
               ": the target must not repeat its elements, got the shape (2, 3) with "
               "strides (0, 1)");
    return message.substr(0, colon);
  };
  BOOST_TEST(refused([](Tensor& y) { y += 1; }) == "add_");
  BOOST_TEST(refused([](Tensor& y) { y -= 1; }) == "sub_");
  BOOST_TEST(refused([](Tensor& y) { y *= 2; }) == "mul_");
  BOOST_TEST(refused([](Tensor& y) { y /= 2; }) == "div_");
  BOOST_TEST(refused([](Tensor& y) { y *= y; }) == "mul_");
  BOOST_TEST(refused([](Tensor& y) { y /= y; }) == "div_");
  BOOST_TEST(refused([](Tensor& y) { y.copy_(y); }) == "copy_");
  BOOST_TEST(refused([](Tensor& y) { y.masked_fill_(y > 0, 5); }) == "masked_fill_");
  BOOST_TEST(floats(x) == (Floats{1, 1, 1}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace

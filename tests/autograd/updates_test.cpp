// Updates of Variables: in place while nothing is recorded, recorded otherwise.
#include <boost/test/unit_test.hpp>

#include <heed.h>

#include "tests/compare.h"
#include "tests/errors.h"

using namespace heed;

namespace {

Variable leaf() { return Variable(tensor({{1.0, 2.0}, {3.0, 4.0}}), true); }

}  // namespace

BOOST_AUTO_TEST_SUITE(updates)

BOOST_AUTO_TEST_CASE(updates_in_place_under_no_grad) {
  Variable w = leaf();
  const Variable copy = w;
  sum(w * w).backward();
  {
    NoGrad no_grad;
    w -= 0.5 * w.grad();  // to 0
    BOOST_TEST(sum(abs(copy.value())).item() == 0);
    w += 6;
    w *= tensor({1.0, 2.0});
    w /= 3;
    w += tensor({0.0, 1.0});
    w *= 2;
    w -= 1;
    w /= full({1, 2}, 0.5);
  }
  BOOST_TEST(same(copy.value(), tensor({{6.0, 18.0}, {6.0, 18.0}})));
  BOOST_TEST(w.is_leaf());
  BOOST_TEST(w.requires_grad());
  // A graph that needs the old elements sees that they are gone.
  const Variable y = sum(w * w);
  {
    NoGrad no_grad;
    w += 1;
  }
  BOOST_TEST(error_of([&] { y.backward(); }).find("was overwritten after mul ran") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(elements_are_copied_and_filled_under_no_grad) {
  Variable w = leaf();
  const Tensor before = w.value().clone();
  const char* const copied =
      "copy_: a value that requires a gradient can be changed only while nothing is "
      "recorded; put the change into the scope of a NoGrad";
  const char* const lost =
      "copy_: what is written requires a gradient, which a change in place would lose; "
      "stack() and cat() put such values together, index_put() replaces some in a new "
      "one";
  const char* const filled =
      "fill_: a value that requires a gradient can be changed only while nothing is "
      "recorded; put the change into the scope of a NoGrad";
  Variable result = w * 2, constant = zeros(before.shape());
  Variable repeated = expand(ones({1}), {3});
  BOOST_TEST(error_of([&] { repeated += 1; }) ==
             "+=: the target must not repeat its elements, got the shape (3) with "
             "strides (0)");
  BOOST_TEST(error_of([&] { w.copy_(constant); }) == copied);
  BOOST_TEST(error_of([&] { result.copy_(constant); }) == copied);
  BOOST_TEST(error_of([&] { constant.copy_(w); }) == lost);
  BOOST_TEST(error_of([&] { w.fill_(1); }) == filled);
  BOOST_TEST(error_of([&] { w.zero_(); }) == filled);
  BOOST_TEST(same_bits(w.value(), before));
  constant.fill_(3);
  BOOST_TEST(sum(constant).item() == 3.0 * static_cast<double>(before.numel()));
  const Variable square = w * w;
  {
    NoGrad no_grad;
    w.copy_(constant);
    BOOST_TEST(equal(w, constant));
    w.zero_();
  }
  BOOST_TEST(equal(w, constant * 0));
  // The square's derivative needs what was overwritten.
  BOOST_TEST(error_of([&] { sum(square).backward(); }).find("overwritten") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(updates_that_are_recorded_make_new_values) {
  Variable w = leaf();
  const char* const refused =
      "+=: a leaf that requires a gradient can be changed only while nothing is "
      "recorded; put the update into the scope of a NoGrad";
  BOOST_TEST(error_of([&] { w += 1; }) == refused);
  BOOST_TEST(error_of([&] { w += w; }) == refused);
  BOOST_TEST(sum(w.value()).item() == 10);
  Variable total = tensor(0.0);
  const Variable begin = total;
  for (int i = 0; i < 3; ++i) total += sum(w * w);
  total *= 2;
  BOOST_TEST(total.item() == 180);
  BOOST_TEST(begin.item() == 0);
  total.backward();
  BOOST_TEST(same(w.grad().value(), w.value() * 12));
  // Constants are changed in place, and so are all that share the elements.
  Variable running = tensor({1.0, 2.0});
  const Variable seen = running;
  running += tensor({1.0, 1.0});
  BOOST_TEST(same(seen.value(), tensor({2.0, 3.0})));
  BOOST_TEST(error_of([&] {
               running += zeros({2, 2});
             }) == "+=: the shape must stay (2), got (2, 2)");
}

// Where it is recorded, an update makes a new value: of a temporary it would be lost.
BOOST_AUTO_TEST_CASE(updates_of_temporaries_are_in_place) {
  const std::string lost =
      ": what is updated is a temporary, such as x[i], and the new value, which requires "
      "a gradient, would be lost with it";
  const Variable w(tensor({1.0, 2.0}), true), y = w * 2, c = zeros({2});
  BOOST_TEST(error_of([&] { w[0] += 1; }) == "+=" + lost);
  BOOST_TEST(error_of([&] { y[0] -= 1; }) == "-=" + lost);
  BOOST_TEST(error_of([&] { c[0] *= w[0]; }) == "*=" + lost);
  c[1] += 3;
  c[1] /= c[1] * 2;
  BOOST_TEST(equal(c, tensor({0.0, 0.5})));
  NoGrad no_grad;
  w[0] += y[1];
  BOOST_TEST(equal(w, tensor({5.0, 2.0})));
}

// In Python x[mask] += 1 writes to x; here it would change a copy and nothing else.
BOOST_AUTO_TEST_CASE(updates_of_copies_are_refused) {
  const std::string lost =
      ": what is updated is a copy that nothing else holds, such as x[mask] or x[index], "
      "so the result would be lost; index_put_() and masked_fill_() write to picked "
      "elements";
  Tensor x = arange(6.0);
  const Tensor index = tensor({0, 1});
  BOOST_TEST(error_of([&] { x[x > 3] += 10.0; }) == "+=" + lost);
  BOOST_TEST(error_of([&] { x[index] -= ones({2}); }) == "-=" + lost);
  BOOST_TEST(error_of([&] { x.index_select(0, index) *= 5; }) == "*=" + lost);
  BOOST_TEST(error_of([&] { x.to(float64) /= 2; }) == "/=" + lost);
  BOOST_TEST(equal(x, arange(6.0)));
  slice(x, 0, 1, 3) += 10.0;
  x[index[1].item<std::int64_t>()] *= 2;
  Variable(x).data()[5] -= ones({});
  BOOST_TEST(equal(x, tensor({0.0, 22.0, 12.0, 3.0, 4.0, 4.0})));
  const Variable w(ones({3}), true);
  NoGrad no_grad;
  BOOST_TEST(error_of([&] { w[index] -= 0.5; }) == "-=" + lost);
  BOOST_TEST(error_of([&] { w[w > 0] *= w[w > 0]; }) == "*=" + lost);
  w[2] /= 4;
  BOOST_TEST(equal(w, tensor({1.0, 1.0, 0.25})));
}

BOOST_AUTO_TEST_CASE(updates_keep_the_shape) {
  Variable x(ones({3}), true);
  x = x * 1;
  BOOST_TEST(error_of([&] {
               x += ones({2, 3});
             }) == "+=: the shape must stay (3), got (2, 3)");
  NoGrad no_grad;
  BOOST_TEST(error_of([&] {
               x *= ones({2, 3});
             }) == "*=: the shape must stay (3), got (2, 3)");
}

BOOST_AUTO_TEST_CASE(data_is_changed_though_ops_are_recorded) {
  Variable w(ones({2}), true);
  sum(w * 3).backward();
  w.data() -= 0.5 * w.grad().value();
  BOOST_TEST(equal(w.value(), full({2}, -0.5)));
  w.data().fill_(2);
  BOOST_TEST(equal(w.value(), full({2}, 2.0)));
}

BOOST_AUTO_TEST_SUITE_END()

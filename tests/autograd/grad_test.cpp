// grad(): derivatives by values that are asked for, inner ones among them.

#include <cmath>
#include <vector>

#include <boost/test/unit_test.hpp>

#include <heed.h>

#include "tests/autograd/checks.h"
#include "tests/errors.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(gradients_by_values)

BOOST_AUTO_TEST_CASE(grad_of_inner_values_and_of_what_takes_no_part) {
  const Variable x = leaf(3), idle(full({2}, 1.0, float64), true);
  const Variable y = square(x);
  const Variable z = y * 5;
  const auto gradients = grad(z, {y, x, idle, y});
  BOOST_TEST(gradients[0].item() == 5);
  BOOST_TEST(gradients[1].item() == 30);
  BOOST_TEST((gradients[2].shape() == Shape{2}));
  BOOST_TEST(gradients[2].value().at({1}) == 0);
  BOOST_TEST(gradients[3].item() == 5);
  BOOST_CHECK_EXCEPTION(grad(square(x), {Variable(full({}, 1.0))}), Error,
                        says("grad: input 0 does not require a gradient"));
}

BOOST_AUTO_TEST_CASE(grad_takes_the_gradient_of_the_output) {
  const Variable x(tensor({1.0, 2.0}, float64), true);
  const Variable first =
      grad(x * x * x, {x}, tensor({1.0, 10.0}, float64), {.create_graph = true})[0];
  BOOST_TEST(all(first.value() == tensor({3.0, 120.0}, float64)).item());
  const Variable second = grad(first, {x}, ones_like(first))[0];
  BOOST_TEST(all(second.value() == tensor({6.0, 120.0}, float64)).item());
}

BOOST_AUTO_TEST_CASE(one_element_is_a_condition) {
  const Variable loss = leaf(0.5);
  BOOST_TEST(bool(loss < 1));
  BOOST_TEST(!bool(loss > 1));
  BOOST_TEST(bool(tensor(-2)));
  BOOST_TEST(!bool(tensor({0.0})));
  BOOST_TEST(bool(tensor(NAN)));  // as in Python
  BOOST_TEST(
      error_of([] { (void)bool(ones({2}) > 0); }) ==
      "a condition needs a tensor of one element, got the shape (2); any() or all() "
      "of it is one, and & and | combine tensors element by element");
}

BOOST_AUTO_TEST_CASE(draws_in_place_are_refused_while_they_would_be_recorded) {
  Variable w(zeros({100}), true);
  BOOST_TEST(
      error_of([&] { w.uniform_(); }) ==
      "uniform_: a value that requires a gradient can be changed only while nothing "
      "is recorded; put the change into the scope of a NoGrad");
  BOOST_TEST(
      error_of([&] { w.normal_(); }).starts_with("normal_: a value that requires"));
  const NoGrad no_grad;
  manual_seed(3);
  w.uniform_(2, 4);
  manual_seed(3);
  BOOST_TEST(equal(w.value(), empty({100}).uniform_(2, 4)));
  manual_seed(3);
  w.normal_(5, 0.1);
  manual_seed(3);
  BOOST_TEST(equal(w.value(), empty({100}).normal_(5, 0.1)));
}

BOOST_AUTO_TEST_CASE(grad_needs_outputs_and_inputs) {
  const Variable x = leaf(3);
  BOOST_CHECK_EXCEPTION(grad(square(x), std::vector<Variable>{}), Error,
                        says("grad: there must be outputs and inputs, got 1 and 0"));
  BOOST_TEST(!x.has_grad());
}

BOOST_AUTO_TEST_CASE(grad_leaves_nothing_in_a_value_that_takes_no_part) {
  const Variable x = leaf(3), other = leaf(5);
  const Variable apart = square(other);
  BOOST_TEST(grad(square(x), {apart})[0].item() == 0);
  apart.backward();
  BOOST_TEST(other.grad().item() == 10);
}

BOOST_AUTO_TEST_CASE(what_grad_does_not_need_may_be_overwritten) {
  const Variable x = leaf(3), other = leaf(5);
  const Variable y = square(x) + square(other);
  Tensor(other.value()).fill_(7);
  BOOST_TEST(grad(y, {x}, {.retain_graph = true})[0].item() == 6);
  BOOST_CHECK_THROW(grad(y, {other}), Error);
}

// What lies behind a value takes no part in the derivative by it.
BOOST_AUTO_TEST_CASE(the_graph_behind_an_inner_value_may_be_freed) {
  const Variable x = leaf(3), h = square(x), y = h * h;
  h.backward();
  BOOST_TEST(grad(y, {h})[0].item() == 18);
}

BOOST_AUTO_TEST_CASE(the_graph_behind_an_inner_value_is_not_freed) {
  const Variable x = leaf(3), h = square(x);
  grad(h * h, {h});
  h.backward();
  BOOST_TEST(x.grad().item() == 6);
}

BOOST_AUTO_TEST_CASE(what_an_inner_value_was_made_of_may_be_overwritten) {
  const Variable x = leaf(3), h = square(x), y = h * 5;
  Tensor(x.value()).fill_(7);
  BOOST_TEST(grad(y, {h}, {.retain_graph = true})[0].item() == 5);
  BOOST_CHECK_THROW(grad(y, {x}), Error);
}

BOOST_AUTO_TEST_CASE(the_graph_of_an_output_that_takes_no_part_is_not_freed) {
  const Variable x = leaf(3), other = leaf(5);
  const Variable apart = square(other);
  const std::vector<Variable> outputs = {square(x), apart}, inputs = {x};
  BOOST_TEST(grad(outputs, inputs)[0].item() == 6);
  apart.backward();
  BOOST_TEST(other.grad().item() == 10);
}

BOOST_AUTO_TEST_CASE(the_rule_of_an_inner_value_is_not_run) {
  const Variable x(randn({200, 300}), true);
  const Variable h = nn::layer_norm(x, {300});
  const Variable y = sum(h);
  memory::reset_peak();
  const std::int64_t before = memory::bytes_live();
  grad(y, {h});
  // The gradient, and a copy of what sum() expands, but none for x.
  BOOST_TEST(memory::bytes_peak() - before < 3 * 200 * 300 * 4 / 2);
}

// As in PyTorch: create_graph decides whether the pass is recorded, NoGrad or not.
BOOST_AUTO_TEST_CASE(a_graph_is_created_where_nothing_else_is_recorded) {
  const Variable x = leaf(3), y = pow(x, 3);
  const NoGrad no_grad;
  const Variable first = grad(y, {x}, {.create_graph = true})[0];
  BOOST_TEST(first.requires_grad());
  BOOST_TEST(grad(first, {x})[0].item() == 18);
  BOOST_TEST(!square(x).requires_grad());
}

BOOST_AUTO_TEST_CASE(a_gradient_of_another_kind_is_refused_and_nothing_is_added) {
  const Variable x(ones({2}), true), y(ones({2}), true);
  sum(x + y).backward();
  const auto wrong = [&](const Tensor& gradient) {
    return record({"wrong", "dx = a tensor"}, x.value() * 1,
                  rule(x, [=](const Variable&) { return Variable(gradient); }));
  };
  BOOST_CHECK_EXCEPTION(
      sum(wrong(ones({2}, float64)) + y).backward(), Error,
      says("backward: the rule of wrong must give float32 for its input 0, of the "
           "shape (2) or one that it broadcasts to, got float64 (2)"));
  BOOST_CHECK_EXCEPTION(
      sum(wrong(ones({2, 3})) + y).backward(), Error,
      says("backward: the rule of wrong must give float32 for its input 0, of the "
           "shape (2) or one that it broadcasts to, got float32 (2, 3)"));
  BOOST_TEST(all(x.grad().value() == 1).item());
  BOOST_TEST(all(y.grad().value() == 1).item());
}

BOOST_AUTO_TEST_CASE(a_small_gradient_does_not_keep_a_large_one) {
  const Variable small(zeros({1}), true);
  const std::int64_t before = memory::bytes_live();
  sum(cat({Variable(zeros({100'000})), small}) * 2).backward();
  BOOST_TEST(small.grad().item() == 2);
  BOOST_TEST(memory::bytes_live() - before < 1000);
}

BOOST_AUTO_TEST_SUITE_END()

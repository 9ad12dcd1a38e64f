// How gradients add up: on the way, where several reach one value, and in the leaves.

#include <cmath>
#include <vector>

#include <boost/test/unit_test.hpp>

#include <heed.h>

#include "tests/autograd/checks.h"
#include "tests/autograd/op_table.h"
#include "tests/compare.h"
#include "tests/errors.h"

using namespace heed;
using namespace heed::tests;

namespace {

using List = std::vector<double>;

List numbers(const Variable& x) { return x.value().to(float64).to_vector<double>(); }

Variable leaf_of(const List& values) { return Variable(from_vector(values), true); }

}  // namespace

BOOST_AUTO_TEST_SUITE(accumulation)

// The rule of + hands one tensor to both inputs; what arrives at one of them later must
// not be added to the other.
BOOST_AUTO_TEST_CASE(a_gradient_that_two_inputs_share_is_not_added_to) {
  const auto check = [](auto f) {
    const Variable a = leaf(2), b = leaf(3), c = leaf(5);
    f(a, b, c).backward();
    BOOST_TEST(a.grad().item() == 3);
    BOOST_TEST(b.grad().item() == 1);
    BOOST_TEST(c.grad().item() == 1);
  };
  check([](auto& a, auto& b, auto& c) { return (a + b) + c + a * 2; });
  check([](auto& a, auto& b, auto& c) { return a * 2 + ((a + b) + c); });
  check([](auto& a, auto& b, auto& c) { return (b + a) + (c + a * 2); });
  check([](auto& a, auto& b, auto& c) { return (c + (b + a)) + a + a; });
  check([](auto& a, auto& b, auto& c) { return sum(stack({a, b, a, c, a})); });
}

// sum() gives a gradient whose elements are one element, read again and again.
BOOST_AUTO_TEST_CASE(an_expanded_gradient_is_not_added_to) {
  const List expected = {3, 5, 7};
  const auto check = [&](auto f) {
    const Variable x = leaf_of({1, 2, 3});
    f(x).backward();
    BOOST_TEST(numbers(x.grad()) == expected);
    // Nor in the leaf, whose gradient is a tensor of its own.
    f(x).backward();
    BOOST_TEST(numbers(x.grad()) == (List{6, 10, 14}));
  };
  check([](auto& x) { return sum(x) + sum(square(x)); });
  check([](auto& x) { return sum(square(x)) + sum(x); });
  check([](auto& x) { return 3 * mean(x) + sum(x * x); });
  check([](auto& x) { return sum(expand(x, {2, 3})) / 2 + sum(square(x)); });
  const Variable y = leaf_of({1, 2, 3});
  (sum(y) * 2).backward();
  Tensor(y.grad().value()).set({0}, 10);
  BOOST_TEST(numbers(y.grad()) == (List{10, 2, 2}));
  sum(square(y)).backward();
  BOOST_TEST(numbers(y.grad()) == (List{12, 6, 8}));
}

// For every op: a leaf that stands for two inputs gets the sum of the gradients that two
// leaves would get.
BOOST_AUTO_TEST_CASE(a_leaf_may_be_several_inputs_of_one_op) {
  int pairs = 0;
  const auto gradients = [](const Sample& sample, const std::vector<Variable>& in) {
    const Variable y = sample.f(in);
    Generator generator(3);
    y.backward(rand(y.shape(), y.dtype(), generator) + 0.5);
  };
  for (const OpRow& row : op_table()) {
    if (!row.differentiable) continue;
    for (const Sample& sample : row.samples) {
      for (std::size_t i = 0; i + 1 < sample.inputs.size(); ++i) {
        const std::size_t j = i + 1;
        const Tensor& value = sample.inputs[j];
        if (sample.inputs[i].shape() != value.shape() || !is_floating(value.dtype()) ||
            sample.inputs[i].dtype() != value.dtype()) {
          continue;
        }
        std::vector<Variable> once(sample.inputs.begin(), sample.inputs.end());
        std::vector<Variable> twice = once;
        once[i] = Variable(value, true);
        once[j] = Variable(value, true);
        twice[i] = twice[j] = Variable(value, true);
        gradients(sample, once);
        gradients(sample, twice);
        Bits expected, got;
        append_bits(expected, once[i].grad().value() + once[j].grad().value());
        append_bits(got, twice[i].grad().value());
        BOOST_TEST(got == expected, row.name << ", inputs " << i << " and " << j);
        ++pairs;
      }
    }
  }
  BOOST_TEST(pairs > 20);
}

BOOST_AUTO_TEST_CASE(a_retained_gradient_is_its_own) {
  const Variable x = leaf_of({1, 2});
  Variable y = x + 1;  // whose rules hand their gradient on
  Variable z = y - 1;
  y.retain_grad();
  z.retain_grad();
  const Variable loss = sum(z * 3 + y);
  for (const double times : {1, 2, 3}) {
    loss.backward({.retain_graph = true});
    BOOST_TEST(numbers(z.grad()) == (List{3 * times, 3 * times}));
    BOOST_TEST(numbers(y.grad()) == (List{4 * times, 4 * times}));
    BOOST_TEST(numbers(x.grad()) == (List{4 * times, 4 * times}));
  }
  Tensor(y.grad().value()).fill_(100);
  BOOST_TEST(numbers(x.grad()) == (List{12, 12}));
  Tensor(x.grad().value()).fill_(100);
  BOOST_TEST(numbers(z.grad()) == (List{9, 9}));
  y.zero_grad();
  loss.backward();
  BOOST_TEST(numbers(y.grad()) == (List{4, 4}));
  BOOST_TEST(numbers(x.grad()) == (List{104, 104}));
}

BOOST_AUTO_TEST_CASE(a_gradient_that_a_user_holds_stays_as_it_is) {
  const Variable x = leaf_of({1, 2});
  sum(square(x)).backward();
  const Variable first = x.grad();
  sum(square(x)).backward();
  BOOST_TEST(numbers(first) == (List{2, 4}));
  BOOST_TEST(numbers(x.grad()) == (List{4, 8}));
}

// --- gradients with a history

BOOST_AUTO_TEST_CASE(recorded_gradients_add_up_with_their_histories) {
  const Variable x = leaf(2);
  pow(x, 3).backward({.create_graph = true});
  pow(x, 2).backward({.create_graph = true});
  BOOST_TEST(x.grad().item() == 16);                // 3 x² + 2 x
  BOOST_TEST(grad(x.grad(), {x})[0].item() == 14);  // 6 x + 2
  // What was there before, if it has no history, is a constant in the sum.
  const Variable y = leaf(2);
  pow(y, 2).backward();
  pow(y, 3).backward({.create_graph = true});
  BOOST_TEST(y.grad().item() == 16);
  BOOST_TEST(grad(y.grad(), {y})[0].item() == 12);
}

// After a pass that is not recorded the sum has no history, whatever was there before:
// its new part cannot be differentiated, so differentiating the sum is an Error.
BOOST_AUTO_TEST_CASE(an_unrecorded_gradient_ends_the_history) {
  const Variable x = leaf(2);
  pow(x, 3).backward({.create_graph = true});
  BOOST_TEST(x.grad().requires_grad());
  pow(x, 2).backward();
  BOOST_TEST(x.grad().item() == 16);
  BOOST_TEST(!x.grad().requires_grad());
  BOOST_TEST(error_of([&] { grad(x.grad(), {x}); }) ==
             "backward: the value has no graph: no Variable with requires_grad took "
             "part, NoGrad was in force, or it is a gradient made without "
             "{.create_graph = true}");
  // A gradient that was taken out before keeps its history.
  const Variable y = leaf(2);
  pow(y, 3).backward({.create_graph = true});
  const Variable first = y.grad();
  pow(y, 2).backward();
  BOOST_TEST(first.item() == 12);
  BOOST_TEST(grad(first, {y})[0].item() == 12);
}

// A slice's gradient is added to that part of what has arrived, if this is nobody else's.
BOOST_AUTO_TEST_CASE(slices_add_up_in_any_order) {
  const List expected = {1, 3, 6, 5, 4};
  const auto check = [&](auto f) {
    const Variable x = leaf_of({1, 2, 3, 4, 5});
    f(x).backward();
    BOOST_TEST(numbers(x.grad()) == expected);
  };
  const auto part = [](auto& x, Integer begin, Integer end) {
    return sum(slice(x, 0, begin, end));
  };
  check([&](auto& x) {
    return part(x, 0, 3) + 2 * part(x, 1, 4) + 3 * sum(slice(x, 0, 2, 5, 2)) +
           3 * select(x, 0, -2) + select(x, 0, 4);
  });
  check([&](auto& x) {
    return select(x, 0, 4) + 3 * select(x, 0, -2) + 3 * sum(slice(x, 0, -3, 5, 2)) +
           2 * part(x, 1, 4) + part(x, 0, 3);
  });
  // Beside the whole, whose gradient is first another's as well, then an expanded one.
  check([&](auto& x) {
    const Variable y = x + leaf_of({0, 0, 0, 0, 0});
    return sum(y) + 2 * part(x, 1, 5) + 2 * select(x, 0, 2) + select(x, 0, -3) +
           2 * select(x, 0, 3) + select(x, 0, 4);
  });
  check([&](auto& x) {
    return 2 * part(x, 1, 5) + select(x, 0, 2) * 3 + 2 * part(x, 3, 4) + sum(x) +
           part(x, 4, 5);
  });
}

// Neighbours are written to memory that is not set yet; what they leave out becomes 0.
BOOST_AUTO_TEST_CASE(slices_side_by_side_and_apart) {
  struct Part {
    Dim dim;
    std::int64_t begin, end, step = 1;
  };
  const std::vector<std::vector<Part>> lists = {
      {{1, 2, 3}},
      {{1, 0, 2}, {1, 2, 4}, {1, 4, 6}},
      {{1, 4, 6}, {1, 2, 4}, {1, 0, 2}},
      {{-2, 1, 2}, {0, 2, 3}, {-2, 3, 4}},
      {{0, 0, 2}, {0, 3, 4}},
      {{0, 3, 4}, {0, 0, 2}},
      {{1, 1, 4}, {1, 2, 5}},
      {{1, 1, 3}, {1, 1, 3}},
      {{0, 1, 3}, {1, 1, 3}},
      {{1, 2, 2}, {1, 2, 5}, {1, 0, 2}},
      {{0, 0, 2}, {1, 2, 4}},  // the numbers meet, the slices do not
      {{1, 2, 4}, {0, 0, 2}},
      {{1, 0, 4}, {1, 2, 6, 2}},
      {{1, 2, 6, 2}, {1, 0, 4}},
  };
  for (const std::vector<Part>& parts : lists) {
    for (const bool with_whole : {false, true}) {
      const Variable x(zeros({4, 6}), true);
      Tensor expected = full({4, 6}, with_whole ? 1. : 0.);
      Variable y = with_whole ? sum(x) : Variable(zeros({}));
      for (const auto& [dim, begin, end, step] : parts) {
        const Tensor weights = randn(slice(expected, dim, begin, end, step).shape());
        y = y + sum(slice(x, dim, begin, end, step) * weights);
        slice(expected, dim, begin, end, step) += weights;
      }
      (void)full({4, 6}, std::nan(""));  // what the memory holds that comes next
      const Tensor g = grad(y, {x})[0].value();
      BOOST_TEST(allclose(g, expected, 1e-6, 1e-6));
    }
  }
}

// The rule of + hands one tensor to both inputs.
BOOST_AUTO_TEST_CASE(a_slice_is_not_added_to_what_two_share) {
  const Variable x = leaf_of({1, 2, 3}), c = leaf_of({4, 5, 6});
  const Variable part = sum(slice(x, 0, 1, 2));
  (part + sum((x + c) * leaf_of({7, 8, 9}))).backward();
  BOOST_TEST(numbers(x.grad()) == (List{7, 9, 9}));
  BOOST_TEST(numbers(c.grad()) == (List{7, 8, 9}));
}

// The gradient of one value, asked for twice.
BOOST_AUTO_TEST_CASE(a_slice_is_captured_twice) {
  const Variable x = leaf_of({1, 2, 3});
  const std::vector<Variable> both = grad(sum(slice(x, 0, 1, 2)), {x, x});
  for (const Variable& g : both) BOOST_TEST(numbers(g) == (List{0, 1, 0}));
}

BOOST_AUTO_TEST_CASE(a_seed_with_a_history_is_not_added_to) {
  const Variable x = leaf(3), w = leaf(2);
  const Variable seed = square(w);
  const Variable y = x + x;
  y.backward(seed, {.retain_graph = true});
  y.backward(seed);
  BOOST_TEST(seed.item() == 4);
  BOOST_TEST(x.grad().item() == 16);
  BOOST_TEST(!x.grad().requires_grad());
  const Variable slope =
      grad(x * w, {x}, {.grad_outputs = {seed}, .create_graph = true})[0];
  BOOST_TEST(grad(slope, {w})[0].item() == 12);  // w³
}

// The history of x's gradient holds y's gradient, too, and is freed when x gets its sum.
// Whether y's sum can be made in place must be decided before: afterwards y's gradient
// seems to have no other owner. A thread that frees a gradient has the same effect.
BOOST_AUTO_TEST_CASE(a_gradient_may_hold_another) {
  const Variable x = leaf(1), y = leaf(1), w = leaf(2);
  (y * 3).backward();
  x.backward(w * y.grad(), {.create_graph = true});  // x's gradient keeps y's
  BOOST_TEST(x.grad().item() == 6);
  (y + x).backward();
  BOOST_TEST(x.grad().item() == 7);
  BOOST_TEST(y.grad().item() == 4);
}

BOOST_AUTO_TEST_SUITE_END()

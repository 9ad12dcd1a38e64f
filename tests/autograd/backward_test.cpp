// The backward pass: what it computes, what it keeps, what it refuses.

#include <cmath>
#include <fstream>
#include <string>
#include <thread>

#include <boost/test/unit_test.hpp>

#include <heed.h>

#include "tests/autograd/checks.h"
#include "tests/errors.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(backward)

BOOST_AUTO_TEST_CASE(micrograd_s_example) {
  // README of karpathy/micrograd: dg/da is 138.8338, dg/db 645.5773.
  const Variable a = leaf(-4), b = leaf(2);
  Variable c = a + b;
  Variable d = a * b + pow(b, 3);
  c = c + c + 1;
  c = c + 1 + c + (-a);
  d = d + d * 2 + relu(b + a);
  d = d + 3 * d + relu(b - a);
  const Variable e = c - d;
  const Variable f = pow(e, 2);
  Variable g = f / 2;
  g = g + 10 / f;
  g.backward();
  BOOST_TEST(g.item() == 24.7041, boost::test_tools::tolerance(1e-5));
  BOOST_TEST(a.grad().item() == 138.8338, boost::test_tools::tolerance(1e-5));
  BOOST_TEST(b.grad().item() == 645.5773, boost::test_tools::tolerance(1e-5));
}

BOOST_AUTO_TEST_CASE(gradients_add_up_until_they_are_forgotten) {
  Variable x = leaf(3);
  square(x).backward();
  square(x).backward();
  BOOST_TEST(x.grad().item() == 12);
  x.zero_grad();
  BOOST_TEST(!x.has_grad());
  square(x).backward();
  BOOST_TEST(x.grad().item() == 6);
}

BOOST_AUTO_TEST_CASE(a_gradient_is_a_tensor_of_its_own) {
  const Variable a = leaf(1), b = leaf(2);
  (a + b).backward();  // the rule hands one tensor to both
  Tensor of_a = a.grad().value();
  of_a.fill_(100);
  BOOST_TEST(b.grad().item() == 1);
  (a + b).backward();
  BOOST_TEST(b.grad().item() == 2);

  const Tensor seed = full({}, 5.0, float64);
  const Variable c = leaf(1);
  c.backward(seed);
  c.backward(seed);
  BOOST_TEST(seed.item() == 5);
  BOOST_TEST(c.grad().item() == 10);
}

BOOST_AUTO_TEST_CASE(copies_share_value_and_gradient) {
  const Variable x = leaf(3);
  const Variable copy = x;
  square(copy).backward();
  BOOST_TEST(x.grad().item() == 6);
}

BOOST_AUTO_TEST_CASE(detach_and_no_grad_stop_gradients) {
  const Variable x = leaf(3);
  (x * x.detach()).backward();
  BOOST_TEST(x.grad().item() == 3);
  {
    const NoGrad no_grad;
    BOOST_TEST(!grad_enabled());
    BOOST_TEST(!square(x).requires_grad());
    { const NoGrad nested; }
    BOOST_TEST(!grad_enabled());
  }
  BOOST_TEST(grad_enabled());
}

BOOST_AUTO_TEST_CASE(retain_grad_shows_the_gradient_of_a_result) {
  const Variable x = leaf(3);
  Variable y = square(x);
  Variable same = y;
  y.retain_grad();
  same.retain_grad();
  (y * 5).backward();
  BOOST_TEST(y.grad().item() == 5);
  BOOST_TEST(same.grad().item() == 5);
  BOOST_TEST(x.grad().item() == 30);
  BOOST_CHECK_EXCEPTION(square(x).grad(), Error,
                        says("grad: there is no gradient here; a leaf with requires_grad "
                             "gets one from backward(), another value if retain_grad() "
                             "was called before it"));
  Variable constant(full({}, 1.0));
  BOOST_CHECK_EXCEPTION(constant.retain_grad(), Error,
                        says("retain_grad: this value does not require a gradient"));
}

BOOST_AUTO_TEST_CASE(a_result_that_is_no_scalar_needs_a_gradient) {
  const Variable x(full({3}, 2.0), true);
  BOOST_CHECK_EXCEPTION(square(x).backward(), Error,
                        says("backward: the value must have one element, got the shape "
                             "(3); sum() it, or pass a gradient of that shape"));
  square(x).backward(full({3}, 1.0));
  BOOST_TEST(x.grad().value().at({2}) == 4);
  BOOST_CHECK_EXCEPTION(square(x).backward(full({2}, 1.0)), Error,
                        says("backward: the gradient must be like the value, got float32 "
                             "(2) for float32 (3)"));
}

BOOST_AUTO_TEST_CASE(there_must_be_something_to_differentiate) {
  const Variable constant(full({}, 2.0));
  BOOST_CHECK_EXCEPTION(
      square(constant).backward(), Error,
      says("backward: the value has no graph: no Variable with requires_grad took part, "
           "NoGrad was in force, or it is a gradient made without "
           "{.create_graph = true}"));
  BOOST_CHECK_EXCEPTION(Variable(full({}, 2.0, int64), true), Error,
                        says("Variable: only float32 and float64 have gradients, got "
                             "int64"));
}

BOOST_AUTO_TEST_CASE(a_freed_graph_is_refused_and_a_kept_one_is_not) {
  const Variable x = leaf(3);
  const Variable y = square(x);
  y.backward({.retain_graph = true});
  y.backward();
  BOOST_TEST(x.grad().item() == 12);
  BOOST_CHECK_EXCEPTION(
      y.backward(), Error,
      says("backward: the graph behind square was freed by an earlier backward() or "
           "grad(); pass {.retain_graph = true} to the earlier one, or, where losses "
           "share a part, call backward() once, on their sum; detach() what is carried "
           "over from an earlier step"));
  // Also where only a part is shared.
  const Variable shared = exp(x);
  (shared * 2).backward();
  BOOST_CHECK_THROW((shared * 3).backward(), Error);
}

BOOST_AUTO_TEST_CASE(an_overwritten_tensor_is_refused) {
  const Variable x(full({2, 3}, 2.0), true);
  const Variable y = sum(square(x));
  Tensor value = x.value();
  value.fill_(1);
  BOOST_CHECK_EXCEPTION(
      y.backward(), Error,
      says("backward: a tensor of shape (2, 3) that square needs for its derivative was "
           "overwritten after square ran; write to a clone() of it, or after the "
           "backward; often the cause is a step() of an optimiser between two "
           "backwards"));
  // Through a view as well, and for a result.
  const Variable z = exp(x);
  Tensor row = select(z.value(), 0, 1);
  row.fill_(0);
  BOOST_CHECK_THROW(sum(z).backward(), Error);
  // What no rule needs may change.
  const Variable free = sum(x + 1);
  value.fill_(5);
  free.backward();
  BOOST_TEST(x.grad().value().at({0, 0}) == 1);
}

BOOST_AUTO_TEST_CASE(an_error_leaves_the_graph_usable) {
  const Variable x = leaf(2);
  const Variable kept = square(x);
  const Variable y = kept * x + x;
  Tensor seen = kept.value();
  const double before = seen.item();
  seen.fill_(9);
  BOOST_CHECK_THROW(y.backward(), Error);
  seen.fill_(before);
  x.backward();  // nothing of the failed pass is left in the leaf
  BOOST_TEST(x.grad().item() == 1);
}

BOOST_AUTO_TEST_CASE(gradients_have_gradients) {
  const Variable x = leaf(2);
  const Variable first = grad(pow(x, 4), {x}, {.create_graph = true})[0];
  const Variable second = grad(first, {x}, {.create_graph = true})[0];
  const Variable third = grad(second, {x})[0];
  BOOST_TEST(first.item() == 32);
  BOOST_TEST(second.item() == 48);
  BOOST_TEST(third.item() == 48);
  BOOST_TEST(!x.has_grad());

  pow(x, 3).backward({.create_graph = true});
  x.grad().backward();  // adds 6x to 3x²
  BOOST_TEST(x.grad().item() == 24);
}

BOOST_AUTO_TEST_CASE(gradients_share_nothing_also_with_a_graph) {
  const Variable a = leaf(1), b = leaf(1), w = leaf(2);
  ((a + b) * w).backward({.create_graph = true});
  Tensor of_a = a.grad().value();
  of_a.fill_(0);
  BOOST_TEST(b.grad().item() == 2);

  const Variable x = leaf(1), seed = leaf(5);
  (x + 0).backward(seed);
  BOOST_TEST(!x.grad().requires_grad());
  Tensor of_x = x.grad().value();
  of_x.fill_(0);
  BOOST_TEST(seed.item() == 5);
}

BOOST_AUTO_TEST_CASE(a_refused_backward_frees_nothing) {
  const Variable x = leaf(2);
  const Variable inner = exp(x);
  const Variable y = sum(inner * 3);
  Tensor value = inner.value();
  value.fill_(1);
  const auto overwritten = [](const Error& error) {
    return std::string(error.what()).find("was overwritten") != std::string::npos;
  };
  BOOST_CHECK_EXCEPTION(y.backward(), Error, overwritten);
  BOOST_CHECK_EXCEPTION(y.backward(), Error, overwritten);  // not "was freed"
  BOOST_TEST(!x.has_grad());
}

BOOST_AUTO_TEST_CASE(gradients_at_nan_and_infinity_are_pytorch_s) {
  const double nan = std::nan("");
  const auto gradient = [](const Tensor& values, const Function& f) {
    const Variable x(values, true);
    sum(f({x})).backward();
    return x.grad().value().to_vector<double>();
  };
  using List = std::vector<double>;
  BOOST_TEST(gradient(tensor({nan, 1.0, 5.0}, float64), [](auto& in) {
               return clamp(in[0], 0.0, 2.0);
             }) == (List{0, 1, 0}));
  BOOST_TEST(gradient(tensor({1.0, nan, nan}, float64),
                      [](auto& in) { return max(in[0]); }) == (List{0, 0.5, 0.5}));
  const Variable x(tensor({2.0}, float64), true);
  pow(x, 0).backward(tensor({1 / 0.0}, float64));
  BOOST_TEST(x.grad().item() == 0);
}

// --- size and memory

// y², with a rule that calls grad() for a graph that shares nodes with the outer one.
Variable walking_square(const Variable& y) {
  const Variable z = square(y);
  return record({"walking_square", "dy = 2 g y"}, z.value(), rule(y, [=](auto& g) {
                  return grad(z, {y}, {.grad_outputs = {g}, .retain_graph = true})[0];
                }));
}

BOOST_AUTO_TEST_CASE(a_rule_may_walk_back_itself) {
  const Variable x = leaf(3);
  const Variable h = exp(x * 0.1);
  const std::vector<Variable> expected =
      grad(sin(h) * x + square(h), {x, h}, {.retain_graph = true});
  const Variable y = sin(h) * x + walking_square(walking_square(h) / h);
  const std::vector<Variable> got = grad(y, {x, h}, {.retain_graph = true});
  for (int i : {0, 1}) {
    BOOST_TEST(got[i].item() == expected[i].item(), boost::test_tools::tolerance(1e-12));
  }
  y.backward();
  BOOST_TEST(x.grad().item() == expected[0].item(), boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(a_rule_that_frees_what_the_walk_needs_is_refused) {
  const Variable x = leaf(3);
  const Variable h = exp(x * 0.1), z = square(h);
  const Variable y =
      sin(h) * x + record({"greedy", "dh = g"}, z.value(), rule(h, [=](auto& g) {
                            grad(z, {x});  // frees exp()
                            return g;
                          }));
  BOOST_CHECK_EXCEPTION(y.backward(), Error, [](const Error& error) {
    return std::string(error.what()).starts_with("backward: the graph behind ");
  });
  BOOST_TEST(!x.has_grad());
}

// Whether it comes first or is added to what another slice gave.
BOOST_AUTO_TEST_CASE(the_gradient_of_a_slice_must_fit) {
  const auto message = [](const Tensor& g, bool first) {
    const Variable x(ones({4, 3}), true), h = x * 2;
    const auto strange = [&] {
      return sum(record({"strange", "dh = g"}, ones({2, 3}), rule(h, [g](auto&) {
                          return SliceGradient{Variable(g), 0, 1, 1};
                        })));
    };
    const auto plain = [&] { return sum(slice(h, 0, 0, 3)); };
    // The newer of two ops gives its gradient first.
    const Variable older = first ? plain() : strange();
    const Variable newer = first ? strange() : plain();
    return error_of([&] { (older + newer).backward(); });
  };
  const std::string start = "backward: the rule of strange must give";
  for (bool first : {true, false}) {
    BOOST_TEST(message(ones({2, 3}), first) == "no error");
    for (const Tensor& g : {ones({2, 1}), ones({3}), ones({5, 3}), ones({2, 2})}) {
      BOOST_TEST(message(g, first) != "no error");
    }
    BOOST_TEST(message(ones({2, 3}, float64), first).starts_with(start));
  }
}

BOOST_AUTO_TEST_CASE(x_doubled_forty_times_costs_forty_rules) {
  const Variable x = leaf(1);
  Variable y = x;
  for (int i = 0; i < 40; ++i) y = y + y;
  y.backward();
  BOOST_TEST(x.grad().item() == std::pow(2.0, 40));
}

BOOST_AUTO_TEST_CASE(memory_after_a_step_is_what_it_was_before) {
  const Variable w(randn({64, 64}), true);
  const Tensor input = randn({8, 64});
  check_steady_memory([&] {
    Variable copy = w;
    sum(square(tanh(matmul(input, w)))).backward();
    copy.zero_grad();
  });
}

BOOST_AUTO_TEST_CASE(saved_tensors_are_freed_by_backward_while_the_result_lives) {
  const Variable x(randn({1000, 100}), true);
  const std::int64_t before = memory::bytes_live();
  Variable loss = sum(exp(square(x)));
  const std::int64_t recorded = memory::bytes_live();
  BOOST_TEST(recorded - before >= 400000);  // exp's result, which its rule needs
  loss.backward();
  Variable(x).zero_grad();
  BOOST_TEST(memory::bytes_live() - before < 10000);
}

BOOST_AUTO_TEST_CASE(what_no_rule_needs_is_not_saved) {
  const Variable x(randn({1000, 100}), true);
  const std::int64_t before = memory::bytes_live();
  const Variable loss = sum(x * 2 + 1 - 3);
  BOOST_TEST(memory::bytes_live() - before < 10000);
  // The rule for the constant would need x, which may be overwritten.
  const Variable y = sum(x * ones({1000, 100}));
  Tensor(x.value()).fill_(7);
  y.backward();
  BOOST_TEST(sum(x.grad()).item() == 100000);
}

BOOST_AUTO_TEST_CASE(a_gradient_with_a_graph_makes_no_cycle) {
  const std::int64_t before = memory::bytes_live();
  {
    const Variable x(randn({100, 100}), true);
    sum(pow(x, 3)).backward({.create_graph = true});
    BOOST_TEST(x.grad().requires_grad());
  }
  BOOST_TEST(memory::bytes_live() == before);
}

BOOST_AUTO_TEST_CASE(threads_may_work_on_graphs_of_their_own) {
  std::vector<double> results(4);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t, &results] {
      for (int i = 0; i < 200; ++i) {
        const Variable x = leaf(t + 1);
        Variable y = x;
        for (int k = 0; k < 20; ++k) y = y * x;
        y.backward();
        results[t] = x.grad().item();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int t = 0; t < 4; ++t) BOOST_TEST(results[t] == 21 * std::pow(t + 1.0, 20));
}

BOOST_AUTO_TEST_SUITE_END()

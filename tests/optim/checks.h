// What the tests of the optimisers share.
#pragma once

#include <heed.h>

#include "tests/autograd/checks.h"

namespace heed {

// One step that makes the sum of x³ smaller.
template <class Optimiser>
void step_on_cubes(Optimiser& optimiser, const Variable& x) {
  optimiser.zero_grad();
  sum(pow(x, 3)).backward();
  optimiser.step();
}

// Five such steps from (2, -1) lead to these numbers.
template <class Optimiser>
void check_five_steps(const typename Optimiser::Options& options, double first,
                      double second) {
  const Variable x(tensor({2.0, -1.0}, float64), true);
  Optimiser optimiser({x}, options);
  for (int i = 0; i < 5; ++i) step_on_cubes(optimiser, x);
  BOOST_TEST(x.value().at({0}) == first, boost::test_tools::tolerance(1e-13));
  BOOST_TEST(x.value().at({1}) == second, boost::test_tools::tolerance(1e-13));
}

// An optimiser that takes the state and options of another goes on as that one does.
// `check_state(optimiser, parameter)` looks at what it has taken.
template <class Optimiser, class F>
void check_that_a_state_goes_on(const typename Optimiser::Options& options,
                                F check_state) {
  const Variable x(tensor({2.0, -1.0}), true);
  Optimiser first({x}, options);
  step_on_cubes(first, x);
  const Variable y(x.value().clone(), true);
  Optimiser second({y});
  second.load_state_dict(first.state_dict());
  check_state(second, y);
  step_on_cubes(first, x);
  step_on_cubes(second, y);
  BOOST_TEST(equal(x.value(), y.value()));
}

// The memory in use after a step is what it was after the first.
template <class Optimiser>
void check_memory_of_steps(const typename Optimiser::Options& options) {
  const Variable w(randn({100, 100}), true);
  Optimiser optimiser({w}, options);
  check_steady_memory([&] {
    optimiser.zero_grad();
    sum(square(w)).backward();
    optimiser.step();
  });
}

}  // namespace heed

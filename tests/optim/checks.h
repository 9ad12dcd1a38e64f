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

// What the tests of backward and of the optimisers share.
#pragma once

#include <cstdint>

#include <boost/test/unit_test.hpp>

#include <heed.h>

namespace heed {

// A number that takes a gradient.
inline Variable leaf(double value) { return Variable(full({}, value, float64), true); }

// The first call of step() may take memory that stays, for caches; later ones must leave
// as much in use as there was.
template <class F>
void check_steady_memory(F&& step) {
  step();
  const std::int64_t before = memory::bytes_live();
  for (int i = 0; i < 3; ++i) {
    step();
    BOOST_TEST(memory::bytes_live() == before);
  }
}

}  // namespace heed

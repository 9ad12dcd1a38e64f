// Generators: their words, seeds and states.
#include <random>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "tensor/core/factories.h"
#include "tensor/random/random.h"
#include "tensor/reduce/comparing.h"
#include "tests/errors.h"
#include "tests/tensor/show.h"

namespace heed {

BOOST_AUTO_TEST_SUITE(generators)

BOOST_AUTO_TEST_CASE(the_twister_is_that_of_the_standard_library) {
  for (const std::uint64_t seed : {0ull, 42ull, 5489ull, 0x1234567890abcdefull}) {
    Generator generator(seed);
    std::mt19937 reference(static_cast<std::uint32_t>(seed));
    for (int i = 0; i < 2000; ++i) BOOST_REQUIRE(generator.word32() == reference());
  }
}

BOOST_AUTO_TEST_CASE(only_the_low_half_of_a_seed_counts) {
  manual_seed(7);
  const std::string seven = bits(rand({3}));
  manual_seed(5 * (std::uint64_t{1} << 32) + 7);
  BOOST_TEST(bits(rand({3})) == seven);
  manual_seed(-1);
  const std::string last = bits(rand({3}));
  manual_seed(0xffffffff);
  BOOST_TEST(bits(rand({3})) == last);
}

BOOST_AUTO_TEST_CASE(a_generator_of_ones_own) {
  Generator generator(0);
  manual_seed(1);
  const std::string expected = bits(rand({2}));
  manual_seed(1);
  BOOST_TEST(bits(rand({4}, float32, generator)) ==
             "3efe1558 3f44aa2f 3db533a8 3e073300");
  BOOST_TEST(bits(rand({2})) == expected);
  generator.seed(0);
  BOOST_TEST(show(randperm(10, generator)) == "int64 (10) 4 1 7 5 3 9 0 8 6 2");
}

BOOST_AUTO_TEST_CASE(the_state_of_a_generator_that_has_drawn_nothing) {
  Generator one(7), other(8);
  other.set_state(one.get_state());
  BOOST_TEST(rand({9}, float64, one).to_vector<double>() ==
             rand({9}, float64, other).to_vector<double>());
}

BOOST_AUTO_TEST_CASE(the_state_of_a_generator) {
  Generator one(5);
  randn({3}, float32, one);
  const std::vector<std::uint8_t> state = one.get_state();
  const std::string after =
      bits(randn({2}, float64, one)) + bits(rand({700}, float32, one));
  Generator other;
  other.set_state(state);
  BOOST_TEST(bits(randn({2}, float64, other)) + bits(rand({700}, float32, other)) ==
             after);

  BOOST_TEST(error_of([&] { other.set_state(std::vector<std::uint8_t>(3)); }) ==
             "set_state: the state must have 2509 bytes, got 3");
  std::vector<std::uint8_t> broken = state;
  broken[2498] = 1;
  BOOST_TEST(error_of([&] { other.set_state(broken); }) ==
             fmt::format("set_state: the position must be from 0 to 624, got {}",
                         (1 << 16) + state[2496] + (state[2497] << 8)));
  broken = state;
  broken[2500] = 9;
  BOOST_TEST(error_of([&] { other.set_state(broken); }) ==
             "set_state: the mark of a kept normal must be 0 or 1, got 9");
}

BOOST_AUTO_TEST_CASE(the_seed_is_remembered) {
  Generator generator(7);
  (void)rand({3}, generator);
  BOOST_TEST(generator.initial_seed() == 7u);
  generator.set_state(Generator(8).get_state());
  BOOST_TEST(generator.initial_seed() == 7u);
  BOOST_TEST(generator.manual_seed(9).initial_seed() == 9u);
  const Generator before = get_rng_state();
  manual_seed(5);
  BOOST_TEST(initial_seed() == 5u);
  set_rng_state(before);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace heed

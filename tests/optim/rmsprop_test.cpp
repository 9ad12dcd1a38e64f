// RMSprop against the numbers of torch.optim.RMSprop, and what it refuses.
#include <boost/test/unit_test.hpp>

#include <heed.h>

#include "tests/errors.h"
#include "tests/optim/checks.h"

using namespace heed;
using optim::RMSprop;

BOOST_AUTO_TEST_SUITE(rmsprop)

BOOST_AUTO_TEST_CASE(the_numbers_are_pytorch_s) {
  const auto check_steps = [](optim::RMSpropOptions options, double first,
                              double second) {
    options.lr = 0.01;
    check_five_steps<RMSprop>(options, first, second);
  };
  check_steps({}, 1.6951107418853688, -1.358513534169757);
  check_steps({.alpha = 0.9, .eps = 1e-4, .weight_decay = 0.1}, 1.895451525135545,
              -1.1101490340769116);
  check_steps({.momentum = 0.9}, 1.1293785592244692, -2.0740783979682447);
  check_steps({.weight_decay = 0.05, .momentum = 0.5, .centered = true, .maximize = true},
              2.5950884439800097, -0.5352513672706063);
}

BOOST_AUTO_TEST_CASE(a_saved_state_goes_on) {
  const optim::RMSpropOptions options{.momentum = 0.5, .centered = true};
  check_that_a_state_goes_on<RMSprop>(options, [](auto& second, const Variable& y) {
    BOOST_TEST(second.options().centered);
    BOOST_TEST(second.state(y).size() == 3u);
  });
}

BOOST_AUTO_TEST_CASE(steps_use_no_more_memory) { check_memory_of_steps<RMSprop>({}); }

BOOST_AUTO_TEST_CASE(what_is_refused) {
  const Variable x(tensor({2.0}), true);
  const auto message = [&](const optim::RMSpropOptions& options) {
    return error_of([&] { RMSprop({x}, options); });
  };
  BOOST_TEST(message({.lr = -1}) == "RMSprop: lr must be at least 0, got -1");
  BOOST_TEST(message({.alpha = 1}) == "RMSprop: alpha must be from 0 to below 1, got 1");
  BOOST_TEST(message({.eps = -1}) == "RMSprop: eps must be at least 0, got -1");
  BOOST_TEST(message({.weight_decay = -1}) ==
             "RMSprop: weight_decay must be at least 0, got -1");
  BOOST_TEST(message({.momentum = -1}) == "RMSprop: momentum must be at least 0, got -1");
  RMSprop optimiser({x});
  BOOST_TEST(error_of([&] {
               optimiser.load_state_dict({{"0.square_avg", tensor({-1.0})}});
             }) ==
             "RMSprop: the mean squares of parameter 0 must not be negative, got -1");
  BOOST_TEST(error_of([&] {
               optimiser.load_state_dict({{"0.grad_avg", tensor({1.0})}});
             }) == "RMSprop: the state of parameter 0 must have square_avg");
}

BOOST_AUTO_TEST_CASE(parameters_of_a_group) {
  const Variable a(ones({1}), true), b(ones({2}), true);
  RMSprop optimiser(std::vector<RMSprop::Group>{{{a}, {}}, {{b}, {.lr = 0.5}}});
  BOOST_TEST(optimiser.parameters(1).size() == 1u);
  BOOST_TEST(optimiser.parameters(1)[0].is_same(b));
  BOOST_TEST(error_of([&] { (void)optimiser.parameters(2); }) ==
             "RMSprop: the group must be below 2, got 2");
}

BOOST_AUTO_TEST_SUITE_END()

// Adagrad against the numbers of torch.optim.Adagrad, and what it refuses.
#include <cmath>

#include <boost/test/unit_test.hpp>

#include <heed.h>

#include "tests/errors.h"
#include "tests/optim/checks.h"

using namespace heed;
using optim::Adagrad;

BOOST_AUTO_TEST_SUITE(adagrad)

BOOST_AUTO_TEST_CASE(the_numbers_are_pytorch_s) {
  const auto check_steps = [](optim::AdagradOptions options, double first,
                              double second) {
    options.lr = 0.1;
    check_five_steps<Adagrad>(options, first, second);
  };
  check_steps({}, 1.696370517865152, -1.3572679863580779);
  check_steps({.lr_decay = 0.3, .weight_decay = 0.1}, 1.7722278670874991,
              -1.2536866508109143);
  check_steps({.initial_accumulator_value = 2, .eps = 0.01, .maximize = true},
              2.3397488224595384, -0.7328049019603469);
}

BOOST_AUTO_TEST_CASE(a_saved_state_goes_on) {
  const optim::AdagradOptions options{.lr_decay = 0.5, .initial_accumulator_value = 1};
  check_that_a_state_goes_on<Adagrad>(options, [](auto& second, const Variable& y) {
    BOOST_TEST(second.options().lr_decay == 0.5);
    BOOST_TEST(second.state(y).at("step").item() == 1);
  });
}

BOOST_AUTO_TEST_CASE(steps_use_no_more_memory) { check_memory_of_steps<Adagrad>({}); }

BOOST_AUTO_TEST_CASE(what_is_refused) {
  const Variable x(tensor({2.0}), true);
  const auto message = [&](const optim::AdagradOptions& options) {
    return error_of([&] { Adagrad({x}, options); });
  };
  BOOST_TEST(message({.lr = -1}) == "Adagrad: lr must be at least 0, got -1");
  BOOST_TEST(message({.lr_decay = NAN}) ==
             "Adagrad: lr_decay must be at least 0, got nan");
  BOOST_TEST(message({.initial_accumulator_value = -1}) ==
             "Adagrad: initial_accumulator_value must be at least 0, got -1");
  Adagrad optimiser({x});
  BOOST_TEST(
      error_of([&] {
        optimiser.load_state_dict({{"0.step", tensor(1)}, {"0.sum", tensor({-1.0})}});
      }) == "Adagrad: the sums of squares of parameter 0 must not be negative");
  BOOST_TEST(error_of([&] {
               optimiser.load_state_dict({{"0.sum", tensor({1.0})}});
             }) ==
             "Adagrad: the state of parameter 0 must have step and sum, or none of them");
}

BOOST_AUTO_TEST_SUITE_END()

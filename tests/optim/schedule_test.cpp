// Learning rates from step to step, and the clipping of gradients.

#include <cmath>

#include <boost/test/unit_test.hpp>

#include <heed.h>

#include "tests/errors.h"

using namespace heed;
namespace tt = boost::test_tools;

BOOST_AUTO_TEST_SUITE(schedule)

BOOST_AUTO_TEST_CASE(a_constant_is_constant) {
  BOOST_TEST(optim::constant_schedule(0, 0.3) == 0.3);
  BOOST_TEST(optim::constant_schedule(1000, 0.3) == 0.3);
}

BOOST_AUTO_TEST_CASE(steps_multiply_by_gamma) {
  const optim::StepScheduleOptions o{.lr = 8, .step_size = 3, .gamma = 0.5};
  const double expected[] = {8, 8, 8, 4, 4, 4, 2, 2, 2, 1};
  for (int i = 0; i < 10; ++i) BOOST_TEST(optim::step_schedule(i, o) == expected[i]);
  BOOST_TEST(optim::step_schedule(5, {.lr = 1, .step_size = 5}) == 0.1);
  BOOST_TEST(error_of([] { optim::step_schedule(1, {.lr = 1, .step_size = 0}); }) ==
             "step_schedule: step_size must be at least 1, got 0");
}

BOOST_AUTO_TEST_CASE(the_cosine_warms_up_falls_and_stays) {
  const optim::CosineScheduleOptions o{
      .lr = 1e-3, .min_lr = 1e-4, .warmup = 100, .steps = 2000};
  const auto lr = [&](std::int64_t step) { return optim::cosine_schedule(step, o); };
  BOOST_TEST(lr(0) == 1e-3 / 101, tt::tolerance(1e-12));
  BOOST_TEST(lr(99) == 1e-3 * 100 / 101, tt::tolerance(1e-12));
  BOOST_TEST(lr(100) == 1e-3, tt::tolerance(1e-12));
  BOOST_TEST(lr(1050) == 5.5e-4, tt::tolerance(1e-12));
  BOOST_TEST(lr(575) == 1e-4 + 0.5 * (1 + std::sqrt(0.5)) * 9e-4, tt::tolerance(1e-12));
  BOOST_TEST(lr(2000) == 1e-4);
  BOOST_TEST(lr(5000) == 1e-4);
  for (int i = 101; i < 2000; ++i) BOOST_TEST(lr(i) < lr(i - 1));
  BOOST_TEST(
      error_of([] { optim::cosine_schedule(0, {.lr = 1, .warmup = 5, .steps = 4}); }) ==
      "cosine_schedule: warmup must be from 0 to steps, got 5 and 4");
}

BOOST_AUTO_TEST_CASE(clipping_scales_all_gradients_by_one_factor) {
  const Variable a(tensor({3.0, 0.0}, float64), true), b(tensor(4.0, float64), true);
  const Variable idle(tensor(1.0, float64), true);
  (sum(square(a)) / 2 + square(b) / 2).backward();  // gradients (3, 0) and 4: norm 5
  BOOST_TEST(optim::clip_grad_norm({a, b, idle}, 10) == 5);
  BOOST_TEST(b.grad().item() == 4);
  BOOST_TEST(optim::clip_grad_norm({a, b, idle}, 1) == 5);
  BOOST_TEST(a.grad().value().at({0}) == 3 / (5 + 1e-6), tt::tolerance(1e-14));
  BOOST_TEST(b.grad().item() == 4 / (5 + 1e-6), tt::tolerance(1e-14));
  BOOST_TEST(!idle.has_grad());
}

BOOST_AUTO_TEST_CASE(clipping_does_not_hide_a_gradient_that_is_no_number) {
  const Variable a(tensor(2.0, float64), true), b(tensor(1.0, float64), true);
  (a * NAN + b).backward();
  BOOST_TEST(std::isnan(optim::clip_grad_norm({a, b}, 1)));
  BOOST_TEST(std::isnan(b.grad().item()));
  BOOST_TEST(error_of([&] { optim::clip_grad_norm({a}, 0); }) ==
             "clip_grad_norm: max_norm must be positive, got 0");
}

BOOST_AUTO_TEST_SUITE_END()

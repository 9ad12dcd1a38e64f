// Learning rates from step to step, and the clipping of gradients.

#include <cmath>

#include <boost/test/unit_test.hpp>

#include <heed.h>

#include "tests/compare.h"
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
  BOOST_TEST(error_of([] {
               optim::cosine_schedule(0, {.lr = 1, .warmup = 5, .steps = 4});
             }) == "cosine_schedule: warmup must be from 0 to steps, got 5 and 4");
  BOOST_TEST(error_of([] {
               optim::cosine_schedule(0, {.lr = 1, .warmup = -1, .steps = 4});
             }) == "cosine_schedule: warmup must be from 0 to steps, got -1 and 4");
  BOOST_TEST(error_of([] { optim::cosine_schedule(0, {.lr = 1}); }) ==
             "cosine_schedule: steps must be at least 1, got 0");
}

BOOST_AUTO_TEST_CASE(steps_are_counted_from_0) {
  BOOST_TEST(error_of([] { optim::step_schedule(-1, {.lr = 1, .step_size = 30}); }) ==
             "step_schedule: step must not be negative, got -1");
  BOOST_TEST(error_of([] {
               optim::cosine_schedule(-2, {.lr = 1, .warmup = 3, .steps = 4});
             }) == "cosine_schedule: step must not be negative, got -2");
}

BOOST_AUTO_TEST_CASE(a_cosine_may_be_all_warm_up) {
  const optim::CosineScheduleOptions o{.lr = 4, .min_lr = 0.5, .warmup = 3, .steps = 3};
  const double expected[] = {1, 2, 3, 0.5, 0.5};
  for (int i = 0; i < 5; ++i) BOOST_TEST(optim::cosine_schedule(i, o) == expected[i]);
}

BOOST_AUTO_TEST_CASE(clipping_scales_all_gradients_by_one_factor) {
  const Variable a(tensor({3.0, 0.0}, float64), true), b(tensor(4.0, float64), true);
  const Variable idle(tensor(1.0, float64), true);
  (sum(square(a)) / 2 + square(b) / 2).backward();  // gradients (3, 0) and 4: norm 5
  BOOST_TEST(optim::clip_grad_norm_({a, b, idle}, 10) == 5);
  BOOST_TEST(b.grad().item() == 4);
  BOOST_TEST(optim::clip_grad_norm_({a, b, idle}, 1) == 5);
  BOOST_TEST(a.grad().value().at({0}) == 3 / (5 + 1e-6), tt::tolerance(1e-14));
  BOOST_TEST(b.grad().item() == 4 / (5 + 1e-6), tt::tolerance(1e-14));
  BOOST_TEST(!idle.has_grad());
}

BOOST_AUTO_TEST_CASE(clipping_by_value_clamps_each_element) {
  const Variable a(tensor({3.0, -0.25, -4.0}), true), idle(tensor(1.0), true);
  (sum(square(a)) / 2).backward();
  optim::clip_grad_value_({a, idle}, 0.5);
  BOOST_TEST(same(a.grad().value(), tensor({0.5, -0.25, -0.5})));
  BOOST_TEST(!idle.has_grad());
  BOOST_TEST(error_of([&] { optim::clip_grad_value_({a}, 0); }) ==
             "clip_grad_value_: clip_value must be positive, got 0");
}

BOOST_AUTO_TEST_CASE(clipping_leaves_alone_what_is_short_enough) {
  const Variable none(tensor(1.0, float64), true), zero(tensor(1.0, float64), true);
  BOOST_TEST(optim::clip_grad_norm_({}, 1) == 0);
  BOOST_TEST(optim::clip_grad_norm_({none}, 1) == 0);
  BOOST_TEST(!none.has_grad());
  (zero * 0).backward();
  BOOST_TEST(optim::clip_grad_norm_({none, zero}, 1e-9) == 0);
  BOOST_TEST(zero.grad().item() == 0);
  const Variable a(tensor({0.6, 0.8}, float32), true);
  (sum(square(a)) / 2).backward();
  const Tensor before = a.grad().value().clone();
  BOOST_TEST(optim::clip_grad_norm_({a}, 1.001) == 1, tt::tolerance(1e-7));
  BOOST_TEST(all(a.grad().value() == before).item());
  // The parameters themselves never move.
  optim::clip_grad_norm_({a}, 0.1);
  BOOST_TEST(norm(a.grad().value()).item() == 0.1, tt::tolerance(1e-5));
  BOOST_TEST(norm(a.value()).item() == 1, tt::tolerance(1e-7));
}

BOOST_AUTO_TEST_CASE(squares_beyond_float32_are_clipped_too) {
  const Variable a(ones({2}, float32), true);
  sum(a * 1e30).backward();
  BOOST_TEST(optim::clip_grad_norm_({a}, 1) == 1e30 * std::sqrt(2.0),
             tt::tolerance(1e-6));
  BOOST_TEST(a.grad().value().at({1}) == std::sqrt(0.5), tt::tolerance(1e-6));
}

BOOST_AUTO_TEST_CASE(an_infinite_gradient_is_nan_and_the_others_are_0) {
  const Variable a(tensor({1.0, 2.0}, float64), true), b(tensor(1.0, float64), true);
  (sum(a * tensor({INFINITY, 1.0}, float64)) + b).backward();
  BOOST_TEST(optim::clip_grad_norm_({a, b}, 1) == INFINITY);
  BOOST_TEST(std::isnan(a.grad().value().at({0})));
  BOOST_TEST(a.grad().value().at({1}) == 0);
  BOOST_TEST(b.grad().item() == 0);
}

BOOST_AUTO_TEST_CASE(clipping_does_not_hide_a_gradient_that_is_no_number) {
  const Variable a(tensor(2.0, float64), true), b(tensor(1.0, float64), true);
  (a * NAN + b).backward();
  BOOST_TEST(std::isnan(optim::clip_grad_norm_({a, b}, 1)));
  BOOST_TEST(std::isnan(b.grad().item()));
  BOOST_TEST(error_of([&] { optim::clip_grad_norm_({a}, 0); }) ==
             "clip_grad_norm_: max_norm must be positive, got 0");
  BOOST_TEST(error_of([&] { optim::clip_grad_norm_({a}, NAN); }) ==
             "clip_grad_norm_: max_norm must be positive, got nan");
}

// An option that is left out is 0, with which nothing would be trained.
BOOST_AUTO_TEST_CASE(a_rate_must_be_given) {
  const auto of = [](const char* schedule) {
    return std::string(schedule) + ": lr must be given and above 0, got 0";
  };
  using namespace optim;
  BOOST_TEST(error_of([] { step_schedule(0, {.lr = 0, .step_size = 30}); }) ==
             of("step_schedule"));
  BOOST_TEST(error_of([] { multistep_schedule(0, {.lr = 0, .milestones = {3}}); }) ==
             of("multistep_schedule"));
  BOOST_TEST(error_of([] { exponential_schedule(0, {.lr = 0, .gamma = 1}); }) ==
             of("exponential_schedule"));
  BOOST_TEST(error_of([] { linear_schedule(0, {.lr = 0}); }) == of("linear_schedule"));
  BOOST_TEST(error_of([] { cosine_schedule(0, {.lr = 0, .steps = 10}); }) ==
             of("cosine_schedule"));
  BOOST_TEST(error_of([] { cosine_schedule(0, {.lr = NAN, .steps = 10}); }) ==
             "cosine_schedule: lr must be given and above 0, got nan");
  BOOST_TEST(error_of([] { exponential_schedule(0, {.lr = 1, .gamma = 0}); }) ==
             "exponential_schedule: gamma must be given and above 0, got 0");
}

// torch.optim.lr_scheduler.LinearLR, MultiStepLR and ExponentialLR from lr 1.
BOOST_AUTO_TEST_CASE(linear_multistep_and_exponential) {
  const auto linear = [](std::int64_t step) {
    return optim::linear_schedule(
        step, {.lr = 1, .start_factor = 0.25, .end_factor = 1, .total_iters = 3});
  };
  const auto multistep = [](std::int64_t step) {
    return optim::multistep_schedule(step, {.lr = 1, .milestones = {2, 4}});
  };
  const double linears[] = {0.25, 0.5, 0.75, 1, 1}, steps[] = {1, 1, 0.1, 0.1, 0.01};
  for (int i = 0; i < 5; ++i) {
    BOOST_TEST(linear(i) == linears[i], tt::tolerance(1e-15));
    BOOST_TEST(multistep(i) == steps[i], tt::tolerance(1e-15));
  }
  BOOST_TEST(optim::exponential_schedule(3, {.lr = 2, .gamma = 0.5}) == 0.25);
  BOOST_TEST(error_of([&] { linear(-1); }) ==
             "linear_schedule: step must not be negative, got -1");
  BOOST_TEST(error_of([&] { optim::linear_schedule(0, {.lr = 1, .total_iters = 0}); }) ==
             "linear_schedule: total_iters must be at least 1, got 0");
  for (const double factor : {0.0, -0.1, 1.1, static_cast<double>(NAN)}) {
    BOOST_TEST(
        error_of([&] { optim::linear_schedule(0, {.lr = 1, .start_factor = factor}); }) ==
        fmt::format("linear_schedule: start_factor must be above 0, end_factor at "
                    "least 0, and both at most 1, got {} and 1",
                    factor));
  }
  BOOST_CHECK_THROW(optim::linear_schedule(0, {.lr = 1, .end_factor = -0.1}), Error);
  BOOST_TEST(optim::linear_schedule(5, {.lr = 1, .end_factor = 0}) == 0);
  BOOST_TEST(error_of([&] { multistep(-1); }) ==
             "multistep_schedule: step must not be negative, got -1");
  BOOST_TEST(error_of([&] {
               optim::exponential_schedule(-1, {.lr = 2, .gamma = 0.5});
             }) == "exponential_schedule: step must not be negative, got -1");
}

// The rates are those of torch.optim.lr_scheduler.ReduceLROnPlateau for these losses.
BOOST_AUTO_TEST_CASE(the_rate_is_reduced_on_a_plateau) {
  const Variable x(ones({1}), true);
  optim::SGD optimiser({x}, {.lr = 1});
  optim::ReduceLROnPlateau scheduler({.factor = 0.5, .patience = 1, .cooldown = 1});
  const double losses[] = {3, 2, 2, 2, 2, 2, 2, 2, 1.99999, 1, 1, 1, 1};
  const double rates[] = {1,    1,    1,    0.5,  0.5,   0.5,  0.25,
                          0.25, 0.25, 0.25, 0.25, 0.125, 0.125};
  for (int i = 0; i < 13; ++i) {
    scheduler.step(optimiser, losses[i]);
    BOOST_TEST(optimiser.options().lr == rates[i]);
  }
  optim::ReduceLROnPlateau rising(
      {.mode = optim::ReduceLROnPlateau::Mode::max, .patience = 0, .min_lr = 0.1});
  for (const double score : {0.5, 0.75, 0.75}) rising.step(optimiser, score);
  BOOST_TEST(optimiser.options().lr == 0.1);
  rising.step(optimiser, 0.75);
  BOOST_TEST(optimiser.options().lr == 0.1);
  BOOST_TEST(error_of([&] { optim::ReduceLROnPlateau({.factor = 1}); }) ==
             "ReduceLROnPlateau: factor must be from 0 to below 1, got 1");
  BOOST_TEST(error_of([&] { optim::ReduceLROnPlateau({.patience = -1}); }) ==
             "ReduceLROnPlateau: patience must not be negative, got -1");
}

BOOST_AUTO_TEST_SUITE_END()

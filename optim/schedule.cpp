#include "optim/schedule.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string_view>

#include "tensor/core/error.h"

namespace heed::optim {
namespace {

// What every schedule asks for. An lr that was forgotten is 0.
void check_step_and_lr(std::string_view schedule, std::int64_t step, double lr) {
  check(lr > 0, "{}: lr must be given and above 0, got {}", schedule, lr);
  check(step >= 0, "{}: step must not be negative, got {}", schedule, step);
}

}  // namespace

double constant_schedule(std::int64_t, double lr) { return lr; }

double step_schedule(std::int64_t step, const StepScheduleOptions& options) {
  check_step_and_lr("step_schedule", step, options.lr);
  check(options.step_size >= 1, "step_schedule: step_size must be at least 1, got {}",
        options.step_size);
  return options.lr *
         std::pow(options.gamma, static_cast<double>(step / options.step_size));
}

double multistep_schedule(std::int64_t step, const MultiStepScheduleOptions& options) {
  check_step_and_lr("multistep_schedule", step, options.lr);
  const auto passed = std::count_if(options.milestones.begin(), options.milestones.end(),
                                    [&](std::int64_t at) { return at <= step; });
  return options.lr * std::pow(options.gamma, static_cast<double>(passed));
}

double exponential_schedule(std::int64_t step,
                            const ExponentialScheduleOptions& options) {
  check_step_and_lr("exponential_schedule", step, options.lr);
  check(options.gamma > 0,
        "exponential_schedule: gamma must be given and above 0, got {}", options.gamma);
  return options.lr * std::pow(options.gamma, static_cast<double>(step));
}

double linear_schedule(std::int64_t step, const LinearScheduleOptions& options) {
  const auto& [lr, start_factor, end_factor, total_iters] = options;
  check_step_and_lr("linear_schedule", step, lr);
  check(total_iters >= 1, "linear_schedule: total_iters must be at least 1, got {}",
        total_iters);
  check(0 < start_factor && start_factor <= 1 && 0 <= end_factor && end_factor <= 1,
        "linear_schedule: start_factor must be above 0, end_factor at least 0, and both "
        "at most 1, got {} and {}",
        start_factor, end_factor);
  const double done =
      static_cast<double>(std::min(step, total_iters)) / static_cast<double>(total_iters);
  return lr * (start_factor + (end_factor - start_factor) * done);
}

double cosine_schedule(std::int64_t step, const CosineScheduleOptions& options) {
  const auto& [lr, min_lr, warmup, steps] = options;
  check_step_and_lr("cosine_schedule", step, lr);
  check(steps >= 1, "cosine_schedule: steps must be at least 1, got {}", steps);
  check(0 <= warmup && warmup <= steps,
        "cosine_schedule: warmup must be from 0 to steps, got {} and {}", warmup, steps);
  const auto at = static_cast<double>(step);
  if (step < warmup) return lr * (at + 1) / (static_cast<double>(warmup) + 1);
  if (step >= steps) return min_lr;
  const double done =
      (at - static_cast<double>(warmup)) / static_cast<double>(steps - warmup);
  return min_lr + 0.5 * (1 + std::cos(std::numbers::pi * done)) * (lr - min_lr);
}

ReduceLROnPlateau::ReduceLROnPlateau(const ReduceLROnPlateauOptions& options)
    : options_(options),
      best_(options.mode == ReduceLROnPlateauOptions::Mode::min
                ? std::numeric_limits<double>::infinity()
                : -std::numeric_limits<double>::infinity()) {
  check(0 <= options.factor && options.factor < 1,
        "ReduceLROnPlateau: factor must be from 0 to below 1, got {}", options.factor);
  const auto check_not_negative = [](const char* what, auto x) {
    check(x >= 0, "ReduceLROnPlateau: {} must not be negative, got {}", what, x);
  };
  check_not_negative("patience", options.patience);
  check_not_negative("threshold", options.threshold);
  check_not_negative("cooldown", options.cooldown);
  check_not_negative("min_lr", options.min_lr);
  check_not_negative("eps", options.eps);
}

bool ReduceLROnPlateau::is_plateau(double metric) {
  const bool is_better = options_.mode == ReduceLROnPlateauOptions::Mode::min
                             ? metric < best_ * (1 - options_.threshold)
                             : metric > best_ * (1 + options_.threshold);
  if (is_better) best_ = metric;
  bad_steps_ = is_better ? 0 : bad_steps_ + 1;
  if (cooldown_ > 0) {
    --cooldown_;
    bad_steps_ = 0;
  }
  if (bad_steps_ <= options_.patience) return false;
  cooldown_ = options_.cooldown;
  bad_steps_ = 0;
  return true;
}

double ReduceLROnPlateau::reduced(double lr) const {
  const double next = std::max(lr * options_.factor, options_.min_lr);
  return lr - next > options_.eps ? next : lr;
}

}  // namespace heed::optim

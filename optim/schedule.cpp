#include "optim/schedule.h"

#include <cmath>
#include <numbers>

#include "tensor/core/error.h"

namespace heed::optim {

double constant_schedule(std::int64_t, double lr) { return lr; }

double step_schedule(std::int64_t step, const StepScheduleOptions& options) {
  check(options.step_size >= 1, "step_schedule: step_size must be at least 1, got {}",
        options.step_size);
  check(step >= 0, "step_schedule: step must not be negative, got {}", step);
  return options.lr *
         std::pow(options.gamma, static_cast<double>(step / options.step_size));
}

double cosine_schedule(std::int64_t step, const CosineScheduleOptions& options) {
  const auto& [lr, min_lr, warmup, steps] = options;
  check(steps >= 1, "cosine_schedule: steps must be at least 1, got {}", steps);
  check(0 <= warmup && warmup <= steps,
        "cosine_schedule: warmup must be from 0 to steps, got {} and {}", warmup, steps);
  check(step >= 0, "cosine_schedule: step must not be negative, got {}", step);
  const auto at = static_cast<double>(step);
  if (step < warmup) return lr * (at + 1) / (static_cast<double>(warmup) + 1);
  if (step >= steps) return min_lr;
  const double done =
      (at - static_cast<double>(warmup)) / static_cast<double>(steps - warmup);
  return min_lr + 0.5 * (1 + std::cos(std::numbers::pi * done)) * (lr - min_lr);
}

}  // namespace heed::optim

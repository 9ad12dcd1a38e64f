// Learning rates that change from step to step.
//
//   optimiser.options().lr = optim::step_schedule(step, {.lr = 0.1, .step_size = 30});
//
// Large steps make fast progress at first; small ones let the weights settle in the end.
// The warm-up begins with a rate near 0, because the means of Adam's first steps are of
// few gradients. Set lr before step(). A schedule is a function of the step, counted from
// 0; it keeps no state, so a run that is resumed needs none.
#pragma once

#include <cstdint>

namespace heed::optim {

// lr at every step, for code that calls a schedule.
double constant_schedule(std::int64_t step, double lr);

struct StepScheduleOptions {
  double lr;
  std::int64_t step_size;
  double gamma = 0.1;
};
// lr gamma^k, where k is step / step_size rounded down. Throws Error for a negative step
// and unless step_size is at least 1.
double step_schedule(std::int64_t step, const StepScheduleOptions& options);

struct CosineScheduleOptions {
  double lr;          // at the end of the warm-up
  double min_lr = 0;  // from `steps` on
  std::int64_t warmup = 0;
  std::int64_t steps = 0;  // where the cosine ends; must be given
};
// lr (step + 1) / (warmup + 1) during the warm-up, then half a cosine from lr down to
// min_lr, which stays. Throws Error for a negative step and unless steps is at least 1
// and 0 <= warmup <= steps.
// (Loshchilov and Hutter, 2017, without restarts; the warm-up is nanoGPT's)
double cosine_schedule(std::int64_t step, const CosineScheduleOptions& options);

}  // namespace heed::optim

// Learning rates that change from step to step.
//
//   optimiser.options().lr = optim::step_schedule(step, {.lr = 0.1, .step_size = 30});
//
// Large steps make fast progress at first; small ones let the weights settle in the end.
// The warm-up begins with a rate near 0, because the means of Adam's first steps are of
// few gradients. Set lr before step(). A schedule is a function of the step, counted from
// 0; it keeps no state, so a run that is resumed needs none. All but constant_schedule()
// throw Error for a negative step and unless lr is given, above 0.
#pragma once

#include <cstdint>
#include <vector>

namespace heed::optim {

// lr at every step, for code that calls a schedule.
double constant_schedule(std::int64_t step, double lr);

struct StepScheduleOptions {
  double lr;
  std::int64_t step_size;
  double gamma = 0.1;
};
// lr gamma^k, where k is step / step_size rounded down. Throws Error unless step_size is
// at least 1.
double step_schedule(std::int64_t step, const StepScheduleOptions& options);

struct MultiStepScheduleOptions {
  double lr;
  std::vector<std::int64_t> milestones;
  double gamma = 0.1;
};
// lr gamma^k, where k is the number of milestones that are not after the step.
double multistep_schedule(std::int64_t step, const MultiStepScheduleOptions& options);

struct ExponentialScheduleOptions {
  double lr;
  double gamma;
};
// lr gamma^step. Throws Error unless gamma is given, above 0.
double exponential_schedule(std::int64_t step, const ExponentialScheduleOptions& options);

struct LinearScheduleOptions {
  double lr;
  double start_factor = 1.0 / 3;
  double end_factor = 1;
  std::int64_t total_iters = 5;
};
// lr times a factor that goes from start_factor to end_factor in total_iters equal steps,
// and stays: a warm-up. Throws Error unless total_iters is at least 1, start_factor above
// 0, end_factor at least 0, and both factors at most 1.
double linear_schedule(std::int64_t step, const LinearScheduleOptions& options);

struct CosineScheduleOptions {
  double lr;          // at the end of the warm-up
  double min_lr = 0;  // from `steps` on
  std::int64_t warmup = 0;
  std::int64_t steps = 0;  // where the cosine ends; must be given
};
// lr (step + 1) / (warmup + 1) during the warm-up, then half a cosine from lr down to
// min_lr, which stays. Throws Error unless steps is at least 1 and 0 <= warmup <= steps.
// (Loshchilov and Hutter, 2017, without restarts; the warm-up is nanoGPT's)
double cosine_schedule(std::int64_t step, const CosineScheduleOptions& options);

// For a rate that depends on how the training goes, and so has a state.
struct ReduceLROnPlateauOptions {
  enum class Mode { min, max } mode = Mode::min;  // what is better: less, or more
  double factor = 0.1;
  std::int64_t patience = 10;  // how many steps without an improvement are borne
  double threshold = 1e-4;  // the smallest improvement that counts, relative to the best
  std::int64_t cooldown = 0;  // how many steps after a reduction do not count
  double min_lr = 0;
  double eps = 1e-8;  // a smaller change of lr is not made
};

// Multiplies the learning rates by `factor` when a number, such as a validation loss, has
// not improved for more than `patience` steps. PyTorch's, with its threshold_mode "rel".
//
//   optim::ReduceLROnPlateau scheduler({.patience = 5});
//   scheduler.step(optimiser, loss);  // once an epoch
class ReduceLROnPlateau {
 public:
  using Mode = ReduceLROnPlateauOptions::Mode;

  // Throws Error unless factor is from 0 to below 1 and no option is negative.
  explicit ReduceLROnPlateau(const ReduceLROnPlateauOptions& options = {});

  template <class Optimiser>
  void step(Optimiser& optimiser, double metric) {
    if (!is_plateau(metric)) return;
    for (auto& group : optimiser.param_groups()) group.lr = reduced(group.lr);
  }

 private:
  // Counts the step; whether the rates are to be reduced.
  bool is_plateau(double metric);
  double reduced(double lr) const;

  ReduceLROnPlateauOptions options_;
  double best_;
  std::int64_t bad_steps_ = 0, cooldown_ = 0;
};

}  // namespace heed::optim

// Optimisers on functions of a few numbers, step by step.
#include <fmt/core.h>

#include "autograd/elementwise.h"
#include "autograd/matmul.h"
#include "autograd/reductions.h"
#include "autograd/views.h"
#include "optim/clip.h"
#include "optim/schedule.h"
#include "tensor/core/factories.h"
#include "tensor/indexing/joining.h"
#include "tests/golden/optimiser_options.h"
#include "tests/golden/replay.h"

namespace heed::golden {
namespace {

// The learning rate of a step of a schedule that starts at lr.
double scheduled(const Case& c, std::int64_t step, double lr) {
  const std::string schedule = c.text("schedule");
  if (schedule == "step") {
    return optim::step_schedule(
        step,
        {.lr = lr, .step_size = c.integer("step_size"), .gamma = c.number("gamma")});
  }
  if (schedule == "cosine") {
    return optim::cosine_schedule(
        step,
        {.lr = lr, .min_lr = c.number("min_lr"), .steps = c.integer("schedule_steps")});
  }
  throw CaseError(fmt::format("unknown schedule {}", schedule));
}

// f(x) = x'Ax / 2 - b'x
template <class Optimiser>
void replay_quadratic(const Case& c, Report& report) {
  const Variable a = c.input("A"), b = c.input("b");
  const Variable x(c.input("x0").clone(), true);
  Optimiser optimiser(std::vector<Variable>{x},
                      options_of<typename Optimiser::Options>(c, "x"));
  const double lr = optimiser.options().lr;
  const auto scalar = [&](double number) { return full({}, number, c.dtype()); };
  std::vector<Tensor> points = {x.value().clone()}, gradients, losses, norms, rates;
  std::map<std::string, std::vector<Tensor>> states;
  for (std::int64_t step = 0; step < c.integer("steps"); ++step) {
    optimiser.zero_grad();
    const Variable loss = 0.5 * matmul(x, matmul(a, x)) - matmul(b, x);
    loss.backward();
    losses.push_back(reshape(loss.value(), {1}));
    if (c.gives("max_norm")) {
      norms.push_back(scalar(optim::clip_grad_norm_({x}, c.number("max_norm"))));
    }
    if (c.gives("schedule")) {
      optimiser.options().lr = scheduled(c, step, lr);
      rates.push_back(scalar(optimiser.options().lr));
    }
    gradients.push_back(x.grad().value().clone());
    optimiser.step();
    points.push_back(x.value().clone());
    for (const auto& [name, value] : optimiser.state_dict()) {
      if (value.shape() == x.shape()) states[name.substr(2)].push_back(value);
    }
  }
  report.expect("step.x", stack(points));
  report.expect("step.grad", stack(gradients));
  report.expect("step.loss", cat(losses));
  if (!norms.empty()) report.expect("step.norm", stack(norms));
  if (!rates.empty()) report.expect("step.lr", stack(rates));
  for (const auto& [name, values] : states) {
    report.expect("step.state." + name, stack(values));
  }
}

// Two groups: f(p, q) = sum(p²) (1 + sum(q²)) + sum(q)
template <class Optimiser>
void replay_two_groups(const Case& c, Report& report) {
  using Options = typename Optimiser::Options;
  const Variable p(c.input("p").clone(), true), q(c.input("q").clone(), true);
  Optimiser optimiser(std::vector<optim::Group<Options>>{
      {{p}, options_of<Options>(c, "p")}, {{q}, options_of<Options>(c, "q")}});
  std::vector<Tensor> ps = {p.value().clone()}, qs = {q.value().clone()}, losses;
  for (std::int64_t step = 0; step < c.integer("steps"); ++step) {
    optimiser.zero_grad();
    const Variable loss = sum(square(p)) * (1 + sum(square(q))) + sum(q);
    loss.backward();
    optimiser.step();
    losses.push_back(reshape(loss.value(), {1}));
    ps.push_back(p.value().clone());
    qs.push_back(q.value().clone());
  }
  report.expect("step.p", stack(ps));
  report.expect("step.q", stack(qs));
  report.expect("step.loss", cat(losses));
}

template <class Optimiser>
void replay(const Case& c, Report& report) {
  if (c.has("in.A")) {
    replay_quadratic<Optimiser>(c, report);
  } else {
    replay_two_groups<Optimiser>(c, report);
  }
}

}  // namespace

void replay_optimiser(const Case& c, Report& report) {
  const std::string kind = c.text("class");
  if (kind == "SGD") return replay<optim::SGD>(c, report);
  if (kind == "Adam") return replay<optim::Adam>(c, report);
  if (kind == "AdamW") return replay<optim::AdamW>(c, report);
  throw CaseError(fmt::format("unknown class {}", kind));
}

}  // namespace heed::golden

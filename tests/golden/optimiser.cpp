// Optimisers on functions of a few numbers, step by step.
#include <fmt/core.h>

#include "autograd/elementwise.h"
#include "autograd/matmul.h"
#include "autograd/reductions.h"
#include "autograd/views.h"
#include "optim/sgd.h"
#include "tensor/joining.h"
#include "tests/golden/replay.h"

namespace heed::golden {
namespace {

// The attributes hp.KEY, and hp.NAME.KEY for the group of parameter NAME alone.
optim::SgdOptions sgd_options(const Case& c, const std::string& name) {
  optim::SgdOptions options;
  const auto read = [&](const std::string& key, const std::string& value) {
    if (key == "lr") {
      options.lr = to_number(key, value);
    } else if (key == "momentum") {
      options.momentum = to_number(key, value);
    } else if (key == "dampening") {
      options.dampening = to_number(key, value);
    } else if (key == "weight_decay") {
      options.weight_decay = to_number(key, value);
    } else if (key == "nesterov") {
      options.nesterov = to_flag(key, value);
    } else if (key == "maximize") {
      options.maximize = to_flag(key, value);
    } else {
      throw CaseError(fmt::format("unknown hyperparameter {}", key));
    }
  };
  for (const auto& [key, value] : c.attributes("hp.")) {
    if (key.find('.') == std::string::npos) read(key, value);
  }
  for (const auto& [key, value] : c.attributes("hp." + name + ".")) read(key, value);
  return options;
}

// f(x) = x'Ax / 2 - b'x
void replay_quadratic(const Case& c, Report& report) {
  const Variable a = c.input("A"), b = c.input("b");
  const Variable x(c.input("x0").clone(), true);
  optim::Sgd trainer(std::vector<Variable>{x}, sgd_options(c, "x"));
  std::vector<Tensor> points = {x.value().clone()}, gradients, losses, buffers;
  for (std::int64_t step = 0; step < c.integer("steps"); ++step) {
    trainer.zero_grad();
    const Variable loss = 0.5 * matmul(x, matmul(a, x)) - matmul(b, x);
    loss.backward();
    losses.push_back(reshape(loss.value(), {1}));
    gradients.push_back(x.grad().value().clone());
    trainer.step();
    points.push_back(x.value().clone());
    if (const auto buffer = trainer.momentum_buffer(x))
      buffers.push_back(buffer->clone());
  }
  report.expect("step.x", stack(points));
  report.expect("step.grad", stack(gradients));
  report.expect("step.loss", cat(losses));
  if (!buffers.empty()) report.expect("step.state.momentum_buffer", stack(buffers));
}

// Two groups: f(p, q) = sum(p²) (1 + sum(q²)) + sum(q)
void replay_two_groups(const Case& c, Report& report) {
  const Variable p(c.input("p").clone(), true), q(c.input("q").clone(), true);
  using Groups = std::vector<optim::Sgd::Group>;
  optim::Sgd trainer(Groups{{{p}, sgd_options(c, "p")}, {{q}, sgd_options(c, "q")}});
  std::vector<Tensor> ps = {p.value().clone()}, qs = {q.value().clone()}, losses;
  for (std::int64_t step = 0; step < c.integer("steps"); ++step) {
    trainer.zero_grad();
    const Variable loss = sum(square(p)) * (1 + sum(square(q))) + sum(q);
    loss.backward();
    trainer.step();
    losses.push_back(reshape(loss.value(), {1}));
    ps.push_back(p.value().clone());
    qs.push_back(q.value().clone());
  }
  report.expect("step.p", stack(ps));
  report.expect("step.q", stack(qs));
  report.expect("step.loss", cat(losses));
}

}  // namespace

void replay_optimiser(const Case& c, Report& report) {
  const std::string kind = c.text("class");
  if (kind != "SGD") throw CaseError(fmt::format("unknown class {}", kind));
  if (c.has("in.A")) {
    replay_quadratic(c, report);
  } else {
    replay_two_groups(c, report);
  }
}

}  // namespace heed::golden

#include "autograd/gradcheck.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "autograd/elementwise.h"
#include "autograd/joining.h"
#include "autograd/reductions.h"
#include "autograd/views.h"
#include "tensor/core/factories.h"
#include "tensor/random/random.h"

namespace heed {
namespace {

std::vector<Variable> leaves(const std::vector<Tensor>& inputs) {
  std::vector<Variable> result;
  for (const Tensor& input : inputs) {
    check(input.dtype() != float32,
          "gradcheck: inputs must be float64, differences of float32 are too coarse");
    result.emplace_back(input.clone(), input.dtype() == float64);
  }
  return result;
}

std::vector<Variable> differentiable(const std::vector<Variable>& inputs) {
  std::vector<Variable> result;
  for (const Variable& input : inputs) {
    if (input.requires_grad()) result.push_back(input);
  }
  check(!result.empty(), "gradcheck: no input is float64");
  return result;
}

// f's result summed with fixed weights: one number, to which every element contributes
// differently.
Variable weighted(const Variable& y, const Tensor& weights) { return sum(y * weights); }

Tensor draw_weights(const Shape& shape, std::uint64_t seed) {
  Generator generator(seed);
  return rand(shape, float64, generator) + 0.5;
}

}  // namespace

void detail::check_count(std::size_t wanted, std::size_t inputs) {
  check(inputs == wanted, "the function takes {} Variables, got {} inputs", wanted,
        inputs);
}

std::string GradcheckReport::text() const {
  if (ok) return fmt::format("{}: ok, worst error {:.2g}", op, worst);
  return fmt::format(
      "{}: input {}, element {}: numeric {:.12g}, analytic {:.12g}, error {:.3g}{}", op,
      input, element, numeric, analytic, worst,
      suspected_kink ? "; the function seems to have a corner here" : "");
}

GradcheckReport gradcheck(const Function& f, const std::vector<Tensor>& inputs,
                          const GradcheckOptions& options) {
  const SetGradEnabled recording(true);  // also where the caller records nothing
  std::vector<Variable> points = leaves(inputs);
  const std::vector<Variable> wanted = differentiable(points);
  const Variable y = f(points);
  check(y.dtype() == float64, "gradcheck: the result must be float64, got {}",
        name(y.dtype()));
  const Tensor weights = draw_weights(y.shape(), options.seed);
  // A result that depends on no input has the derivative zero.
  std::vector<Variable> analytic;
  if (y.requires_grad()) analytic = grad(weighted(y, weights), wanted);

  GradcheckReport report;
  report.op = options.op;
  const auto value = [&] { return weighted(f(points), weights).item(); };
  double most = -std::numeric_limits<double>::infinity();
  std::size_t next = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!points[i].requires_grad()) continue;
    const Tensor slope = analytic.empty() ? zeros_like(points[i].value())
                                          : analytic[next++].value().contiguous();
    Tensor x = points[i].value();
    for (std::int64_t e = 0; e < x.numel(); ++e) {
      const double center = x.data<double>()[e];
      const double h = options.eps * std::max(1.0, std::abs(center));
      const auto at = [&](double shift) {
        x.mutable_data<double>()[e] = center + shift;
        return value();
      };
      // f' = (8 (f(h) - f(-h)) - (f(2h) - f(-2h))) / 12h + O(h⁴)
      const double up = at(h), down = at(-h), up2 = at(2 * h), down2 = at(-2 * h);
      const double here = at(0);
      const double numeric = (8 * (up - down) - (up2 - down2)) / (12 * h);
      const double exact = slope.data<double>()[e];
      const double size = std::max({1.0, std::abs(exact), std::abs(numeric)});
      const double error = std::abs(exact - numeric);
      const double excess = error - (options.atol + options.rtol * std::abs(numeric));
      if (!(excess <= most)) {  // also when it is NaN
        const double right = (up - here) / h, left = (here - down) / h;
        most = excess;
        report.worst = error / size;
        report.input = static_cast<int>(i);
        report.element = e;
        report.numeric = numeric;
        report.analytic = exact;
        report.suspected_kink = std::abs(right - left) > 0.05 * size;
        report.ok = excess <= 0;
        if (std::isnan(excess)) return report;
      }
    }
  }
  return report;
}

GradcheckReport gradgradcheck(const Function& f, const std::vector<Tensor>& inputs,
                              GradcheckOptions options) {
  std::vector<Tensor> points = inputs;
  points.push_back(draw_weights(f(leaves(inputs)).shape(), options.seed + 1));
  // All first derivatives joined end to end, as a function of inputs and weights.
  const Function gradients = [&f](const std::vector<Variable>& in) {
    const std::vector<Variable> args(in.begin(), in.end() - 1);
    std::vector<Variable> tracked;
    for (const Variable& x : args) {
      if (x.dtype() == float64) tracked.push_back(x);
    }
    std::vector<Variable> flat;
    const Variable value = f(args);
    for (const Variable& g :
         grad(sum(value * in.back()), tracked, {.create_graph = true})) {
      flat.push_back(reshape(g, {g.numel()}));
    }
    return cat(flat);
  };
  options.op += " (second derivative)";
  return gradcheck(gradients, points, options);
}

}  // namespace heed

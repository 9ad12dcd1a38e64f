// The loops of the optimisers' steps: every number of elements and every option against
// the formula, element by element, and what the loops read and write.

#include <cmath>
#include <optional>
#include <vector>

#include <boost/test/unit_test.hpp>

#include <heed.h>

#include "tests/compare.h"

using namespace heed;
using optim::Adam;
using optim::SGD;

namespace {

// Before step 4 of Adam: all that it reads and writes, none of it at its initial value.
struct Operands {
  Tensor x, gradient, m, v;
  std::optional<Tensor> largest;

  Operands(std::int64_t n, DType dtype, bool amsgrad) {
    Generator generator(static_cast<std::uint64_t>(n));
    x = randn({n}, dtype, generator);
    gradient = randn({n}, dtype, generator);
    m = randn({n}, dtype, generator);
    v = rand({n}, dtype, generator);
    if (amsgrad) largest = rand({n}, dtype, generator);
  }
};

// A parameter of these operands and its optimiser.
struct Training {
  Variable x;
  Adam optimiser;

  Training(const Operands& o, const optim::AdamOptions& options)
      : x(o.x, true), optimiser({x}, options) {
    optim::StateDict state = {
        {"0.step", tensor(3)}, {"0.exp_avg", o.m}, {"0.exp_avg_sq", o.v}};
    if (o.largest) state["0.max_exp_avg_sq"] = *o.largest;
    optimiser.load_state_dict(state);
    x.backward(Variable(o.gradient));
  }
  // x, m, v and the largest v.
  std::vector<Tensor> written() const {
    std::vector<Tensor> all = {x.value()};
    for (const char* name : {"exp_avg", "exp_avg_sq", "max_exp_avg_sq"}) {
      const optim::State& state = optimiser.state(x);
      if (state.contains(name)) all.push_back(state.at(name));
    }
    return all;
  }
};

optim::AdamOptions adam_options(int bits) {
  return {.lr = 0.4,
          .betas = {0.8, 0.6},
          .eps = 0.125,
          .weight_decay = bits & 1 ? 0.3 : 0,
          .amsgrad = (bits & 8) != 0,
          .maximize = (bits & 4) != 0,
          .decoupled_weight_decay = (bits & 2) != 0};
}

// What step 4 makes of element i, in double: x, m, v, largest.
std::vector<double> formula(const Operands& o, std::int64_t i,
                            const optim::AdamOptions& options) {
  const double decay = options.weight_decay;
  double x = o.x.at({i}), g = (options.maximize ? -1 : 1) * o.gradient.at({i});
  if (options.decoupled_weight_decay) {
    x *= 1 - options.lr * decay;
  } else {
    g += decay * x;
  }
  const double m = options.betas[0] * o.m.at({i}) + (1 - options.betas[0]) * g;
  const double v = options.betas[1] * o.v.at({i}) + (1 - options.betas[1]) * g * g;
  const double largest = o.largest ? std::max(o.largest->at({i}), v) : v;
  const double mean = m / (1 - std::pow(options.betas[0], 4));
  const double square = largest / (1 - std::pow(options.betas[1], 4));
  std::vector<double> all = {x - options.lr * mean / (std::sqrt(square) + options.eps), m,
                             v};
  if (o.largest) all.push_back(largest);
  return all;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(updates)

BOOST_AUTO_TEST_CASE(a_step_is_the_formula_for_every_size_and_option) {
  for (const DType dtype : {float32, float64}) {
    const double close = dtype == float32 ? 1e-6 : 1e-15;
    for (const std::int64_t n : {0, 1, 3, 7, 8, 9, 16, 17, 33, 1001}) {
      for (int bits = 0; bits < 16; ++bits) {
        const Operands o(n, dtype, (bits & 8) != 0);
        std::vector<std::vector<double>> expected;
        for (std::int64_t i = 0; i < n; ++i) {
          expected.push_back(formula(o, i, adam_options(bits)));
        }
        Training training(o, adam_options(bits));
        training.optimiser.step();
        const std::vector<Tensor> written = training.written();
        double worst = 0;
        for (std::int64_t i = 0; i < n; ++i) {
          const auto& want = expected[static_cast<std::size_t>(i)];
          for (std::size_t k = 0; k < want.size(); ++k) {
            const double error = std::abs(written[k].at({i}) - want[k]);
            worst = std::max(worst, error / (1 + std::abs(want[k])));
          }
        }
        BOOST_TEST_INFO(name(dtype) << " " << n << ", options " << bits);
        BOOST_TEST(worst < close);
        BOOST_TEST(same_bits(training.x.grad().value(), o.gradient));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_part_of_a_tensor_is_moved_and_nothing_beside_it) {
  const Operands whole(20, float32, true);
  const Tensor storage = whole.x.clone();
  Operands part = whole;
  part.x = storage;
  for (Tensor* t : {&part.x, &part.gradient, &part.m, &part.v, &*part.largest}) {
    *t = slice(*t, 0, 5, 14);
  }
  const Tensor before = storage.clone();
  Training of_whole(whole, adam_options(13)), of_part(part, adam_options(13));
  of_whole.optimiser.step();
  of_part.optimiser.step();
  BOOST_TEST(same_bits(slice(storage, 0, 5, 14), slice(whole.x, 0, 5, 14)));
  BOOST_TEST(same_bits(slice(storage, 0, 0, 5), slice(before, 0, 0, 5)));
  BOOST_TEST(same_bits(slice(storage, 0, 14), slice(before, 0, 14)));
}

BOOST_AUTO_TEST_CASE(the_bits_do_not_depend_on_threads) {
  const int before = num_threads();
  for (const DType dtype : {float32, float64}) {
    for (const int bits : {5, 13}) {
      const auto written = [&](int threads) {
        set_num_threads(threads);
        Training training(Operands(300'001, dtype, (bits & 8) != 0), adam_options(bits));
        training.optimiser.step();
        return training.written();
      };
      const std::vector<Tensor> one = written(1);
      for (const int threads : {2, 3}) {
        const std::vector<Tensor> more = written(threads);
        for (std::size_t k = 0; k < one.size(); ++k) {
          BOOST_TEST(same_bits(more[k], one[k]));
        }
      }
    }
  }
  set_num_threads(before);
}

BOOST_AUTO_TEST_CASE(a_step_raises_the_versions_of_what_it_writes) {
  Training training(Operands(4, float32, true), adam_options(8));
  const auto version = [](const Tensor& t) { return t.storage()->version.load(); };
  const std::vector<Tensor> written = training.written();
  const Tensor gradient = training.x.grad().value();
  std::vector<std::uint32_t> before;
  for (const Tensor& t : written) before.push_back(version(t));
  const auto of_gradient = version(gradient);
  training.optimiser.step();
  for (std::size_t k = 0; k < written.size(); ++k) {
    BOOST_TEST(version(written[k]) > before[k]);
  }
  BOOST_TEST(version(gradient) == of_gradient);
}

BOOST_AUTO_TEST_CASE(a_nan_stays_in_the_largest) {
  Operands o(3, float64, true);
  o.largest->set({1}, NAN);
  o.gradient.set({0}, NAN);
  Training training(o, adam_options(8));
  const Tensor x = training.x.value(), largest = training.written()[3];
  training.optimiser.step();
  BOOST_TEST(std::isnan(largest.at({1})));
  BOOST_TEST(std::isnan(x.at({1})));
  BOOST_TEST(std::isnan(x.at({0})));
  BOOST_TEST(std::isfinite(x.at({2})));
}

// --- SGD

namespace {

// Whether SGD takes them: Nesterov's momentum needs a momentum and no dampening.
bool are_allowed(const optim::SGDOptions& o) {
  return !o.nesterov || (o.momentum > 0 && o.dampening == 0);
}

optim::SGDOptions sgd_options(int bits) {
  return {.lr = 0.4,
          .momentum = bits & 1 ? 0.8 : 0,
          .dampening = bits & 2 ? 0.3 : 0,
          .weight_decay = bits & 4 ? 0.3 : 0,
          .nesterov = (bits & 8) != 0,
          .maximize = (bits & 16) != 0};
}

// A step with plain ops, in the operands' dtype and so to the last bit: the new x, and
// the new velocity in its place. Without a velocity it is the first step.
Tensor sgd_in_ops(const Tensor& x, const Tensor& gradient,
                  std::optional<Tensor>& velocity, const optim::SGDOptions& o) {
  Tensor g = o.maximize ? -gradient : gradient;
  if (o.weight_decay != 0) g = g + o.weight_decay * x;
  if (o.momentum != 0) {
    velocity = velocity ? o.momentum * *velocity + (1 - o.dampening) * g : g;
    g = o.nesterov ? g + o.momentum * *velocity : *velocity;
  }
  return x - o.lr * g;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_step_of_sgd_is_the_same_in_ops_to_the_bit) {
  const int before = num_threads();
  for (const DType dtype : {float32, float64}) {
    for (const std::int64_t n : {0, 1, 7, 8, 33, 1001, 300'001}) {
      for (int bits = 0; bits < 64; ++bits) {
        const optim::SGDOptions options = sgd_options(bits);
        if (!are_allowed(options) || (n > 2000 && bits % 21 != 0)) continue;
        set_num_threads(n > 2000 ? 3 : 1);
        const Operands o(n, dtype, false);
        std::optional<Tensor> velocity;
        const Variable x(o.x.clone(), true);
        SGD optimiser({x}, options);
        if (bits & 32 && options.momentum != 0) {
          velocity = o.m;
          optimiser.load_state_dict({{"0.momentum_buffer", o.m}});
        }
        const Tensor expected = sgd_in_ops(o.x, o.gradient, velocity, options);
        x.backward(Variable(o.gradient));
        optimiser.step();
        BOOST_TEST_INFO(name(dtype) << " " << n << ", options " << bits);
        BOOST_TEST(same_bits(x.value(), expected));
        const optim::State& state = optimiser.state(x);
        BOOST_TEST(state.contains("momentum_buffer") == velocity.has_value());
        BOOST_TEST((!velocity || same_bits(state.at("momentum_buffer"), *velocity)));
        BOOST_TEST(same_bits(x.grad().value(), o.gradient));
      }
    }
  }
  set_num_threads(before);
}

BOOST_AUTO_TEST_CASE(references_into_a_state_see_every_step) {
  const Variable x(tensor(1.0), true);
  Adam optimiser({x});
  x.backward(ones({}));
  optimiser.step();
  const Tensor& step = optimiser.state(x).at("step");
  const Tensor& mean = optimiser.state(x).at("exp_avg");
  const float before = mean.item<float>();
  const optim::StateDict saved = optimiser.state_dict();
  optimiser.step();
  BOOST_TEST(step.item() == 2);
  BOOST_TEST(mean.item<float>() == 0.9F * before + 0.1F);
  optimiser.options().amsgrad = true;
  optimiser.step();
  BOOST_TEST(step.item() == 3);
  BOOST_TEST(optimiser.state(x).contains("max_exp_avg_sq"));
  optimiser.load_state_dict(saved);
  BOOST_TEST(step.item() == 1);
  BOOST_TEST(mean.item<float>() == before);
  BOOST_TEST(!optimiser.state(x).contains("max_exp_avg_sq"));
}

BOOST_AUTO_TEST_CASE(an_infinite_parameter_without_a_decay_stays_infinite) {
  const Variable x(full({20}, INFINITY), true);
  x.backward(ones({20}));
  SGD({x}).step();
  BOOST_TEST(same_bits(x.value(), full({20}, INFINITY)));
}

namespace {

// Three steps of parameters of several sizes and layouts, in one optimiser, or each in
// one of its own. What they are then.
template <class Optimiser>
std::vector<Tensor> moved(const typename Optimiser::Options& options, bool together) {
  Generator generator(1);
  std::vector<Variable> parameters;
  for (const std::int64_t n : {1, 20'000, 0, 7, 30'000, 3, 16'384}) {
    parameters.emplace_back(randn({n}, n == 7 ? float64 : float32, generator), true);
  }
  parameters.emplace_back(randn({100, 70}, float32, generator).transpose(0, 1), true);
  for (const Variable& x : parameters) {
    x.backward(Variable(randn(x.shape(), x.dtype(), generator)));
  }
  std::vector<Optimiser> optimisers;
  if (together) {
    optimisers.emplace_back(parameters, options);
  } else {
    for (const Variable& x : parameters) {
      optimisers.emplace_back(std::vector<Variable>{x}, options);
    }
  }
  for (int step = 0; step < 3; ++step) {
    for (Optimiser& optimiser : optimisers) optimiser.step();
  }
  std::vector<Tensor> values;
  for (const Variable& x : parameters) values.push_back(x.value());
  return values;
}

template <class Optimiser>
void check_together(const typename Optimiser::Options& options) {
  const int before = num_threads();
  set_num_threads(1);
  const std::vector<Tensor> alone = moved<Optimiser>(options, false);
  for (const int threads : {1, 2, 3}) {
    set_num_threads(threads);
    const std::vector<Tensor> together = moved<Optimiser>(options, true);
    for (std::size_t i = 0; i < alone.size(); ++i) {
      BOOST_TEST(same_bits(together[i], alone[i]));
    }
  }
  set_num_threads(before);
}

}  // namespace

BOOST_AUTO_TEST_CASE(parameters_move_together_as_alone) {
  check_together<SGD>({.lr = 0.1, .momentum = 0.9});
  check_together<Adam>({.lr = 0.1, .amsgrad = true});
  check_together<optim::RMSprop>({.lr = 0.1, .momentum = 0.9, .centered = true});
  check_together<optim::Adagrad>({.lr = 0.1, .lr_decay = 0.1});
}

BOOST_AUTO_TEST_SUITE_END()

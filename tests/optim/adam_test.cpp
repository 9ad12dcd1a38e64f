// Adam and AdamW against their formula, for every combination of options, and what they
// refuse. The golden tests hold them to PyTorch's own runs.

#include <cmath>
#include <limits>

#include <boost/test/unit_test.hpp>

#include <heed.h>

#include "tests/errors.h"
#include "tests/infinity.h"
#include "tests/optim/checks.h"

using namespace heed;
using optim::Adam;
using optim::AdamW;

namespace {

// How many steps it has made with a parameter.
std::int64_t steps_of(const Adam& optimiser, const Variable& x) {
  const optim::State& state = optimiser.state(x);
  return state.empty() ? 0 : static_cast<std::int64_t>(state.at("step").item());
}

// A few steps on x³ beside the formula, for one combination of options.
template <class Optimiser>
void compare_with_formula(const optim::AdamOptions& o, bool decoupled) {
  const Variable x = leaf(2);
  Optimiser optimiser(
      {x}, typename Optimiser::Options{o.lr, o.betas, o.eps, o.weight_decay, o.amsgrad,
                                       o.maximize});
  if (decoupled) optimiser.options().decoupled_weight_decay = true;
  double expected = 2, m = 0, v = 0, largest = 0;
  for (int t = 1; t <= 5; ++t) {
    step_on_cubes(optimiser, x);
    double g = 3 * expected * expected * (o.maximize ? -1 : 1);
    if (decoupled) {
      expected *= 1 - o.lr * o.weight_decay;
    } else {
      g += o.weight_decay * expected;
    }
    m = o.betas[0] * m + (1 - o.betas[0]) * g;
    v = o.betas[1] * v + (1 - o.betas[1]) * g * g;
    largest = std::max(largest, v);
    const double root = std::sqrt(o.amsgrad ? largest : v);
    const double c1 = 1 - std::pow(o.betas[0], t),
                 c2 = std::sqrt(1 - std::pow(o.betas[1], t));
    expected -= o.lr / c1 * m / (root / c2 + o.eps);
    BOOST_TEST(x.item() == expected, boost::test_tools::tolerance(1e-13));
  }
  BOOST_TEST(steps_of(optimiser, x) == 5);
  BOOST_TEST(optimiser.state(x).contains("max_exp_avg_sq") == o.amsgrad);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(adam)

BOOST_AUTO_TEST_CASE(every_combination_of_options) {
  for (int bits = 0; bits < 128; ++bits) {
    BOOST_TEST_INFO("options " << bits);
    const optim::AdamOptions options{
        .lr = 0.1,
        .betas = {bits & 1 ? 0.5 : 0.9, bits & 2 ? 0.3 : 0.999},
        .eps = bits & 4 ? 0.5 : 1e-8,
        .weight_decay = bits & 8 ? 0.3 : 0,
        .amsgrad = (bits & 16) != 0,
        .maximize = (bits & 32) != 0,
        .decoupled_weight_decay = (bits & 64) != 0};
    compare_with_formula<Adam>(options, options.decoupled_weight_decay);
    compare_with_formula<AdamW>(options, true);
  }
}

BOOST_AUTO_TEST_CASE(only_adamw_decays_unasked) {
  const auto step = [](auto optimiser, const Variable& x) {
    (x * 0).backward();
    optimiser.step();
    return x.item();
  };
  const Variable x = leaf(1), y = leaf(1), z = leaf(1);
  BOOST_TEST(step(Adam({x}, {.lr = 0.5}), x) == 1);
  BOOST_TEST(step(AdamW({y}, {.lr = 0.5}), y) == 0.995);
  BOOST_TEST(step(Adam({z}, {.lr = 0.5, .decoupled_weight_decay = true}), z) == 1);
}

BOOST_AUTO_TEST_CASE(no_gradient_and_a_zero_gradient_are_different_things) {
  const Variable idle = leaf(1), zero = leaf(1);
  AdamW optimiser({idle, zero}, {.lr = 0.1, .weight_decay = 0.5});
  (zero * 0).backward();
  optimiser.step();
  BOOST_TEST(idle.item() == 1);
  BOOST_TEST(zero.item() == 0.95);
  BOOST_TEST(steps_of(optimiser, idle) == 0);
  BOOST_TEST(steps_of(optimiser, zero) == 1);
}

BOOST_AUTO_TEST_CASE(groups_have_options_of_their_own_that_may_change) {
  const Variable a = leaf(1), b = leaf(1);
  Adam optimiser(std::vector<Adam::Group>{{{a}, {.lr = 0.1}}, {{b}, {.lr = 0.2}}});
  BOOST_TEST(optimiser.param_groups().size() == 2u);
  (a + b).backward();
  optimiser.step();
  BOOST_TEST(a.item() == 0.9, boost::test_tools::tolerance(1e-7));
  BOOST_TEST(b.item() == 0.8, boost::test_tools::tolerance(1e-7));
  optimiser.options(1).lr = 0;
  optimiser.step();
  BOOST_TEST(b.item() == 0.8, boost::test_tools::tolerance(1e-7));
}

BOOST_AUTO_TEST_CASE(a_large_gradient_still_moves_its_parameter) {
  // Its square overflows float32, a thousandth of that does not. x by PyTorch 1.13.
  const Variable x(ones({}), true);
  Adam optimiser({x}, {.lr = 0.1});
  (x * 2e19).backward();
  optimiser.step();
  BOOST_TEST(x.item() == 0.9, boost::test_tools::tolerance(1e-6));
}

// 0 times infinity is NaN: without a decay nothing is multiplied. Numbers by PyTorch.
BOOST_AUTO_TEST_CASE(an_infinite_parameter_does_not_spoil_its_state) {
  const auto step = [](auto optimiser, const Variable& x) {
    x.backward(ones({2}, float64));
    optimiser.step();
    return optimiser.state(x).at("exp_avg").template to_vector<double>();
  };
  const auto start = [] { return Variable(tensor({-infinity, 1.0}, float64), true); };
  const Variable x = start(), y = start();
  const std::vector<double> expected = {1 - 0.9, 1 - 0.9};
  BOOST_TEST(step(Adam({x}), x) == expected);
  BOOST_TEST(step(AdamW({y}), y) == expected);
  BOOST_TEST(x.value().at({0}) == -infinity);
  BOOST_TEST(y.value().at({0}) == -infinity);
}

BOOST_AUTO_TEST_CASE(parameters_of_any_layout_and_size) {
  Generator generator(1);
  const Tensor start = randn({3, 40000}, float32, generator);
  const Variable plain(start.clone(), true);
  const Variable turned(transpose(transpose(start, 0, 1).contiguous(), 0, 1), true);
  Adam optimiser({plain, turned}, {.lr = 0.1});
  (sum(pow(plain, 3)) + sum(pow(turned, 3))).backward();
  optimiser.step();
  BOOST_TEST(all(plain.value() == turned.value()).item());
  BOOST_TEST(any(plain.value() != start).item());
}

BOOST_AUTO_TEST_CASE(a_saved_state_goes_on_as_if_nothing_had_happened) {
  const Variable x(tensor({1.0, 2.0}, float64), true), idle = leaf(3);
  // The gradients fall: the largest second moment is the first, and stays.
  const optim::AdamOptions options{.lr = 0.4, .betas = {0.9, 0.1}, .amsgrad = true};
  Adam first({x, idle}, options);
  step_on_cubes(first, x);
  step_on_cubes(first, x);
  BOOST_TEST(
      all(first.state(x).at("max_exp_avg_sq") > first.state(x).at("exp_avg_sq")).item());
  const Variable y(x.value().clone(), true);
  Adam second({y, leaf(3)}, options);
  const optim::StateDict state = first.state_dict();
  const Tensor mean = state.at("0.exp_avg").clone();
  second.load_state_dict(state);
  for (int i = 0; i < 3; ++i) {
    step_on_cubes(first, x);
    step_on_cubes(second, y);
    BOOST_TEST(all(x.value() == y.value()).item());
  }
  BOOST_TEST(first.state_dict().size() == 7u + 1u + 4u);  // nothing of the idle parameter
  // The options come along, except what makes Adam another optimiser.
  Adam plain({y, leaf(3)}, {.decoupled_weight_decay = true});
  plain.load_state_dict(state);
  BOOST_TEST(plain.options().lr == 0.4);
  BOOST_TEST(plain.options().betas == (std::array{0.9, 0.1}),
             boost::test_tools::per_element());
  BOOST_TEST(plain.options().amsgrad);
  BOOST_TEST(plain.options().decoupled_weight_decay);
  // A parameter without elements has a state without elements.
  const Variable nothing(zeros({0}, float64), true);
  Adam third({nothing});
  sum(square(nothing)).backward();
  third.step();
  third.load_state_dict(third.state_dict());
  BOOST_TEST(steps_of(third, nothing) == 1);
  // A state is a copy.
  BOOST_TEST(all(state.at("0.exp_avg") == mean).item());
}

BOOST_AUTO_TEST_CASE(a_state_that_does_not_fit_is_refused_whole) {
  const Variable x = leaf(1);
  Adam optimiser({x});
  square(x).backward();
  optimiser.step();
  const optim::StateDict good = optimiser.state_dict();
  const auto error_with = [&](auto change) {
    optim::StateDict state = good;
    change(state);
    return error_of([&] { optimiser.load_state_dict(state); });
  };
  BOOST_TEST(error_with([](auto& s) { s["1.step"] = tensor(1); }) ==
             "Adam: the state has entries that fit no parameter: 1.step");
  // A parameter without a gradient has no state, so that entries alone do not tell.
  Adam two({x, leaf(1)});
  BOOST_TEST(error_of([&] { two.load_state_dict(good); }) ==
             "Adam: the state must have as many parameters in group 0 as the optimiser, "
             "2, got 1");
  // A name may come from a file.
  BOOST_TEST(error_with([](auto& s) { s["\x1b]0;x\a"] = tensor(1); }) ==
             "Adam: the state has entries that fit no parameter: "
             R"("\u001b]0;x\u0007")");
  BOOST_TEST(error_with([](auto& s) { s["0.exp_avg"] = ones({2}, float64); }) ==
             "Adam: 0.exp_avg must be like its parameter, float64 (), got float64 (2)");
  BOOST_TEST(error_with([](auto& s) { s["0.step"] = tensor(-1); }) ==
             "Adam: 0.step must be a whole number from 1 to 1e+15, got -1");
  BOOST_TEST(error_with([](auto& s) { s.erase("0.exp_avg_sq"); }) ==
             "Adam: the state of parameter 0 must have step, exp_avg and exp_avg_sq, or "
             "none of them");
  BOOST_TEST(error_with([](auto& s) { s["0.exp_avg"] = ones({}, float32); }) ==
             "Adam: 0.exp_avg must be like its parameter, float64 (), got float32 ()");
  BOOST_TEST(error_with([](auto& s) { s["0.step"] = tensor(1.0); }) ==
             "Adam: 0.step must be an int64 number, got float32 of shape ()");
  BOOST_TEST(error_with([](auto& s) { s.erase("0.step"); }) ==
             "Adam: the state of parameter 0 must have step, exp_avg and exp_avg_sq, or "
             "none of them");
  BOOST_TEST(error_with([](auto& s) { s["0.exp_avg_sq"] = tensor(-0.5, float64); }) ==
             "Adam: the mean squares of parameter 0 must not be negative, got -0.5");
  const auto most = std::numeric_limits<std::int64_t>::max();
  BOOST_TEST(error_with([most](auto& s) {
               s["0.step"] = tensor(most);
             }).starts_with("Adam: 0.step must be a whole number from 1 to 1e+15, got "));
  BOOST_TEST(error_of([&] {
               optimiser.load_state_dict({{"0.max_exp_avg_sq", tensor(1.0, float64)}});
             }) ==
             "Adam: the state of parameter 0 must have step, exp_avg and exp_avg_sq, or "
             "none of them");
  BOOST_TEST(steps_of(optimiser, x) == 1);
  BOOST_TEST(optimiser.state(x).at("exp_avg").item() == good.at("0.exp_avg").item());
  optimiser.load_state_dict({});
  BOOST_TEST(steps_of(optimiser, x) == 0);
  BOOST_TEST(optimiser.state(x).empty());
}

BOOST_AUTO_TEST_CASE(what_it_refuses) {
  const Variable x = leaf(1);
  const auto error_for = [&](optim::AdamWOptions o) {
    return error_of([&] { AdamW({x}, o); });
  };
  BOOST_TEST(error_for({.lr = -1}) == "AdamW: lr must be at least 0, got -1");
  BOOST_TEST(error_for({.betas = {1, 0.9}}) ==
             "AdamW: betas[0] must be from 0 to below 1, got 1");
  BOOST_TEST(error_for({.betas = {0.9, -0.5}}) ==
             "AdamW: betas[1] must be from 0 to below 1, got -0.5");
  BOOST_TEST(error_for({.eps = -1}) == "AdamW: eps must be at least 0, got -1");
  BOOST_TEST(error_for({.weight_decay = std::nan("")}) ==
             "AdamW: weight_decay must be at least 0, got nan");
  AdamW changed({x});
  square(x).backward();
  changed.options(0).betas[0] = 2;
  BOOST_TEST(error_of([&] { changed.step(); }) ==
             "AdamW: betas[0] must be from 0 to below 1, got 2");
  BOOST_TEST(x.item() == 1);
  BOOST_TEST(steps_of(changed, x) == 0);
  BOOST_TEST(error_of([] { Adam(std::vector<Variable>{}); }) ==
             "Adam: there are no parameters");
  BOOST_TEST(error_of([&] {
               Adam({x, x});
             }) == "Adam: a parameter is given twice, the second time as number 1");
  const Variable repeated(expand(ones({1}), {4}), true);
  BOOST_TEST(error_of([&] {
               Adam({x, repeated});
             }) ==
             "Adam: a parameter must not repeat its elements; parameter 1 does, (4) with "
             "strides (0)");
  const Adam optimiser({x});
  BOOST_TEST(error_of([&] { optimiser.state(leaf(1)); }) ==
             "Adam: the state was asked for a Variable that is not a parameter");
}

BOOST_AUTO_TEST_CASE(memory_after_a_step_is_what_it_was_before) {
  check_memory_of_steps<AdamW>({.amsgrad = true});
}

BOOST_AUTO_TEST_SUITE_END()

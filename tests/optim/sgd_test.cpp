// SGD against its formula, for every combination of options, and what it refuses. The
// golden tests hold it to PyTorch's own runs.

#include <cmath>
#include <string>
#include <utility>

#include <boost/test/unit_test.hpp>

#include <heed.h>

#include "tests/errors.h"
#include "tests/optim/checks.h"

using namespace heed;
using optim::SGD;
using optim::SGDOptions;

BOOST_AUTO_TEST_SUITE(sgd)

// A copy would share the momenta, but not the counts of steps.
static_assert(!std::is_copy_constructible_v<SGD> && std::is_move_constructible_v<SGD>);
static_assert(!std::is_copy_assignable_v<optim::AdamW>);

BOOST_AUTO_TEST_CASE(every_combination_of_options) {
  for (int bits = 0; bits < 32; ++bits) {
    const SGDOptions o{
        .lr = 0.1,
        .momentum = bits & 1 ? 0.8 : 0,
        .dampening = bits & 2 ? 0.3 : 0,
        .weight_decay = bits & 4 ? 0.05 : 0,
        .nesterov = (bits & 8) != 0,
        .maximize = (bits & 16) != 0,
    };
    const Variable x = leaf(2);
    if (o.nesterov && (o.momentum == 0 || o.dampening != 0)) {
      BOOST_CHECK_THROW(SGD({x}, o), Error);
      continue;
    }
    SGD optimiser({x}, o);
    double expected = 2, v = 0;
    for (int step = 0; step < 4; ++step) {
      step_on_cubes(optimiser, x);
      double g = 3 * expected * expected;
      if (o.maximize) g = -g;
      g += o.weight_decay * expected;
      if (o.momentum != 0) {
        v = step == 0 ? g : o.momentum * v + (1 - o.dampening) * g;
        g = o.nesterov ? g + o.momentum * v : v;
      }
      expected -= o.lr * g;
      BOOST_TEST_INFO("options " << bits << ", step " << step);
      BOOST_TEST(x.item() == expected, boost::test_tools::tolerance(1e-13));
    }
    BOOST_TEST(optimiser.state(x).contains("momentum_buffer") == (o.momentum != 0));
  }
}

BOOST_AUTO_TEST_CASE(a_step_changes_parameters_and_not_gradients) {
  const Variable x = leaf(2);
  SGD optimiser({x}, {.lr = 0.1, .momentum = 0.9, .weight_decay = 0.1});
  square(x).backward();
  for (int i = 0; i < 3; ++i) {
    optimiser.step();
    BOOST_TEST(x.grad().item() == 4);
  }
}

BOOST_AUTO_TEST_CASE(no_gradient_and_a_zero_gradient_are_different_things) {
  const Variable idle = leaf(1), zero = leaf(1);
  SGD optimiser({idle, zero}, {.lr = 0.1, .momentum = 0.9, .weight_decay = 0.5});
  (zero * 0).backward();
  optimiser.step();
  BOOST_TEST(idle.item() == 1);
  BOOST_TEST(zero.item() == 0.95);
  BOOST_TEST(!optimiser.state(idle).contains("momentum_buffer"));
  BOOST_TEST(optimiser.state(zero).at("momentum_buffer").item() == 0.5);
}

BOOST_AUTO_TEST_CASE(groups_have_options_of_their_own_that_may_change) {
  const Variable a = leaf(1), b = leaf(1);
  SGD optimiser(std::vector<SGD::Group>{{{a}, {.lr = 0.1}}, {{b}, {.lr = 0.2}}});
  BOOST_TEST(optimiser.param_groups().size() == 2u);
  (a + b).backward();
  optimiser.step();
  BOOST_TEST(a.item() == 0.9);
  BOOST_TEST(b.item() == 0.8);
  optimiser.options(1).lr = 0;
  optimiser.step();
  BOOST_TEST(a.item() == 0.8);
  BOOST_TEST(b.item() == 0.8);
}

BOOST_AUTO_TEST_CASE(a_refused_step_moves_nothing) {
  const Variable a = leaf(1), b = leaf(1);
  SGD optimiser(std::vector<SGD::Group>{{{a}, {.lr = 0.1}}, {{b}, {.lr = 0.2}}});
  (a + b).backward();
  optimiser.options(1).lr = -1;
  BOOST_CHECK_THROW(optimiser.step(), Error);
  BOOST_TEST(a.item() == 1);
  BOOST_CHECK_EXCEPTION(optimiser.options(2), Error,
                        says("SGD: the group must be below 2, got 2"));
}

BOOST_AUTO_TEST_CASE(a_saved_state_goes_on_as_if_nothing_had_happened) {
  for (const DType dtype : {float32, float64}) {
    Generator generator(1);
    const Variable x(randn({3, 5}, dtype, generator), true), idle = leaf(3);
    const SGDOptions options{
        .lr = 0.1, .momentum = 0.9, .dampening = 0.3, .weight_decay = 0.01};
    SGD first({idle, x}, options);
    BOOST_TEST(first.state_dict().size() == 6u + 1u);  // and "params"
    step_on_cubes(first, x);
    const optim::StateDict state = first.state_dict();
    BOOST_TEST(state.size() == 6u + 1u + 1u);  // nothing of the idle parameter
    BOOST_TEST((state.at("1.momentum_buffer").shape() == Shape{3, 5}));
    const Variable y(x.value().clone(), true);
    SGD second({leaf(3), y}, options);
    second.load_state_dict(state);
    for (int i = 0; i < 3; ++i) {
      step_on_cubes(first, x);
      step_on_cubes(second, y);
      BOOST_TEST(all(x.value() == y.value()).item());
    }
    // The state is a copy, both ways: the saved one is what it was.
    SGD third({leaf(3), y}, options);
    third.load_state_dict(state);
    BOOST_TEST(all(third.state(y).at("momentum_buffer") == state.at("1.momentum_buffer"))
                   .item());
    BOOST_TEST(any(second.state(y).at("momentum_buffer") != state.at("1.momentum_buffer"))
                   .item());
    // The options come along, a rate that was changed on the way too.
    first.options().lr = 0.25;
    SGD other({leaf(3), y});
    other.load_state_dict(first.state_dict());
    BOOST_TEST(other.options().lr == 0.25);
    BOOST_TEST(other.options().momentum == 0.9);
    BOOST_TEST(other.options().dampening == 0.3);
    BOOST_TEST(other.options().weight_decay == 0.01);
    BOOST_TEST(!other.options().nesterov);
    // An empty state forgets, except the options.
    third.load_state_dict({});
    BOOST_TEST(!third.state(y).contains("momentum_buffer"));
    BOOST_TEST(third.options().lr == 0.1);
  }
}

BOOST_AUTO_TEST_CASE(a_group_can_be_added) {
  const Variable x = leaf(1), y = leaf(2);
  SGD optimiser({x}, {.lr = 0.5});
  optimiser.add_param_group({{y}, {.lr = 0.25}});
  BOOST_TEST(optimiser.parameters().size() == 2u);
  (x * 2 + y * 4).backward();
  optimiser.step();
  BOOST_TEST(x.item() == 0);
  BOOST_TEST(y.item() == 1);
  BOOST_TEST(error_of([&] {
               optimiser.add_param_group({{x}, {}});
             }) == "SGD: a parameter is given twice, the second time as number 2");
  BOOST_TEST(optimiser.param_groups().size() == 2u);
  // Of AdamW it is AdamW's: the weights decay, though the gradient is 0.
  const Variable z = leaf(2);
  optim::AdamW adamw({leaf(1)});
  adamw.add_param_group({{z}, {.lr = 0.5, .weight_decay = 0.5}});
  (z * 0).backward();
  adamw.step();
  BOOST_TEST(z.item() == 1.5);
}

BOOST_AUTO_TEST_CASE(parameters_share_no_elements) {
  const Tensor m = zeros({3, 4});
  const auto parameter = [](const Tensor& x) { return Variable(x, true); };
  // Views of one storage that lie side by side or interlace.
  const std::vector<Variable> columns = {
      parameter(slice(m, 1, 0, 2)), parameter(select(m, 1, 2)),
      parameter(slice(m, 1, 3, 4)), parameter(slice(m, 0, 0, 0))};
  for (const Variable& x : columns) x.backward(ones(x.shape()));
  SGD optimiser(columns, {.lr = 1});
  optimiser.step();
  BOOST_TEST(all(m == -1).item() == 1);
  const auto error_with = [&](const Tensor& x) {
    return error_of([&] { SGD({columns[0], columns[1], parameter(x)}); });
  };
  BOOST_TEST(error_with(select(m, 0, 2)) ==
             "SGD: parameters must not share elements; parameters 0 and 2 do");
  BOOST_TEST(error_with(slice(m, 1, 2, 4)) ==
             "SGD: parameters must not share elements; parameters 1 and 2 do");
  BOOST_TEST(error_of([&] {
               optimiser.add_param_group({{parameter(transpose(m, 0, 1))}, {}});
             }) == "SGD: parameters must not share elements; parameters 0 and 4 do");
}

BOOST_AUTO_TEST_CASE(options_of_a_state_are_those_of_each_group) {
  const Variable x = leaf(1), y = leaf(2);
  const auto make = [&](double lr) {
    return SGD(
        {{{x}, {.lr = lr}}, {{y}, {.lr = 2 * lr, .momentum = 0.5, .nesterov = true}}});
  };
  SGD first = make(0.5), second = make(3);
  const optim::StateDict state = first.state_dict();
  BOOST_TEST(state.at("group.1.lr").item() == 1);
  BOOST_TEST((state.at("group.1.lr").dtype() == float64));
  second.load_state_dict(state);
  BOOST_TEST(second.options(0).lr == 0.5);
  BOOST_TEST(second.options(1).lr == 1);
  const auto error_with = [&](const char* option, const Tensor& value) {
    optim::StateDict changed = state;
    changed[option] = value;
    const std::string error = error_of([&] { second.load_state_dict(changed); });
    BOOST_TEST(second.options(1).lr == 1);
    return error;
  };
  BOOST_TEST(error_with("group.1.lr", tensor(-1.0, float64)) ==
             "SGD: lr must be at least 0, got -1");
  BOOST_TEST(error_with("group.1.lr", tensor(1.0)) ==
             "SGD: group.1.lr must be a float64 number, got float32 of shape ()");
  BOOST_TEST(error_with("group.0.lr", tensor(NAN, float64)) ==
             "SGD: lr must be at least 0, got nan");
  BOOST_TEST(error_with("group.0.maximize", tensor(0.5, float64)) ==
             "SGD: maximize must be 0 or 1, got 0.5");
  BOOST_TEST(error_with("group.0.momentum", ones({1}, float64)) ==
             "SGD: group.0.momentum must be a float64 number, got float64 of shape (1)");
  BOOST_TEST(error_with("group.2.lr", tensor(1.0, float64)) ==
             "SGD: the state must have as many groups as the optimiser, 2, got 3");
  const optim::StateDict one_group = SGD({leaf(1), leaf(2)}).state_dict();
  BOOST_TEST(error_of([&] { second.load_state_dict(one_group); }) ==
             "SGD: the state must have as many groups as the optimiser, 2, got 1");
}

BOOST_AUTO_TEST_CASE(a_state_that_does_not_fit_is_refused_whole) {
  const Variable x = leaf(1), y(ones({2}, float64), true);
  SGD optimiser({x, y}, {.momentum = 0.5});
  (square(x) + sum(y)).backward();
  optimiser.step();
  const optim::StateDict good = optimiser.state_dict();
  const auto error_with = [&](auto change) {
    optim::StateDict state = good;
    state["0.momentum_buffer"] = tensor(7.0, float64);  // which fits
    change(state);
    const std::string error = error_of([&] { optimiser.load_state_dict(state); });
    BOOST_TEST(optimiser.state(x).at("momentum_buffer").item() == 2);
    BOOST_TEST(optimiser.state(y).at("momentum_buffer").at({1}) == 1);
    return error;
  };
  BOOST_TEST(error_with([](auto& s) { s["2.momentum_buffer"] = ones({2}); }) ==
             "SGD: the state has entries that fit no parameter: 2.momentum_buffer");
  BOOST_TEST(error_with([](auto& s) {
               s["1.exp_avg"] = ones({2}, float64);
               s["lr"] = tensor(0.5);
             }) == "SGD: the state has entries that fit no parameter: 1.exp_avg lr");
  BOOST_TEST(
      error_with([](auto& s) { s["1.momentum_buffer"] = ones({3}, float64); }) ==
      "SGD: 1.momentum_buffer must be like its parameter, float64 (2), got float64 (3)");
  BOOST_TEST(
      error_with([](auto& s) { s["1.momentum_buffer"] = ones({2}, float32); }) ==
      "SGD: 1.momentum_buffer must be like its parameter, float64 (2), got float32 (2)");
}

BOOST_AUTO_TEST_CASE(parameters_of_any_layout) {
  Generator generator(2);
  const Tensor start = randn({3, 40}, float32, generator);
  const Variable plain(start.clone(), true);
  const Variable turned(transpose(transpose(start, 0, 1).contiguous(), 0, 1), true);
  SGD optimiser({plain, turned}, {.lr = 0.1, .momentum = 0.5, .nesterov = true});
  for (int i = 0; i < 2; ++i) {
    optimiser.zero_grad();
    (sum(pow(plain, 3)) + sum(pow(turned, 3))).backward();
    optimiser.step();
  }
  BOOST_TEST(all(plain.value() == turned.value()).item());
  BOOST_TEST(any(plain.value() != start).item());
  const Variable repeated(expand(ones({1}), {4}), true);
  BOOST_TEST(error_of([&] {
               SGD({plain, repeated});
             }) ==
             "SGD: a parameter must not repeat its elements; parameter 1 does, (4) with "
             "strides (0)");
}

BOOST_AUTO_TEST_CASE(what_it_refuses) {
  const Variable x = leaf(1);
  BOOST_CHECK_EXCEPTION(SGD(std::vector<Variable>{}), Error,
                        says("SGD: there are no parameters"));
  BOOST_CHECK_EXCEPTION(
      SGD({x, x}), Error,
      says("SGD: a parameter is given twice, the second time as number 1"));
  BOOST_CHECK_EXCEPTION(SGD({x, Variable(full({}, 1.0))}), Error,
                        says("SGD: a parameter must be a leaf that requires a gradient; "
                             "parameter 1 is not"));
  BOOST_CHECK_EXCEPTION(SGD({square(x)}), Error,
                        says("SGD: a parameter must be a leaf that requires a gradient; "
                             "parameter 0 is not"));
  BOOST_CHECK_EXCEPTION(SGD({x}, {.lr = -1}), Error,
                        says("SGD: lr must be at least 0, got -1"));
  BOOST_CHECK_EXCEPTION(SGD({x}, {.lr = std::nan("")}), Error,
                        says("SGD: lr must be at least 0, got nan"));
  BOOST_CHECK_EXCEPTION(SGD({x}, {.momentum = -1}), Error,
                        says("SGD: momentum must be at least 0, got -1"));
  BOOST_CHECK_EXCEPTION(SGD({x}, {.weight_decay = -1}), Error,
                        says("SGD: weight_decay must be at least 0, got -1"));
  BOOST_CHECK_EXCEPTION(
      SGD({x}, {.nesterov = true}), Error,
      says(
          "SGD: nesterov needs a momentum and no dampening, got momentum 0 and dampening "
          "0"));
  SGD optimiser({x});
  BOOST_CHECK_EXCEPTION(
      optimiser.state(leaf(1)), Error,
      says("SGD: the state was asked for a Variable that is not a parameter"));
}

BOOST_AUTO_TEST_CASE(an_optimiser_that_was_moved_from) {
  const Variable x = leaf(1);
  SGD optimiser({x});
  const SGD moved = std::move(optimiser);
  const std::string message = "SGD: the optimiser was moved from";
  BOOST_TEST(error_of([&] { optimiser.step(); }) == message);
  BOOST_TEST(error_of([&] { optimiser.zero_grad(); }) == message);
  BOOST_TEST(error_of([&] { (void)optimiser.options(); }) == message);
  BOOST_TEST(error_of([&] { (void)optimiser.param_groups(); }) == message);
  BOOST_TEST(error_of([&] { (void)optimiser.state(x); }) == message);
  BOOST_TEST(error_of([&] { (void)optimiser.state_dict(); }) == message);
  BOOST_TEST(error_of([&] { optimiser.load_state_dict({}); }) == message);
}

BOOST_AUTO_TEST_CASE(memory_after_a_step_is_what_it_was_before) {
  check_memory_of_steps<SGD>({.lr = 0.1, .momentum = 0.9});
}

BOOST_AUTO_TEST_SUITE_END()

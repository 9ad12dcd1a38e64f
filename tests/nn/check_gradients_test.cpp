// check_gradients of a model and its optimiser: what is wrong before a step.

#include <cmath>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>
#include <fmt/format.h>

#include <heed.h>

#include "tests/errors.h"

using namespace heed;

namespace {

struct Net {
  nn::Linear hidden{2, 3}, out{3, 1}, unused{2, 2};
  Variable operator()(const Variable& x) { return out(relu(hidden(x))); }
  void visit(auto&& f) {
    f("hidden", hidden);
    f("out", out);
    f("unused", unused);
  }
};

using Lines = std::vector<std::string>;

void check_lines(const Lines& found, const Lines& expected) {
  BOOST_TEST(fmt::format("{}", fmt::join(found, "\n")) ==
             fmt::format("{}", fmt::join(expected, "\n")));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(check_gradients)

BOOST_AUTO_TEST_CASE(all_is_well) {
  manual_seed(1);
  nn::Linear net(3, 2);
  optim::Adam optimiser(nn::parameters(net));
  sum(square(net(randn({4, 3})))).backward();
  check_lines(nn::check_gradients(net, optimiser), {});
}

BOOST_AUTO_TEST_CASE(gradients_that_are_missing_zero_or_not_finite) {
  manual_seed(1);
  Net net;
  {
    const NoGrad no_grad;
    net.hidden.bias.fill_(-100);  // no relu passes anything on
  }
  optim::SGD optimiser(nn::parameters(net), {.lr = 1e-3});
  sum(square(net(ones({1, 2})))).backward();
  check_lines(nn::check_gradients(net, optimiser),
              {"hidden.weight: its gradient is zero", "hidden.bias: its gradient is zero",
               "out.weight: its gradient is zero", "unused.weight: no gradient",
               "unused.bias: no gradient"});
  net.unused.weight.requires_grad_(false);
  Tensor gradient = net.out.bias.grad().value();
  gradient.fill_(NAN);
  check_lines(nn::check_gradients(net, optimiser),
              {"hidden.weight: its gradient is zero", "hidden.bias: its gradient is zero",
               "out.weight: its gradient is zero",
               "out.bias: 1 of the 1 elements of its gradient are not finite",
               "unused.bias: no gradient"});
}

BOOST_AUTO_TEST_CASE(updates_that_are_too_large_or_too_small) {
  nn::Linear net(2, 1);
  {
    const NoGrad no_grad;
    net.weight.fill_(1);
    net.bias.fill_(0);  // of any size beside nothing
  }
  optim::SGD optimiser(nn::parameters(net), {.lr = 0.5});
  net(ones({1, 2})).sum().backward();
  check_lines(nn::check_gradients(net, optimiser),
              {"weight: a step moves it by 0.5 of its norm; usual is from 1e-06 to 0.1"});
  optimiser.options().lr = 1e-7;
  check_lines(
      nn::check_gradients(net, optimiser, {.smallest = 1e-3}),
      {"weight: a step moves it by 1.2e-07 of its norm; usual is from 0.001 to 0.1"});
  check_lines(nn::check_gradients(net, optimiser, {.smallest = 0}), {});
}

BOOST_AUTO_TEST_CASE(parameters_that_are_zero) {
  nn::Linear net(2, 1);
  {
    const NoGrad no_grad;
    net.weight.fill_(0);
    net.bias.fill_(0);
  }
  optim::SGD optimiser(nn::parameters(net), {.lr = 0});
  net(ones({1, 2})).sum().backward();
  check_lines(nn::check_gradients(net, optimiser),
              {"weight: it is all zeros, and a step moves it by 0",
               "bias: it is all zeros, and a step moves it by 0"});
  optimiser.options().lr = 1e-3;
  check_lines(nn::check_gradients(net, optimiser), {});
}

// An optimiser that fails when it has moved its parameters.
struct Failing : optim::SGD {
  using optim::SGD::SGD;
  void step() {
    optim::SGD::step();
    fail("half-way");
  }
};

BOOST_AUTO_TEST_CASE(a_step_that_throws_is_taken_back) {
  nn::Linear net(2, 1);
  Failing optimiser(nn::parameters(net), {.lr = 0.5, .momentum = 0.9});
  net(ones({1, 2})).sum().backward();
  const auto before = net.weight.value().to_vector<float>();
  const auto states = optimiser.state_dict().size();
  BOOST_TEST(error_of([&] { (void)nn::check_gradients(net, optimiser); }) == "half-way");
  BOOST_TEST(net.weight.value().to_vector<float>() == before,
             boost::test_tools::per_element());
  BOOST_TEST(optimiser.state_dict().size() == states);
}

BOOST_AUTO_TEST_CASE(parameters_of_one_side_alone) {
  nn::Linear net(2, 1), other(4, 1);
  optim::SGD optimiser({net.weight, other.weight}, {.lr = 1e-3});
  net(ones({1, 2})).sum().backward();
  check_lines(nn::check_gradients(net, optimiser),
              {"bias: the optimiser does not have it",
               "parameter 1 of the optimiser, (1, 4): it is none of the model's"});
  nn::zero_grad(net);
  check_lines(
      nn::check_gradients(net, optimiser),
      {"weight: no gradient", "bias: no gradient", "bias: the optimiser does not have it",
       "parameter 1 of the optimiser, (1, 4): it is none of the model's"});
}

BOOST_AUTO_TEST_CASE(one_tensor_in_two_leaves) {
  nn::Linear first(2, 2), second(2, 2);
  second.weight = Variable(first.weight.value(), true);
  nn::Sequential net(first, second);
  // An optimiser refuses to take both.
  optim::SGD optimiser({first.weight, first.bias, second.bias}, {.lr = 1e-3});
  net(ones({1, 2})).sum().backward();
  check_lines(nn::check_gradients(net, optimiser),
              {"1.weight: shares elements with 0.weight, and is another leaf",
               "1.weight: the optimiser does not have it"});
}

// Nothing is left of the step that was tried.
BOOST_AUTO_TEST_CASE(nothing_has_changed) {
  manual_seed(4);
  const auto train = [](bool checks) {
    manual_seed(4);
    nn::Linear net(3, 2);
    optim::AdamW optimiser(nn::parameters(net), {.amsgrad = true});
    std::vector<double> numbers;
    for (int step = 0; step < 3; ++step) {
      optimiser.zero_grad();
      sum(square(net(ones({2, 3})))).backward();
      if (checks) (void)nn::check_gradients(net, optimiser);
      optimiser.step();
      for (const double d : net.weight.value().to(float64).to_vector<double>()) {
        numbers.push_back(d);
      }
    }
    return numbers;
  };
  BOOST_TEST(train(true) == train(false), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

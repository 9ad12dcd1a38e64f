// DetectAnomaly names the first op that makes a NaN or an infinity.

#include <cmath>
#include <cstdlib>
#include <memory>

#include <boost/test/unit_test.hpp>

#include <heed.h>

#include "tests/autograd/checks.h"
#include "tests/errors.h"

using namespace heed;

namespace {

// The message of what `f` throws while anomalies are detected.
template <class F>
std::string anomaly(F&& f, const NamedVariables& names = {}) {
  const DetectAnomaly detect(names);
  return error_of(std::forward<F>(f));
}

struct Net {
  nn::Linear hidden{2, 3}, out{3, 1};
  Variable w{full({2}, -1.0), true};

  Variable operator()(const Variable& x) { return out(tanh(hidden(x * (sqrt(w) * w)))); }
  void visit(auto&& f) {
    f("hidden", hidden);
    f("out", out);
    f("scale.w", w);
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(anomalies)

BOOST_AUTO_TEST_CASE(a_root_in_a_model_is_named) {
  Net net;
  BOOST_TEST(
      anomaly(
          [&] {
            (void)net(ones({4, 2}));
          },
          nn::named_parameters(net)) ==
      "DetectAnomaly: the result of sqrt (2) has NaN in 2 of 2 elements; its inputs: "
      "(2) from -1 to -1; computed from the leaf scale.w (2)");
  // Without names, and with ops before it.
  BOOST_TEST(
      anomaly([&] { (void)log(sum(net.w * 2)); }) ==
      "DetectAnomaly: the result of log () has NaN in 1 of 1 elements; its inputs: () "
      "from -4 to -4; computed from sum () <- mul (2) <- the leaf (2)");
}

BOOST_AUTO_TEST_CASE(of_two_leaves_a_named_one_is_told) {
  const Variable x = leaf(-1), w = leaf(1);
  BOOST_TEST(
      anomaly([&] { (void)log(x * exp(w)); }, {{"net.w", w}}) ==
      "DetectAnomaly: the result of log () has NaN in 1 of 1 elements; its inputs: () "
      "from -2.71828 to -2.71828; computed from mul () <- exp () <- the leaf net.w ()");
}

// Some of whose inputs may be undefined.
BOOST_AUTO_TEST_CASE(a_fused_op_is_named) {
  const Variable q(full({1, 1, 2}, 1e30), true), v(ones({1, 1, 2}));
  BOOST_TEST(
      anomaly([&] { (void)nn::scaled_dot_product_attention(q, q, v); }, {{"q", q}}) ==
      "DetectAnomaly: the result of scaled_dot_product_attention (1, 1, 2) has NaN in 2 "
      "of 2 elements; its inputs: (1, 1, 2) from 1e+30 to 1e+30, (1, 1, 2) from 1e+30 to "
      "1e+30, (1, 1, 2) from 1 to 1; computed from the leaf q (1, 1, 2)");
  const Variable x(tensor({0.0, 0.0, 1.0})), weight(full({3}, 3e38), true);
  BOOST_TEST(
      anomaly([&] { (void)layer_norm(x, weight, {}); }) ==
      "DetectAnomaly: the result of layer_norm (3) has inf in 1 of 3 elements; its "
      "inputs: (3) from 0 to 1, (3) from 3e+38 to 3e+38; computed from the leaf (3)");
}

BOOST_AUTO_TEST_CASE(infinities_are_faults_too) {
  const Variable x(tensor({0.0, 1.0}), true);
  BOOST_TEST(
      anomaly([&] { (void)log(x); }) ==
      "DetectAnomaly: the result of log (2) has inf in 1 of 2 elements; its inputs: "
      "(2) from 0 to 1; computed from the leaf (2)");
  // Also while nothing is recorded, and for constants.
  BOOST_TEST(
      anomaly([] {
        const NoGrad no_grad;
        (void)exp(Variable(tensor(1000.0)));
      }) ==
      "DetectAnomaly: the result of exp () has inf in 1 of 1 elements; its inputs: () "
      "from 1000 to 1000");
}

// What the program writes itself is meant; a NaN that is made of it is not.
BOOST_AUTO_TEST_CASE(masks_are_no_faults) {
  const Variable scores(randn({2, 3}), true);
  const Tensor hidden = tensor({{0, 0, 1}, {1, 1, 1}}) > 0;
  const Variable masked = masked_fill(scores, hidden, -INFINITY);
  BOOST_TEST(anomaly([&] {
               const Variable row = softmax(masked_fill(scores, hidden, -INFINITY)[0] +
                                                tensor({0.0, -INFINITY, 0.0}),
                                            -1);
               sum(row * 2).backward();
             }) == "no error");
  BOOST_TEST(
      anomaly([&] { (void)softmax(masked, -1); }) ==
      "DetectAnomaly: the result of softmax (2, 3) has NaN in 3 of 6 elements; its "
      "inputs: (2, 3) with inf in 4 of 6 elements; computed from masked_fill (2, 3) <- "
      "the leaf (2, 3)");
  BOOST_TEST(
      anomaly([&] { (void)masked_fill(scores, hidden, NAN); }) ==
      "DetectAnomaly: the result of masked_fill (2, 3) has NaN in 4 of 6 elements; its "
      "inputs: (2, 3) from " +
          fmt::format("{:.6g} to {:.6g}", min(scores).item(), max(scores).item()) +
          "; computed from the leaf (2, 3)");
  // A whole attention, with a query without keys and a NaN in the padding.
  Tensor keys = randn({1, 4, 8});
  keys[0][3].fill_(NAN);
  const Variable query(randn({1, 3, 8}), true), key(keys, true);
  BOOST_TEST(anomaly([&] {
               sum(nn::scaled_dot_product_attention(query, key, key,
                                                    nn::Mask::valid_lens(tensor({3}))))
                   .backward();
             }) == "no error");
}

BOOST_AUTO_TEST_CASE(a_derivative_that_is_not_finite) {
  const Variable x(tensor({0.0, 4.0}), true);
  BOOST_TEST(
      anomaly([&] { sum(sqrt(x * 1)).backward(); }, {{"x", x}}) ==
      "DetectAnomaly: the derivative of sqrt by its input 0 (2) has inf in 1 of 2 "
      "elements, though the gradient of its result, (2) from 1 to 1, is finite; the "
      "derivative is dx = g / 2y; backward came by sum () -> sqrt (2); its input is "
      "mul (2) <- the leaf x (2)");
  BOOST_TEST(!x.has_grad());
}

BOOST_AUTO_TEST_CASE(gradients_that_overflow_when_they_meet) {
  const Variable x(tensor(0.5), true);
  const Variable y = x * 1;
  BOOST_TEST(
      anomaly([&] { (y * 2e38 + y * 2e38).backward(); }) ==
      "DetectAnomaly: the gradients that arrive at mul () are finite, and their sum "
      "has inf in 1 of 1 elements; backward came by add () -> mul () -> mul (); its "
      "input is mul () <- the leaf ()");
  BOOST_TEST(anomaly([&] { (y * 1e38 + y * 2e38).backward(); }) == "no error");
}

// What follows from a start that is not finite is nobody's fault.
BOOST_AUTO_TEST_CASE(a_gradient_that_is_given_is_not_judged) {
  const Variable x = leaf(2);
  BOOST_TEST(anomaly([&] { square(x).backward(full({}, INFINITY, float64)); }) ==
             "no error");
  BOOST_TEST(x.grad().item() == INFINITY);
}

BOOST_AUTO_TEST_CASE(rules_are_checked_by_what_they_deliver) {
  // The rule of norm at 0 divides by 0 and selects: a fault of no one.
  const Variable x(zeros({3}), true);
  BOOST_TEST(anomaly([&] { norm(x).backward({.create_graph = true}); }) == "no error");
  // Second derivatives are checked as well.
  const Variable y = leaf(0);
  BOOST_TEST(anomaly([&] {
               const Variable first = grad(pow(y, 1.5), {y}, {.create_graph = true})[0];
               first.backward();
             }).find("DetectAnomaly: the derivative of pow") == 0);
}

BOOST_AUTO_TEST_CASE(scopes_end_and_nest) {
  const Variable x = leaf(-1);
  const auto fault = [&] { (void)sqrt(x); };
  {
    const DetectAnomaly outer({{"outer.x", x}});
    {
      const DetectAnomaly inner({{"inner.x", x}});
      BOOST_TEST(error_of(fault).ends_with("computed from the leaf inner.x ()"));
    }
    BOOST_TEST(error_of(fault).ends_with("computed from the leaf outer.x ()"));
  }
  BOOST_TEST(error_of(fault) == "no error");
  // An Error that ends a backward leaves the check in force for the next one.
  const DetectAnomaly detect;
  const Variable zero = leaf(0);
  for (int i = 0; i < 2; ++i) {
    BOOST_TEST(error_of([&] { sqrt(zero).backward(); }).starts_with("DetectAnomaly: "));
    BOOST_TEST(error_of(fault).starts_with("DetectAnomaly: the result of sqrt"));
  }
}

BOOST_AUTO_TEST_CASE(a_number_of_where_is_meant_as_that_of_masked_fill) {
  const Variable x(ones({3}), true);
  const Tensor mask = tensor({1, 0, 1}) > 0;
  BOOST_TEST(anomaly([&] {
               (void)where(mask, x, -INFINITY);
               (void)where(mask, INFINITY, x);
             }) == "no error");
  BOOST_TEST(anomaly([&] {
               (void)where(mask, x, NAN);
             }).starts_with("DetectAnomaly: the result of where (3) has NaN in 1 of 3"));
}

BOOST_AUTO_TEST_CASE(scopes_end_in_any_order) {
  const Variable x = leaf(-1);
  const auto fault = [&] { (void)sqrt(x); };
  auto first = std::make_unique<DetectAnomaly>(NamedVariables{{"first.x", x}});
  auto second = std::make_unique<DetectAnomaly>(NamedVariables{{"second.x", x}});
  auto third = std::make_unique<DetectAnomaly>(NamedVariables{{"third.x", x}});
  second.reset();
  BOOST_TEST(error_of(fault).ends_with("the leaf third.x ()"));
  third.reset();
  BOOST_TEST(error_of(fault).ends_with("the leaf first.x ()"));
  third = std::make_unique<DetectAnomaly>(NamedVariables{{"third.x", x}});
  first.reset();
  BOOST_TEST(error_of(fault).ends_with("the leaf third.x ()"));
  third.reset();
  BOOST_TEST(error_of(fault) == "no error");
}

// The node whose rule it is, not an op inside the rule.
BOOST_AUTO_TEST_CASE(explain_names_the_node) {
  const Variable x(tensor({0.0, 4.0}), true);
  const std::string found = anomaly([&] { (void)explain(sum(sqrt(x))); }, {{"x", x}});
  BOOST_TEST(found.starts_with("DetectAnomaly: the derivative of sqrt by its input 0 "
                               "(2) has inf in 1 of 2 elements"),
             found);
}

BOOST_AUTO_TEST_CASE(bits_are_the_same_with_it_and_without) {
  manual_seed(2);
  nn::Gpt model(
      {.vocab_size = 7, .block_size = 5, .n_layer = 1, .n_head = 2, .n_embd = 8});
  const Tensor ids = randint(0, 7, {2, 5});
  const auto gradients = [&] {
    nn::zero_grad(model);
    sum(square(model(ids))).backward();
    std::vector<double> all;
    for (const Variable& p : nn::parameters(model)) {
      for (const double d : p.grad().value().to(float64).to_vector<double>())
        all.push_back(d);
    }
    return all;
  };
  const std::vector<double> without = gradients();
  const DetectAnomaly detect;
  BOOST_TEST(gradients() == without, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

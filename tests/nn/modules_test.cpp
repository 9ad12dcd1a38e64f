// The walker over a module's parts, and the modules that there are.

#include <boost/test/unit_test.hpp>

#include <heed.h>

#include "tests/errors.h"
#include "tests/nn/checks.h"

using namespace heed;

namespace {

struct Mlp {
  std::vector<nn::Linear> hidden;
  nn::Linear out{4, 1, {.bias = false}};
  nn::Dropout dropout{0.25};
  Tensor scale = full({2}, 3.0);

  Mlp() {
    hidden.emplace_back(2, 4);
    hidden.emplace_back(4, 4);
  }
  Variable operator()(Variable x) {
    for (nn::Linear& layer : hidden) x = tanh(layer(x));
    return out(dropout(x));
  }
  void visit(auto&& f) {
    f("hidden", hidden);
    f("out", out);
    f("dropout", dropout);
    f("scale", scale);
  }
};

// Two names for one parameter.
struct Tied {
  nn::Linear first{3, 3};
  nn::Linear second = first;
  void visit(auto&& f) {
    f("first", first);
    f("second", second);
  }
};

struct Two {
  Tensor a = full({2}, 1.0), b = full({2}, 2.0);
  void visit(auto&& f) {
    f("a", a);
    f("b", b);
  }
};

// Two parts of one name.
struct Twice {
  Tensor a = full({2}, 1.0), b = full({2}, 2.0);
  void visit(auto&& f) {
    f("a", a);
    f("a", b);
  }
};

struct Forgetful {
  nn::Linear used{2, 2}, unused{2, 2};
  Variable operator()(const Variable& x) { return used(x); }
  void visit(auto&& f) {
    f("used", used);
    f("unused", unused);
  }
};

// Lists only one of its two layers, which the test of every module must find.
struct Negligent {
  nn::Linear listed{2, 2}, forgotten{2, 2};
  Variable operator()(const Variable& x) { return forgotten(listed(x)); }
  void visit(auto&& f) { f("listed", listed); }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(modules)

BOOST_AUTO_TEST_CASE(parameters_have_the_paths_and_order_of_visit) {
  Mlp net;
  std::vector<std::string> names;
  for (const auto& [name, parameter] : nn::named_parameters(net)) names.push_back(name);
  const std::vector<std::string> expected = {"hidden.0.weight", "hidden.0.bias",
                                             "hidden.1.weight", "hidden.1.bias",
                                             "out.weight"};
  BOOST_TEST(names == expected, boost::test_tools::per_element());
  BOOST_TEST(nn::parameters(net).size() == 5u);
}

BOOST_AUTO_TEST_CASE(a_shared_parameter_is_listed_once) {
  Tied net;
  BOOST_TEST(nn::parameters(net).size() == 2u);
  BOOST_TEST(nn::state_dict(net).size() == 4u);
}

BOOST_AUTO_TEST_CASE(train_and_eval_reach_every_part) {
  Mlp net;
  nn::eval(net);
  BOOST_TEST(!net.dropout.training);
  nn::train(net);
  BOOST_TEST(net.dropout.training);
}

BOOST_AUTO_TEST_CASE(state_goes_out_and_in) {
  Mlp source, target;
  source.scale.fill_(7);
  nn::load_state_dict(target, nn::state_dict(source));
  for (const auto& [path, value] : nn::state_dict(target)) {
    BOOST_TEST_INFO(path);
    BOOST_TEST(same(value, nn::state_dict(source).at(path)));
  }
  BOOST_TEST(nn::state_dict(target).contains("scale"));
}

BOOST_AUTO_TEST_CASE(a_state_dict_keeps_the_order_of_its_entries) {
  nn::StateDict state = {{"z", tensor(1.0)}, {"a", tensor(2.0)}, {"m", tensor(3.0)}};
  const auto names = [&] {
    std::string all;
    for (const auto& [name, value] : state) all += name;
    return all;
  };
  BOOST_TEST(names() == "zam");
  BOOST_TEST(!state.emplace("a", tensor(9.0)));
  BOOST_TEST(state.at("a").item() == 2);
  state["b"] = tensor(4.0);
  state["z"] = tensor(5.0);
  BOOST_TEST(names() == "zamb");
  BOOST_TEST(state.erase("a") == 1u);
  BOOST_TEST(state.erase("a") == 0u);
  BOOST_TEST(names() == "zmb");
  BOOST_TEST(state.at("z").item() == 5);
  BOOST_TEST(state.at("m").item() == 3);
  BOOST_TEST(state.at("b").item() == 4);
  BOOST_TEST((state.find("a") == state.end()));
  BOOST_TEST((state.find("b") == state.begin() + 2));
  BOOST_TEST(error_of([&] { (void)state.at("a"); }) == "the state has no entry a");
  const std::map<std::string, Tensor> sorted = state;
  BOOST_TEST(sorted.size() == 3u);
  // The right side is a reference by the time that the left adds its entry.
  for (int i = 0; i < 100; ++i) state["new " + std::to_string(i)] = state["z"];
  BOOST_TEST(state["new 99"].item() == 5);
  state = sorted;
  BOOST_TEST(names() == "bmz");
}

BOOST_AUTO_TEST_CASE(a_state_that_does_not_fit_changes_nothing) {
  nn::Linear layer(2, 3);
  const Tensor before = layer.weight.value().clone();
  nn::StateDict state = {{"weight", full({3, 2}, 9.0)}, {"extra", full({1}, 0.0)}};
  BOOST_CHECK_EXCEPTION(
      nn::load_state_dict(layer, state), Error,
      says("load_state_dict: the state does not fit the module; missing "
           "bias; unexpected extra"));
  state = {{"weight", full({2, 3}, 9.0)}, {"bias", full({3}, 9.0, float64)}};
  BOOST_CHECK_EXCEPTION(
      nn::load_state_dict(layer, state), Error,
      says("load_state_dict: the state does not fit the module; weight must be float32 "
           "(3, 2), got float32 (2, 3); bias must be float32 (3), got float64 (3)"));
  state["bias"] = Tensor();
  state["weight"] = before;
  BOOST_CHECK_EXCEPTION(nn::load_state_dict(layer, state), Error,
                        says("load_state_dict: the state does not fit the module; bias "
                             "is undefined"));
  BOOST_TEST(same(layer.weight.value(), before));
}

BOOST_AUTO_TEST_CASE(a_state_may_hold_the_module_s_own_tensors) {
  Two two;
  const nn::StateDict state = nn::state_dict(two);
  nn::load_state_dict(two, {{"a", state.at("b")}, {"b", state.at("a")}});
  BOOST_TEST(two.a.at({0}) == 2);
  BOOST_TEST(two.b.at({0}) == 1);
}

BOOST_AUTO_TEST_CASE(two_parts_of_one_name_are_refused) {
  Twice twice;
  BOOST_CHECK_EXCEPTION(nn::state_dict(twice), Error,
                        says("state_dict: two parts are named a"));
}

BOOST_AUTO_TEST_CASE(a_clone_keeps_what_is_shared_shared) {
  Tied net;
  Tied copy = nn::clone(net);
  BOOST_TEST(nn::parameters(copy).size() == 2u);
  Tensor weight = copy.first.weight.value();
  weight.fill_(5);
  BOOST_TEST(copy.second.weight.value().at({0, 0}) == 5);
  BOOST_TEST(net.first.weight.value().at({0, 0}) != 5);
  // A view with other strides is another tensor, though it shares the elements.
  Two views;
  views.a = tensor({{1.0, 2.0}, {3.0, 4.0}});
  views.b = transpose(views.a, 0, 1);
  Two cloned = nn::clone(views);
  BOOST_TEST(cloned.b.at({0, 1}) == 3);
  cloned.a.fill_(9);
  BOOST_TEST(views.a.at({0, 1}) == 2);
}

BOOST_AUTO_TEST_CASE(a_clone_is_independent) {
  Mlp net;
  Mlp copy = nn::clone(net);
  Tensor weight = copy.out.weight.value();
  weight.fill_(5);
  BOOST_TEST(net.out.weight.value().at({0, 0}) != 5);
  sum(copy(full({1, 2}, 1.0))).backward();
  BOOST_TEST(copy.out.weight.has_grad());
  BOOST_TEST(!net.out.weight.has_grad());
}

BOOST_AUTO_TEST_CASE(check_gradients_names_what_a_loss_does_not_reach) {
  Forgetful net;
  sum(net(full({1, 2}, 1.0))).backward();
  const std::vector<std::string> expected = {"unused.weight", "unused.bias"};
  BOOST_TEST(nn::without_gradient(net) == expected, boost::test_tools::per_element());
  nn::zero_grad(net);
  BOOST_TEST(nn::without_gradient(net).size() == 4u);
}

BOOST_AUTO_TEST_CASE(every_leaf_that_a_module_touches_is_listed) {
  const Tensor x = full({1, 2}, 1.0);
  Negligent negligent;
  BOOST_TEST(nn::unlisted(negligent, negligent(x)).size() == 2u);
  Mlp mlp;
  BOOST_TEST(unlisted(mlp, x) == "");
  nn::Linear linear(2, 3);
  BOOST_TEST(unlisted(linear, x) == "");
  nn::NWKernelRegression regression;
  BOOST_TEST(unlisted(regression, full({1}, 0.5), x, x) == "");
}

BOOST_AUTO_TEST_CASE(frozen_parameters_are_not_taken_for_one_another) {
  nn::Linear layer(2, 2);
  layer.weight = layer.weight.detach();
  layer.bias = layer.bias.detach();
  BOOST_TEST(nn::parameters(layer).size() == 2u);
}

BOOST_AUTO_TEST_CASE(a_module_prints_as_in_pytorch) {
  Mlp net;
  BOOST_TEST(nn::to_string(net) ==
             "Mlp(\n"
             "  (hidden): ModuleList(\n"
             "    (0): Linear(in_features=2, out_features=4, bias=True)\n"
             "    (1): Linear(in_features=4, out_features=4, bias=True)\n"
             "  )\n"
             "  (out): Linear(in_features=4, out_features=1, bias=False)\n"
             "  (dropout): Dropout(p=0.25, inplace=False)\n"
             ")");
  nn::NWKernelRegression regression;
  BOOST_TEST(nn::to_string(regression) == "NWKernelRegression()");
}

// --- Linear

BOOST_AUTO_TEST_CASE(linear_draws_pytorch_s_initial_values) {
  manual_seed(0);  // torch.manual_seed(0); torch.nn.Linear(3, 2)
  const nn::Linear layer(3, 2);
  BOOST_TEST(layer.weight.value().at({0, 0}) == -0.00432251766f);
  BOOST_TEST(layer.weight.value().at({0, 1}) == 0.309715837f);
  BOOST_TEST(layer.weight.value().at({0, 2}) == -0.475185335f);
  BOOST_TEST(layer.bias.value().at({0}) == -0.0114391446f);
  BOOST_TEST(layer.bias.value().at({1}) == 0.457774937f);
}

BOOST_AUTO_TEST_CASE(linear_maps_the_last_dimension) {
  const nn::Linear layer(3, 2, {.dtype = float64});
  const Tensor x = randn({4, 5, 3}, float64);
  const Variable y = layer(x);
  BOOST_TEST((y.shape() == Shape{4, 5, 2}));
  double expected = layer.bias.value().at({1});
  for (int i = 0; i < 3; ++i) {
    expected += x.at({3, 2, i}) * layer.weight.value().at({1, i});
  }
  BOOST_TEST(y.value().at({3, 2, 1}) == expected, boost::test_tools::tolerance(1e-12));
  BOOST_CHECK_EXCEPTION(layer(randn({4, 2}, float64)), Error,
                        says("Linear(in_features=3, out_features=2): the input's last "
                             "size must be 3, got (4, 2)"));
  BOOST_CHECK_EXCEPTION(layer(randn({4, 3})), Error,
                        says("Linear(in_features=3, out_features=2): the input must be "
                             "float64, got float32; to(dtype) converts a tensor"));
  BOOST_CHECK_EXCEPTION(nn::Linear(0, 2), Error,
                        says("Linear: both sizes must be at least 1, got 0 and 2"));
}

BOOST_AUTO_TEST_CASE(init_needs_two_dimensions) {
  Tensor w = empty({3});
  BOOST_CHECK_EXCEPTION(
      nn::init::xavier_uniform_(w), Error,
      says("init: the weight must have at least two dimensions, got (3)"));
  Tensor none = empty({0, 0});
  BOOST_CHECK_EXCEPTION(nn::init::xavier_normal_(none), Error,
                        says("xavier_normal_: the fans of the weight must not both be 0, "
                             "got (0, 0)"));
  Tensor v = empty({2, 2});
  BOOST_CHECK_EXCEPTION(nn::init::xavier_uniform_(v, -1), Error,
                        says("xavier_uniform_: gain must not be negative, got -1"));
  BOOST_TEST(nn::init::constant_(v, 3).at({1, 1}) == 3);
  manual_seed(0);  // torch.nn.init.kaiming_normal_(w, nonlinearity='relu')
  Tensor he = empty({1, 2});
  nn::init::kaiming_normal_(he);
  BOOST_TEST(he.at({0, 0}) == 1.54099607f);
  Tensor kernel = empty({4, 3, 5});
  BOOST_TEST(nn::init::fans(kernel).in == 15);
  BOOST_TEST(nn::init::fans(kernel).out == 20);
}

// --- Dropout

BOOST_AUTO_TEST_CASE(dropout_scales_what_it_keeps) {
  manual_seed(0);
  const Variable x(full({1000}, 2.0), true);
  const Variable y = nn::dropout(x, 0.25, true);
  const double kept = sum(y.value() != 0).item();
  BOOST_TEST(kept > 700);
  BOOST_TEST(kept < 800);
  BOOST_TEST(max(y.value()).item() == static_cast<double>(2.0f * (1 / 0.75f)));
  sum(y).backward();
  BOOST_TEST(same(x.grad().value() * 2, y.value()));
}

BOOST_AUTO_TEST_CASE(dropout_does_not_depend_on_the_layout) {
  const Tensor x = permute(full({2, 3, 8}, 1.0), {2, 0, 1});
  manual_seed(3);
  const Tensor strided = nn::dropout(x, 0.4, true).value();
  manual_seed(3);
  BOOST_TEST(same(strided, nn::dropout(x.contiguous(), 0.4, true).value()));
}

BOOST_AUTO_TEST_CASE(dropout_draws_nothing_where_it_does_nothing) {
  const auto next = [] { return rand({1}).item(); };
  manual_seed(5);
  const double first = next();
  const Variable x(full({3}, 2.0));
  for (const double p : {0.0, 0.5}) {
    manual_seed(5);
    BOOST_TEST(same(nn::dropout(x, p, false).value(), x.value()));
    BOOST_TEST(next() == first);
  }
  manual_seed(5);
  BOOST_TEST(sum(nn::dropout(x, 1, true)).item() == 0);
  BOOST_TEST(next() == first);
  manual_seed(5);
  BOOST_TEST(sum(nn::dropout(x, nn::Dropout(1).draw({3}))).item() == 0);
  BOOST_TEST(next() == first);
  BOOST_CHECK_EXCEPTION(nn::Dropout(1.5), Error,
                        says("dropout: p must be from 0 to 1, got 1.5"));
}

// --- NWKernelRegression

BOOST_AUTO_TEST_CASE(kernel_regression_attends_to_the_nearest_keys) {
  nn::NWKernelRegression net(float64);
  const Tensor keys = tensor({{0.0, 1.0, 2.0}, {0.0, 1.0, 2.0}}, float64);
  const Tensor values = tensor({{1.0, 2.0, 4.0}, {1.0, 2.0, 4.0}}, float64);
  Tensor w = net.w.value();
  w.fill_(30);
  const Variable y = net(tensor({1.0, 2.0}, float64), keys, values);
  BOOST_TEST((y.shape() == Shape{2}));
  BOOST_TEST(y.value().at({0}) == 2, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(y.value().at({1}) == 4, boost::test_tools::tolerance(1e-12));
  BOOST_TEST((net.attention_weights.shape() == Shape{2, 3}));
  BOOST_TEST(sum(net.attention_weights).item() == 2, boost::test_tools::tolerance(1e-12));
  BOOST_CHECK_EXCEPTION(
      net(keys, keys, values), Error,
      says("NWKernelRegression: queries (n), keys (n, m) and values (n, m), got (2, 3), "
           "(2, 3) and (2, 3)"));
}

BOOST_AUTO_TEST_CASE(kernel_regression_has_its_gradients) {
  const auto f = [](const std::vector<Variable>& in) {
    nn::NWKernelRegression net(float64);
    net.w = in[0];
    return net(in[1], in[2], in[3]);
  };
  const std::vector<Tensor> inputs = {rand({1}, float64), rand({3}, float64),
                                      rand({3, 4}, float64), rand({3, 4}, float64)};
  const GradcheckReport first = gradcheck(f, inputs, {.op = "NWKernelRegression"});
  BOOST_TEST(first.ok, first.text());
  const GradcheckReport second =
      gradgradcheck(f, inputs, {.op = "NWKernelRegression", .atol = 1e-5});
  BOOST_TEST(second.ok, second.text());
}

BOOST_AUTO_TEST_SUITE_END()

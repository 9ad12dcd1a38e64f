// What visit() may list, const modules, printing, and what is not listed.
#include <array>
#include <sstream>

#include <boost/test/unit_test.hpp>
#include <fmt/format.h>

#include <heed.h>

#include "tests/compare.h"
#include "tests/errors.h"

using namespace heed;

namespace {

struct Parts {
  std::array<nn::Linear, 2> array{nn::Linear(2, 3), nn::Linear(3, 2)};
  std::map<std::string, nn::Linear> map{{"b", nn::Linear(2, 2)}, {"a", nn::Linear(2, 2)}};
  std::pair<nn::Linear, nn::Dropout> pair{nn::Linear(2, 2), nn::Dropout(0.5)};
  std::vector<std::vector<nn::Linear>> nested{{nn::Linear(2, 2)}, {}};
  std::optional<nn::Linear> present = nn::Linear(2, 2, {.bias = false}), absent;
  std::unique_ptr<nn::Linear> owned = std::make_unique<nn::Linear>(2, 2), null;

  void visit(auto&& f) {
    f("array", array);
    f("map", map);
    f("pair", pair);
    f("nested", nested);
    f("present", present);
    f("absent", absent);
    f("owned", owned);
    f("null", null);
  }
};

// Its second layer and its dropout are not listed.
struct Negligent {
  nn::Linear listed{2, 2}, forgotten{2, 2};
  nn::Dropout dropout{0.5};
  Variable operator()(const Variable& x) { return dropout(forgotten(listed(x))); }
  void visit(auto&& f) { f("listed", listed); }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(parts_of_modules)

BOOST_AUTO_TEST_CASE(containers_are_walked) {
  Parts net;
  std::string names;
  for (const auto& [name, value] : nn::state_dict(net)) names += name + " ";
  BOOST_TEST(names ==
             "array.0.weight array.0.bias array.1.weight array.1.bias map.a.weight "
             "map.a.bias map.b.weight map.b.bias pair.0.weight pair.0.bias "
             "nested.0.0.weight nested.0.0.bias present.weight owned.weight owned.bias ");
  BOOST_TEST(nn::parameters(net).size() == 15u);
  nn::eval(net);
  BOOST_TEST(!net.pair.second.training);
  nn::load_state_dict(net, nn::state_dict(Parts()));
  BOOST_TEST(nn::to_string(net) ==
             "Parts(\n"
             "  (array): ModuleList(\n"
             "    (0): Linear(in_features=2, out_features=3, bias=True)\n"
             "    (1): Linear(in_features=3, out_features=2, bias=True)\n"
             "  )\n"
             "  (map): ModuleList(\n"
             "    (a): Linear(in_features=2, out_features=2, bias=True)\n"
             "    (b): Linear(in_features=2, out_features=2, bias=True)\n"
             "  )\n"
             "  (pair): ModuleList(\n"
             "    (0): Linear(in_features=2, out_features=2, bias=True)\n"
             "    (1): Dropout(p=0.5, inplace=False)\n"
             "  )\n"
             "  (nested): ModuleList(\n"
             "    (0): ModuleList(\n"
             "      (0): Linear(in_features=2, out_features=2, bias=True)\n"
             "    )\n"
             "    (1): ModuleList()\n"
             "  )\n"
             "  (present): Linear(in_features=2, out_features=2, bias=False)\n"
             "  (owned): Linear(in_features=2, out_features=2, bias=True)\n"
             ")");
}

BOOST_AUTO_TEST_CASE(a_const_module_is_read) {
  const nn::Linear net(2, 3);
  BOOST_TEST(nn::parameters(net).size() == 2u);
  BOOST_TEST(nn::named_parameters(net)[0].first == "weight");
  BOOST_TEST(nn::state_dict(net).size() == 2u);
  BOOST_TEST(nn::without_gradient(net).size() == 2u);
  const std::string text = "Linear(in_features=2, out_features=3, bias=True)";
  BOOST_TEST(nn::to_string(net) == text);
  BOOST_TEST(fmt::format("{}", net) == text);
  std::ostringstream out;
  out << net;
  BOOST_TEST(out.str() == text);
}

BOOST_AUTO_TEST_CASE(parameters_are_chosen_by_name) {
  const Parts net;
  const auto biases =
      nn::parameters(net, [](std::string_view path) { return path.ends_with("bias"); });
  BOOST_TEST(biases.size() == 7u);
  const auto none = nn::parameters(net, [](std::string_view) { return false; });
  BOOST_TEST(none.empty());
}

BOOST_AUTO_TEST_CASE(frozen_parameters_stay_parameters) {
  nn::Linear net(2, 1);
  optim::SGD sgd(nn::parameters(net), {.lr = 1});
  for (Variable& x : nn::parameters(net, [](auto path) { return path == "bias"; })) {
    x.requires_grad_(false);
  }
  const Tensor bias = net.bias.value().clone(), weight = net.weight.value().clone();
  sum(net(ones({1, 2}))).backward();
  BOOST_TEST(nn::without_gradient(net).empty());
  sgd.step();
  BOOST_TEST(same(net.bias.value(), bias));
  BOOST_TEST(same(net.weight.value(), weight - 1));
  BOOST_TEST(nn::parameters(net).size() == 2u);
  BOOST_TEST(optim::SGD(nn::parameters(net)).param_groups().size() == 1u);
}

BOOST_AUTO_TEST_CASE(what_is_not_listed_is_found) {
  Negligent net;
  const Tensor x = ones({8, 2});
  const auto found = [&] { return nn::unlisted(net, sum(net(x))); };
  const std::vector<std::string> dropout = {
      "dropout, although no listed part is in training"};
  const std::vector<std::string> leaves = {
      "a leaf of shape (2, 2), float32, used by linear",
      "a leaf of shape (2), float32, used by linear"};
  std::vector<std::string> all = dropout;
  all.insert(all.end(), leaves.begin(), leaves.end());
  BOOST_TEST(found() == all, boost::test_tools::per_element());
  net.dropout.training = false;
  BOOST_TEST(found() == leaves, boost::test_tools::per_element());
  nn::MultiHeadAttention attention(4, 4, 4, 2);
  const Tensor rows = ones({1, 3, 4});
  BOOST_TEST(nn::unlisted(attention, sum(attention(rows))).empty());
  // Dropout within the fused op, of a layer that eval() does not reach.
  attention.dropout = nn::Dropout(0.5);
  const Variable loss = sum(attention(rows));
  nn::eval(attention);
  const std::vector<std::string> fused = {
      "scaled_dot_product_attention_dropout, although no listed part is in training"};
  BOOST_TEST(nn::unlisted(attention, loss) == fused, boost::test_tools::per_element());
  for (const Variable& without : {Variable(tensor(1.0)), Variable()}) {
    BOOST_TEST(error_of([&] { (void)nn::unlisted(attention, without); }) ==
               "unlisted: the loss has no graph; it must depend on leaves that require a "
               "gradient, and be computed without NoGrad");
  }
  // Without parameters there need be none.
  BOOST_TEST(nn::unlisted(nn::Tanh(), Variable(tensor(1.0))).empty());
  BOOST_TEST(nn::unlisted(attention, Variable(tensor(1.0), true)) ==
                 std::vector<std::string>{"a leaf of shape (), float32, used by nothing"},
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_moved_from_module_refuses_to_be_called) {
  nn::Linear first(2, 2);
  const nn::Linear second = std::move(first);
  BOOST_TEST(error_of([&] {
               first(ones({1, 2}));
             }) ==
             "Tensor: used while undefined, that is default-constructed or moved from");
  BOOST_TEST(error_of([&] { nn::to_string(first); }) ==
             "Tensor: used while undefined, that is default-constructed or moved from");
  const std::string undefined =
      "visit: the part \"weight\" is undefined; the module was moved from, or the part "
      "never given a value";
  BOOST_TEST(error_of([&] { (void)nn::parameters(first); }) == undefined);
  BOOST_TEST(error_of([&] { (void)nn::state_dict(first); }) == undefined);
  BOOST_TEST(error_of([&] { (void)nn::clone(first); }) == undefined);
}

struct Tied {
  nn::Linear layer{2, 2};
  Variable again = layer.weight, apart = layer.weight.detach();
  void visit(auto&& f) {
    f("layer", layer);
    f("again", again);
    f("apart", apart);
  }
};

// A clone of a frozen module is frozen, can be thawed, and shares what was shared.
BOOST_AUTO_TEST_CASE(clones_of_frozen_modules) {
  Tied net;
  for (Variable& x : nn::parameters(net)) x.requires_grad_(false);
  Tied copy = nn::clone(net);
  BOOST_TEST(nn::parameters(copy).size() == nn::parameters(net).size());
  BOOST_TEST(!copy.layer.weight.requires_grad());
  copy.again.requires_grad_(true);
  BOOST_TEST(copy.layer.weight.requires_grad());
  BOOST_TEST(!net.layer.weight.requires_grad());
  BOOST_TEST((copy.layer.weight.value().storage() == copy.again.value().storage()));
  // detach() shares the elements, but is a Variable of its own.
  sum(copy.again).backward();
  BOOST_TEST(!copy.apart.requires_grad());
}

struct Perhaps {
  std::optional<std::unique_ptr<nn::Tanh>> layer = std::make_unique<nn::Tanh>();
  void visit(auto&& f) { f("layer", layer); }
};

BOOST_AUTO_TEST_CASE(a_part_that_may_be_absent_prints_as_itself) {
  BOOST_TEST(nn::to_string(Perhaps()) == "Perhaps(\n  (layer): Tanh()\n)");
}

BOOST_AUTO_TEST_CASE(activations_are_the_functions_of_their_names) {
  const Variable x = tensor({{-1.5, 0.25}, {2.0, -0.5}});
  const std::pair<Variable, Variable> pairs[] = {
      {nn::ReLU()(x), relu(x)},
      {nn::LeakyReLU{0.1}(x), leaky_relu(x, 0.1)},
      {nn::ELU{2}(x), elu(x, 2)},
      {nn::GELU()(x), gelu(x)},
      {nn::GELU{Gelu::tanh}(x), gelu(x, Gelu::tanh)},
      {nn::SiLU()(x), silu(x)},
      {nn::Softplus()(x), softplus(x)},
      {nn::Sigmoid()(x), sigmoid(x)},
      {nn::Tanh()(x), tanh(x)},
      {nn::Softmax{0}(x), softmax(x, 0)},
      {nn::LogSoftmax()(x), log_softmax(x, -1)},
      {nn::Flatten()(reshape(x, {2, 1, 2})), x},
  };
  for (const auto& [layer, function] : pairs) {
    BOOST_TEST(same_bits(layer.value(), function.value()));
  }
  BOOST_TEST(nn::to_string(nn::ELU()) == "ELU(alpha=1.0)");
  BOOST_TEST(nn::to_string(nn::GELU()) == "GELU(approximate='none')");
  BOOST_TEST(nn::to_string(nn::Softmax{1}) == "Softmax(dim=1)");
  BOOST_TEST(nn::to_string(nn::Flatten()) == "Flatten(start_dim=1, end_dim=-1)");
  BOOST_TEST(nn::to_string(nn::LeakyReLU()) == "LeakyReLU(negative_slope=0.01)");
}

BOOST_AUTO_TEST_SUITE_END()

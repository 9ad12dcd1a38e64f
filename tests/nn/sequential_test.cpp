// nn::Sequential: layers one after another, of any types.

#include <functional>

#include <boost/test/unit_test.hpp>

#include <heed.h>

#include "tests/compare.h"
#include "tests/errors.h"

using namespace heed;

namespace {

// A sequence is an ordinary member, and is called by a const function.
struct Classifier {
  nn::Sequential trunk{nn::Linear(3, 4), nn::ReLU(), nn::Dropout(0.5)};
  nn::Linear head{4, 2};
  Variable operator()(const Variable& x) const { return head(trunk(x)); }
  void visit(auto&& f) {
    f("trunk", trunk);
    f("head", head);
  }
};

// A layer with a buffer.
struct Shift {
  Tensor by = full({1}, 2.0);
  Variable operator()(const Variable& x) const { return x + by; }
  void visit(auto&& f) { f("by", by); }
};

// A function with an option.
struct Scale {
  double factor;
  Variable operator()(const Variable& x) const { return x * factor; }
};

// A part of a flag and a number needs no visit().
struct Noise {
  double size = 1;
  bool training = true;
  Variable operator()(const Variable& x) const { return training ? x + size : x; }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(sequential)

BOOST_AUTO_TEST_CASE(a_sequence_is_a_layer_of_another) {
  nn::Sequential inner{nn::Linear(1, 1)};
  nn::Sequential outer{inner, nn::Tanh()};
  BOOST_TEST(nn::named_parameters(outer)[0].first == "0.0.weight");
  nn::Sequential copy{inner};
  BOOST_TEST(nn::named_parameters(copy)[0].first == "0.weight");
}

// What a PyTorch user writes for a language model without attention.
BOOST_AUTO_TEST_CASE(a_sequence_may_begin_with_an_embedding) {
  nn::Sequential net{nn::Embedding(5, 3), nn::Linear(3, 5, false)};
  const Tensor ids = tensor({{0, 4}, {2, 2}});
  BOOST_TEST((net(ids).shape() == Shape{2, 2, 5}));
  BOOST_TEST(same(net(ids).value(),
                  net.at<nn::Linear>(-1)(net.at<nn::Embedding>(0)(ids)).value()));
  BOOST_TEST(nn::parameters(net).size() == 2u);
  nn::Sequential nothing;
  BOOST_TEST(same(nothing(ids).value(), ids));
}

// As torch.nn.Sequential: layers by number, and lambdas between them.
BOOST_AUTO_TEST_CASE(layers_in_sequence) {
  manual_seed(3);
  nn::Sequential net{nn::Linear(2, 4), nn::Tanh(), nn::Dropout(0.5),
                     [](const Variable& x) { return x * 2; }, nn::Linear(4, 1)};
  auto &first = net.at<nn::Linear>(0), &last = net.at<nn::Linear>(4);
  manual_seed(3);  // in braces the layers draw in their order
  BOOST_TEST(same_bits(first.weight.value(), nn::Linear(2, 4).weight.value()));
  BOOST_TEST(same_bits(last.weight.value(), nn::Linear(4, 1).weight.value()));
  std::string names;
  for (const auto& [name, x] : nn::named_parameters(net)) names += name + " ";
  BOOST_TEST(names == "0.weight 0.bias 4.weight 4.bias ");
  nn::eval(net);
  const Tensor x = randn({3, 2});
  const Variable y = net(x);
  const Variable expected = last(2 * tanh(first(x)));
  BOOST_TEST(same_bits(y.value(), expected.value()));
  BOOST_TEST(nn::unlisted(net, sum(y)).empty());
  const auto copy = nn::clone(net);
  BOOST_TEST(same_bits(copy(x).value(), y.value()));
  Tensor weight = copy.at<nn::Linear>(0).weight.value();
  weight.fill_(0);
  BOOST_TEST(!same(copy(x).value(), y.value()));
  BOOST_TEST(same_bits(net(x).value(), y.value()));
  BOOST_TEST(nn::to_string(net) ==
             "Sequential(\n"
             "  (0): Linear(in_features=2, out_features=4, bias=True)\n"
             "  (1): Tanh()\n"
             "  (2): Dropout(p=0.5, inplace=False)\n"
             "  (3): function\n"
             "  (4): Linear(in_features=4, out_features=1, bias=True)\n"
             ")");
}

BOOST_AUTO_TEST_CASE(functions_are_layers_without_parameters) {
  const Tensor one = ones({1});
  const std::function<Variable(const Variable&)> minus = [](auto& x) { return -x; };
  Variable (*const root)(const Variable&) = &heed::sqrt;
  nn::Sequential net{Scale{-4}, minus, root, Noise(),
                     [one](const auto& x) { return x + one; }};
  BOOST_TEST(net(ones({1})).item() == 4);
  nn::eval(net);
  BOOST_TEST(net(ones({1})).item() == 3);
  BOOST_TEST(nn::state_dict(net).empty());
}

BOOST_AUTO_TEST_CASE(a_struct_has_one_as_a_member) {
  Classifier net;
  std::string names;
  for (const auto& [name, x] : nn::named_parameters(net)) names += name + " ";
  BOOST_TEST(names == "trunk.0.weight trunk.0.bias head.weight head.bias ");
  nn::eval(net);
  BOOST_TEST(!net.trunk.at<nn::Dropout>(2).training);
  const Variable loss = sum(net(ones({2, 3})));
  loss.backward();
  BOOST_TEST(nn::without_gradient(net).empty());
  BOOST_TEST(nn::unlisted(net, loss).empty());
  Classifier other;
  nn::load_state_dict(other, nn::state_dict(net));
  nn::eval(other);
  BOOST_TEST(same_bits(other(ones({2, 3})).value(), net(ones({2, 3})).value()));
}

// A copy has layers of its own, whose parameters are shared, as with every module.
BOOST_AUTO_TEST_CASE(a_copy_shares_parameters_but_not_flags) {
  nn::Sequential net{nn::Linear(2, 2), nn::Dropout(0.5), Shift()};
  nn::Sequential copy = net;
  nn::eval(copy);
  BOOST_TEST(net.at<nn::Dropout>(1).training);
  BOOST_TEST(!copy.at<nn::Dropout>(1).training);
  BOOST_TEST((copy.at<nn::Linear>(0).weight.value().storage() ==
              net.at<nn::Linear>(0).weight.value().storage()));
  nn::Sequential other{nn::Tanh()};
  other = copy;
  BOOST_TEST(other.size() == 3);
  BOOST_TEST(nn::state_dict(other).at("2.by").item() == 2.0);
  nn::Sequential moved = std::move(other);
  BOOST_TEST(moved.size() == 3);
}

BOOST_AUTO_TEST_CASE(what_does_not_fit_is_an_error) {
  nn::Sequential net{nn::Linear(2, 2), nn::Tanh()};
  BOOST_TEST(error_of([&] { net.at<nn::Tanh>(0); }) ==
             "Sequential: layer 0 is a Linear, not a Tanh");
  BOOST_TEST(error_of([&] { net.at<nn::Tanh>(2); }) ==
             "Sequential: the layer must be from -2 to 1, got 2");
  BOOST_TEST(error_of([&] { net.at<nn::Linear>(-3); }) ==
             "Sequential: the layer must be from -2 to 1, got -3");
  BOOST_TEST(error_of([&] { nn::Sequential().at<nn::Linear>(0); }) ==
             "Sequential: there are no layers");
  nn::Sequential ids{nn::Tanh(), nn::Embedding(3, 2)};
  BOOST_TEST(error_of([&] { ids(ones({2})); }) ==
             "Sequential: Embedding takes a Tensor, not a Variable: it has to be the "
             "first layer, and the sequence be called with a Tensor");
  const nn::Sequential moved = std::move(net);
  const std::string message = "Sequential: used after it was moved from";
  BOOST_TEST(error_of([&] { net(ones({1, 2})); }) == message);
  BOOST_TEST(error_of([&] { net(Variable(ones({1, 2}))); }) == message);
  BOOST_TEST(error_of([&] { nn::parameters(net); }) == message);
  BOOST_TEST(error_of([&] { nn::to_string(net); }) == message);
  BOOST_TEST(error_of([&] { nn::Sequential copy = net; }) == message);
}

BOOST_AUTO_TEST_SUITE_END()

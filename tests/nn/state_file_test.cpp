// The state of a module: in a file, and in parts that do not fit it.
#include <algorithm>

#include <boost/test/unit_test.hpp>

#include <heed.h>

#include "tests/compare.h"
#include "tests/errors.h"
#include "tests/infinity.h"
#include "tests/support/folder.h"

using namespace heed;

namespace {

// Parameters of two dtypes, a buffer that is a view, a vector of parts.
struct Net {
  std::vector<nn::Linear> hidden;
  nn::Linear out{4, 1, {.bias = false, .dtype = float64}};
  nn::Dropout dropout{0.5};
  Tensor ids = transpose(reshape(arange(6.0).to(int64), {2, 3}), 0, 1);

  Net() {
    hidden.emplace_back(2, 4);
    hidden.emplace_back(4, 4);
  }
  void visit(auto&& f) {
    f("hidden", hidden);
    f("out", out);
    f("dropout", dropout);
    f("ids", ids);
  }
};

// Two names for one parameter.
struct Tied {
  nn::Linear first{3, 3, {.bias = false}};
  nn::Linear second = first;
  void visit(auto&& f) {
    f("first", first);
    f("second", second);
  }
};

using Names = std::vector<std::string>;

nn::StateDict copy_of(auto& module) {
  nn::StateDict copies;
  for (const auto& [path, value] : nn::state_dict(module)) copies[path] = value.clone();
  return copies;
}

bool same(const nn::StateDict& a, const nn::StateDict& b) {
  return std::ranges::equal(a, b, [](const auto& x, const auto& y) {
    return x.first == y.first && same(x.second, y.second);
  });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(state_files)

BOOST_AUTO_TEST_CASE(a_module_goes_into_a_file_and_back) {
  const support::TemporaryFolder folder;
  const std::string f = folder / "net.safetensors";
  Net net, other;
  net.ids.fill_(9);
  nn::save_state(net, f, {{"epoch", "5"}});
  // The file has PyTorch's names, and nothing else.
  const nn::Safetensors file = nn::read_safetensors(f);
  Names names;
  for (const auto& [name, tensor] : file.tensors) names.push_back(name);
  const Names expected = {"hidden.0.bias", "hidden.0.weight",
                          "hidden.1.bias", "hidden.1.weight",
                          "ids",           "out.weight"};
  BOOST_TEST(names == expected, boost::test_tools::per_element());
  BOOST_TEST((file.tensors.at("ids").shape() == Shape{3, 2}));
  // Loading keeps the parameters that an optimiser holds.
  const Variable held = other.out.weight;
  const nn::LoadedState loaded = nn::load_state(other, f);
  BOOST_TEST(same(copy_of(other), copy_of(net)));
  BOOST_TEST(same(held.value(), net.out.weight.value()));
  BOOST_TEST(loaded.missing.empty());
  BOOST_TEST(loaded.unexpected.empty());
  BOOST_TEST((loaded.metadata == std::map<std::string, std::string>{{"epoch", "5"}}));
}

BOOST_AUTO_TEST_CASE(an_optimiser_goes_into_a_file_and_back) {
  const support::TemporaryFolder folder;
  manual_seed(5);
  nn::Linear net(2, 3);
  nn::Linear copy = nn::clone(net);
  optim::AdamW optimiser(nn::parameters(net), {.lr = 0.1});
  optim::AdamW resumed(nn::parameters(copy), {.lr = 0.7});
  const auto step = [x = randn({4, 2})](nn::Linear& own, optim::AdamW& by) {
    by.zero_grad();
    sum(square(own(x))).backward();
    by.step();
  };
  step(net, optimiser);
  nn::save_state(optimiser, folder / "optimiser.safetensors", {{"step", "1"}});
  (void)nn::load_state_dict(copy, nn::state_dict(net));
  const auto loaded = nn::load_state(resumed, folder / "optimiser.safetensors");
  BOOST_TEST(loaded.metadata.at("step") == "1");
  step(net, optimiser);
  step(copy, resumed);
  BOOST_TEST(same(nn::state_dict(copy), nn::state_dict(net)));
  nn::Linear other(5, 3);
  optim::AdamW misfit(nn::parameters(other), {.lr = 0.3});
  const std::string file = folder / "optimiser.safetensors";
  BOOST_TEST(error_of([&] {
               nn::load_state(misfit, file);
             }).starts_with("load_state: " + file + ": AdamW: "));
  BOOST_TEST(misfit.state_dict().size() == 7u + 1u);  // the options and "params" alone
  BOOST_TEST(misfit.options().lr == 0.3);
}

BOOST_AUTO_TEST_CASE(a_file_that_does_not_fit_changes_nothing) {
  const support::TemporaryFolder folder;
  const std::string f = folder / "f";
  Net net;
  const nn::StateDict before = copy_of(net);
  nn::StateDict state = copy_of(net);
  for (const auto& [path, value] : state) Tensor(value).fill_(7);
  state.erase("hidden.0.bias");
  state.erase("out.weight");
  state["a b"] = full({1}, 0.0);
  state["more"] = full({1}, 0.0);
  state["hidden.1.bias"] = full({4}, 7.0, float64);
  state["ids"] = full({2, 3}, 7.0, int64);
  nn::write_safetensors(f, {state, {}});
  const std::string misshapen =
      "; hidden.1.bias must be float32 (4), got float64 (4)"
      "; ids must be int64 (3, 2), got int64 (2, 3)";
  const std::string start = ": the state does not fit the module";
  const std::string strict =
      start + "; missing hidden.0.bias, out.weight; unexpected \"a b\", more" + misshapen;
  const auto both = [&](nn::LoadOptions options, const std::string& expected) {
    BOOST_TEST(error_of([&] { nn::load_state(net, f, options); }) ==
               "load_state: " + f + expected);
    BOOST_TEST(error_of([&] { nn::load_state_dict(net, state, options); }) ==
               "load_state_dict" + expected);
    BOOST_TEST(same(copy_of(net), before));
  };
  both({}, strict);
  both({.strict = true}, strict);
  both({.strict = false}, start + misshapen);
  // The same file without the misshapen ones.
  state["hidden.1.bias"] = full({4}, 7.0);
  state["ids"] = full({3, 2}, 7.0, int64);
  nn::write_safetensors(f, {state, {{"epoch", "1"}}});
  both({}, start + "; missing hidden.0.bias, out.weight; unexpected \"a b\", more");
  const nn::LoadedState loaded = nn::load_state(net, f, {.strict = false});
  const Names missing = {"hidden.0.bias", "out.weight"}, unexpected = {"a b", "more"};
  BOOST_TEST(loaded.missing == missing, boost::test_tools::per_element());
  BOOST_TEST(loaded.unexpected == unexpected, boost::test_tools::per_element());
  BOOST_TEST(loaded.metadata.at("epoch") == "1");
  BOOST_TEST(same(net.hidden[0].bias.value(), before.at("hidden.0.bias")));
  BOOST_TEST(same(net.hidden[1].bias.value(), full({4}, 7.0)));
  // load_state_dict() gives the same report.
  const nn::LoadReport report = nn::load_state_dict(net, state, {.strict = false});
  BOOST_TEST(report.missing == missing, boost::test_tools::per_element());
  BOOST_TEST(report.unexpected == unexpected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_damaged_file_changes_nothing) {
  const support::TemporaryFolder folder;
  const std::string f = folder / "f";
  Net net;
  nn::save_state(net, f);
  nn::zero_grad(net);
  net.ids.fill_(3);
  const nn::StateDict before = copy_of(net);
  std::filesystem::resize_file(f, std::filesystem::file_size(f) - 1);
  BOOST_TEST(error_of([&] { nn::load_state(net, f, {.strict = false}); }) ==
             "read_safetensors: " + f +
                 ": tensor hidden.1.weight: its data must end within the 207 bytes of "
                 "data, got 144 to 208");
  BOOST_TEST(same(copy_of(net), before));
}

// As in PyTorch's own state_dict, both names are in the file.
BOOST_AUTO_TEST_CASE(a_shared_parameter_is_written_under_both_names) {
  const support::TemporaryFolder folder;
  const std::string f = folder / "f";
  Tied net, other;
  nn::save_state(net, f);
  nn::Safetensors file = nn::read_safetensors(f);
  BOOST_TEST(same(file.tensors.at("first.weight"), net.first.weight.value()));
  BOOST_TEST(same(file.tensors.at("second.weight"), net.first.weight.value()));
  nn::load_state(other, f);
  BOOST_TEST(same(other.second.weight.value(), net.first.weight.value()));
  BOOST_TEST(nn::parameters(other).size() == 1u);
  // A file from elsewhere may bring one of them, but not two that differ.
  file.tensors["second.weight"].fill_(2);
  nn::write_safetensors(f, file);
  BOOST_TEST(
      error_of([&] { nn::load_state(other, f, {.strict = false}); }) ==
      "load_state: " + f +
          ": the state does not fit the module; first.weight and second.weight share "
          "elements, got different ones");
  BOOST_TEST(same(other.second.weight.value(), net.first.weight.value()));
  file.tensors.erase("first.weight");
  nn::write_safetensors(f, file);
  const nn::LoadedState loaded = nn::load_state(other, f, {.strict = false});
  BOOST_TEST(loaded.missing == Names{"first.weight"}, boost::test_tools::per_element());
  BOOST_TEST(same(other.first.weight.value(), full({3, 3}, 2.0)));
}

// Views of one tensor, of which each two but the columns share some elements.
struct Views {
  Variable w = Variable(tensor({{1.0, 2.0}, {3.0, 4.0}}), true);
  Tensor wt = w.value().t(), left = w.value().slice(1, 0, 1),
         right = w.value().slice(1, 1, 2), nothing = w.value().slice(1, 0, 0);
  void visit(auto&& f) {
    f("w", w);
    f("wt", wt);
    f("left", left);
    f("right", right);
    f("nothing", nothing);
  }
};

BOOST_AUTO_TEST_CASE(views_get_what_is_one_tensor_or_nothing) {
  Views net;
  const auto load = [&](const nn::StateDict& state) {
    nn::load_state_dict(net, state, {.strict = false});
  };
  const Tensor before = net.w.value().clone();
  const Variable loss = sum(net.w * net.w);  // is not told of a write
  const auto check_refused = [&](const nn::StateDict& state, const std::string& paths) {
    BOOST_TEST(error_of([&] { load(state); }) ==
               "load_state_dict: the state does not fit the module; " + paths +
                   " share elements, got different ones");
    BOOST_TEST(same(net.w.value(), before));
  };
  check_refused({{"w", ones({2, 2})}, {"wt", zeros({2, 2})}}, "w and wt");
  check_refused({{"w", before + 1}, {"right", tensor({{3.0}, {6.0}})}}, "w and right");
  check_refused({{"left", zeros({2, 1})}, {"wt", ones({2, 2})}}, "wt and left");
  loss.backward();
  const Tensor wanted = tensor({{5.0, 6.0}, {7.0, 8.0}});
  load({{"w", wanted}, {"wt", wanted.t()}, {"nothing", zeros({2, 0})}});
  BOOST_TEST(same(net.w.value(), wanted));
  load({{"left", zeros({2, 1})}, {"right", ones({2, 1})}});
  BOOST_TEST(same(net.w.value(), tensor({{0.0, 1.0}, {0.0, 1.0}})));
}

// Two NaN are the same when their bits are, and 0 is not -0.
BOOST_AUTO_TEST_CASE(a_shared_parameter_is_compared_bit_by_bit) {
  Tied net;
  nn::StateDict state = copy_of(net);
  for (auto& [path, value] : state) Tensor(value).fill_(not_a_number);
  BOOST_CHECK_NO_THROW(nn::load_state_dict(net, state));
  state["first.weight"].fill_(0.0);
  state["second.weight"].fill_(-0.0);
  BOOST_CHECK_THROW(nn::load_state_dict(net, state), Error);
}

BOOST_AUTO_TEST_CASE(the_file_of_a_module_of_nothing) {
  const support::TemporaryFolder folder;
  nn::Dropout dropout(0.5);
  nn::save_state(dropout, folder / "f");
  BOOST_TEST(nn::load_state(dropout, folder / "f").metadata.empty());
  nn::Linear layer(1, 1);
  BOOST_TEST(error_of([&] { nn::load_state(layer, folder / "f"); }) ==
             "load_state: " + (folder / "f") +
                 ": the state does not fit the module; missing weight, bias");
}

BOOST_AUTO_TEST_SUITE_END()

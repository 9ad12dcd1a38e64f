// The listings of the .md files, each compiled and run as it stands there: weave.py puts
// them in the place of the lines that begin with LISTING, TABLE and MISTAKES.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include <boost/test/unit_test.hpp>
#include <fmt/core.h>

#include <heed.h>

#include "tests/errors.h"
#include "tests/support/environment.h"
#include "tests/support/folder.h"

// A listing need not use all that it makes.
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
#pragma GCC diagnostic ignored "-Wshadow"

namespace {

using namespace heed;

// The working directory, in which the listings find and make their files.
struct InFolder {
  support::TemporaryFolder folder;
  std::filesystem::path before = std::filesystem::current_path();

  InFolder() { std::filesystem::current_path(folder / ""); }
  ~InFolder() { std::filesystem::current_path(before); }
};

// An IDX file of `rows` rows of whole numbers below `bound`, of these further sizes.
void write_idx(const std::string& path, const Shape& shape, std::int64_t bound) {
  std::string bytes = {0, 0, 8, static_cast<char>(shape.rank())};
  for (const std::int64_t size : shape) {
    for (int shift = 24; shift >= 0; shift -= 8) {
      bytes += static_cast<char>(size >> shift & 0xff);
    }
  }
  for (const std::int64_t number : randint(bound, shape).to_vector<std::int64_t>()) {
    bytes += static_cast<char>(number);
  }
  std::ofstream(path, std::ios::binary) << bytes;
}

BOOST_FIXTURE_TEST_SUITE(listings, InFolder)

BOOST_AUTO_TEST_CASE(the_attention_page) {
  // LISTING view/README.md 2
  BOOST_TEST(std::filesystem::file_size("model.html") > 10000u);
}

BOOST_AUTO_TEST_CASE(the_tutorial_s_training_loop) {
  // LISTING README.md 2
  // The published run's loss, rounded as in the listing.
  const Variable last =
      sum(nn::mse_loss(net(x_train, keys, values), y_train, nn::Reduction::none));
  BOOST_TEST(std::abs(last.item() - 12.0) < 0.5);
}

namespace of_an_op {
// LISTING README.md 3
}  // namespace of_an_op

BOOST_AUTO_TEST_CASE(an_op) {
  Variable x(tensor({0.5, -1.0}), true);
  of_an_op::tanh(x).backward(ones({2}));
  BOOST_TEST(allclose(x.grad(), 1 - square(tanh(tensor({0.5, -1.0})))));
}

BOOST_AUTO_TEST_CASE(attention) {
  // LISTING README.md 4
  BOOST_TEST((attention.attention_weights.shape() == Shape{2, 5, 4, 6}));
  BOOST_TEST(std::filesystem::exists("attention.safetensors"));
}

BOOST_AUTO_TEST_CASE(what_happens_inside) {
  // LISTING README.md 5
  BOOST_TEST(nn::check_gradients(net, optimiser).empty());
}

namespace of_an_op_of_one_s_own {
// LISTING autograd/README.md 1
}  // namespace of_an_op_of_one_s_own

BOOST_AUTO_TEST_CASE(an_op_of_one_s_own) {
  using of_an_op_of_one_s_own::cube;
  // LISTING autograd/README.md 2
  BOOST_TEST(report.ok, report.text());
}

BOOST_AUTO_TEST_CASE(a_score_of_one_s_own) {
  const Variable queries = randn({2, 3, 4}), keys = randn({2, 5, 4}), values = keys;
  // LISTING nn/GUIDE.md 1
  BOOST_TEST((found.output.shape() == Shape{2, 3, 4}));
}

BOOST_AUTO_TEST_CASE(a_language_model) {
  std::vector<std::int64_t> ids;
  for (int i = 0; i < 400; ++i) ids.push_back(i % 65);
  // LISTING nn/GUIDE.md 2
  BOOST_TEST((longer.shape() == Shape{1, 56}));
  BOOST_TEST(equal(slice(longer, 1, 0, 16), arange(16).reshape({1, 16})));
}

BOOST_AUTO_TEST_CASE(a_step_of_an_optimiser) {
  nn::Linear net(3, 4);
  optim::AdamW optimiser(nn::parameters(net), {.lr = 1e-3});
  const Tensor inputs = randn({2, 3}), targets = tensor({3, 0});
  const std::int64_t step = 50;
  const Tensor before = net.weight.value().clone();
  // LISTING optim/README.md 1
  BOOST_TEST(!equal(net.weight.value(), before));
}

BOOST_AUTO_TEST_CASE(fashion_mnist) {
  const std::string folder = "./";
  for (const auto& [part, count] : {std::pair("train", 600), std::pair("t10k", 100)}) {
    write_idx(folder + part + "-images-idx3-ubyte.gz", {count, 28, 28}, 256);
    write_idx(folder + part + "-labels-idx1-ubyte.gz", {count}, 10);
  }
  // LISTING data/README.md 1
  BOOST_TEST(loader.size() == 3);
}

BOOST_AUTO_TEST_CASE(a_table_in_two_parts) {
  std::filesystem::copy_file(HEED_SOURCE_ROOT "/examples/data/motorcycle.csv",
                             "motorcycle.csv");
  // LISTING data/README.md 2
  BOOST_TEST(train.size() == 100);
  BOOST_TEST(test.size() == all.size() - 100);
}

BOOST_AUTO_TEST_CASE(a_training_that_goes_on) {
  // LISTING data/README.md 3
  BOOST_TEST(resumed.next()[0].numel() == 4);  // of the next epoch
}

BOOST_AUTO_TEST_CASE(a_chart_of_a_training) {
  const InFolder in_folder;
  const support::Environment environment({{"DISPLAY", ""}, {"WAYLAND_DISPLAY", ""}});
  // LISTING view/README.md 1
  BOOST_TEST(animator.chart().curves[1].y.size() == 10u);
}

namespace module_of_the_page {

// LISTING PYTORCH.md 1

BOOST_AUTO_TEST_CASE(a_struct_that_is_a_module) {
  Net net;
  BOOST_TEST(net(zeros({3, 2})).shape() == (Shape{3, 1}));
  BOOST_TEST(nn::parameters(net).size() == 4u);
}

}  // namespace module_of_the_page

BOOST_AUTO_TEST_CASE(a_step_by_hand) {
  std::vector<Variable> parameters = {Variable(tensor({1.0, 2.0}), true)};
  const double lr = 0.5;
  const Variable loss = sum(square(parameters[0]));
  // LISTING PYTORCH.md 2
  BOOST_TEST(equal(parameters[0].value(), zeros({2})));
  BOOST_TEST(!parameters[0].has_grad());
}

struct Net {
  nn::Linear encoder{3, 4}, decoder{4, 2};

  Variable operator()(const Variable& x) { return decoder(relu(encoder(x))); }
  void visit(auto&& f) {
    f("encoder", encoder);
    f("decoder", decoder);
  }
};

BOOST_AUTO_TEST_CASE(groups_and_freezing) {
  Net net;
  // LISTING PYTORCH.md 3
  BOOST_TEST(optimiser.param_groups().size() == 2u);
  BOOST_TEST(!net.encoder.weight.requires_grad());
}

BOOST_AUTO_TEST_CASE(what_is_written_in_pytorch_is_written_so_in_heed) {
  Tensor x = rand({4, 4});
  const Tensor a = rand({4, 4}), b = rand({4, 4}), y = rand({4}), index = tensor({2, 0});
  const Tensor mask = a > 0.5, labels = tensor({0, 3, 2, 1}), order = arange(4);
  const std::vector<float> numbers(6);
  Variable w(rand({4}), true);
  const auto sum_of_squares = [&] { return sum(square(w)); };
  sum_of_squares().backward();
  const Variable loss = sum_of_squares();
  Net net;
  const Variable q = rand({2, 4, 8}), k = q, v = q;
  nn::MultiheadAttention attention(8, 2);
  nn::TransformerDecoder decoder(nn::TransformerDecoderLayer(8, 2), 1);
  const Variable logits = rand({4, 4});
  nn::Linear layer(2, 8);
  const Tensor ids = tensor({0, 3}), table = rand({5, 2}), weight = rand({4}), bias = y;
  const bool training = true;
  const Tensor keep = ones({4, 4}, boolean), padding = !keep, lens = tensor({2, 3});
  optim::SGD optimiser(nn::parameters(net), {.lr = 0.1});
  const std::int64_t n = 3, epoch = 0;
  const Tensor p = softmax(a, 1);
  const data::TensorDataset all(x, labels);
  Generator g(1);
  // TABLE PYTORCH.md | in PyTorch | in heed |
}

BOOST_AUTO_TEST_CASE(what_is_left_out_is_written_so) {
  const std::int64_t n = 3;
  Tensor x = rand({n, n});
  const Tensor a = rand({n, n}), b = rand({n, n}), c = b, y = rand({n, n}), q = a, k = b;
  const Tensor targets = softmax(a, -1), p = targets, w = y;
  optim::SGD optimiser({Variable(rand({2}), true)});
  // TABLE PYTORCH.md ## Left out
}

BOOST_AUTO_TEST_CASE(usual_mistakes_say_what_to_do) {
  Variable w(ones({2}), true);
  std::ofstream("half.safetensors", std::ios::binary)
      << std::string("\x40\0\0\0\0\0\0\0", 8)
      << R"({"weight":{"dtype":"F16","shape":[2,2],"data_offsets":[0,8]}}   )"
      << std::string(8, '\0');
  // MISTAKES PYTORCH.md ## Usual mistakes
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace

// The table that turns ids into vectors.

#include <boost/test/unit_test.hpp>

#include <heed.h>

#include "tests/errors.h"
#include "tests/nn/module_checks.h"

using namespace heed;
using nn::Embedding;

BOOST_AUTO_TEST_SUITE(embedding)

BOOST_AUTO_TEST_CASE(it_draws_pytorch_s_initial_values) {
  manual_seed(0);  // torch.manual_seed(0); torch.nn.Embedding(2, 3)
  const Embedding plain(2, 3);
  BOOST_TEST((plain.weight.shape() == Shape{2, 3}));
  BOOST_TEST(plain.weight.value().at({0, 0}) == 1.5409960746765137);
  BOOST_TEST(plain.weight.value().at({1, 2}) == -1.3985954523086548);
  manual_seed(0);  // torch.manual_seed(0); torch.nn.Embedding(3, 2, padding_idx=1)
  const Embedding padded(3, 2, {.padding_idx = 1});
  const Tensor expected = tensor({{1.5409960746765137, -0.293428897857666},
                                  {0.0, 0.0},
                                  {-1.0845223665237427, -1.3985954523086548}},
                                 float32);
  BOOST_TEST(same(padded.weight.value(), expected));
}

BOOST_AUTO_TEST_CASE(a_table_that_is_given) {
  const Tensor table = tensor({{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}});
  const Generator before = get_rng_state();
  const auto frozen = Embedding::from_pretrained(table);
  BOOST_TEST((get_rng_state().get_state() == before.get_state()));
  BOOST_TEST(same(frozen(tensor({2, 0})).value(), tensor({{5.0, 6.0}, {1.0, 2.0}})));
  BOOST_TEST(!frozen.weight.requires_grad());
  BOOST_TEST(frozen.weight.value().is_same(table));
  optim::SGD(nn::parameters(frozen), {.lr = 0.1}).step();  // takes it, and moves nothing
  const auto tuned =
      Embedding::from_pretrained(table, {.freeze = false, .padding_idx = 1});
  sum(tuned(tensor({0, 1}))).backward();
  BOOST_TEST(
      same(tuned.weight.grad().value(), tensor({{1.0, 1.0}, {0.0, 0.0}, {0.0, 0.0}})));
  BOOST_TEST(nn::to_string(tuned) == "Embedding(3, 2, padding_idx=1)");
  BOOST_TEST(error_of([] {
               Embedding::from_pretrained(tensor({{1, 2}}));
             }) == "Embedding: the embeddings must be float32 or float64, got int64");
  BOOST_TEST(error_of([] { Embedding::from_pretrained(zeros({3})); }) ==
             "Embedding: the embeddings must have the shape (n, width), both at least 1, "
             "got (3)");
  BOOST_TEST(error_of([&] { Embedding::from_pretrained(table, {.padding_idx = 3}); }) ==
             "Embedding: padding_idx must be from 0 to 2, got 3");
}

BOOST_AUTO_TEST_CASE(each_id_gives_its_row) {
  Embedding net(5, 3, {.dtype = float64});
  const Tensor rows = net.weight.value();
  const Tensor ids = tensor({{4, 0, 4}, {1, 2, 3}});
  const Tensor y = net(ids).value();
  BOOST_TEST((y.shape() == Shape{2, 3, 3}));
  for (std::int64_t i = 0; i < 2; ++i) {
    for (std::int64_t j = 0; j < 3; ++j) {
      BOOST_TEST(same(y[i][j], rows[static_cast<std::int64_t>(ids.at({i, j}))]));
    }
  }
  BOOST_TEST(same(net(transpose(ids, 0, 1)).value(), transpose(y, 0, 1)));
  BOOST_TEST(same(net(tensor(2)).value(), rows[2]));
  BOOST_TEST((net(zeros({0, 4}, int64)).shape() == Shape{0, 4, 3}));
}

BOOST_AUTO_TEST_CASE(a_row_has_the_sum_of_the_gradients_of_its_places) {
  Embedding net(4, 2, {.dtype = float64});
  const Tensor upstream = tensor({{1.0, 2.0}, {10.0, 20.0}, {100.0, 200.0}}, float64);
  sum(net(tensor({3, 1, 3})) * upstream).backward();
  const Tensor expected =
      tensor({{0.0, 0.0}, {10.0, 20.0}, {0.0, 0.0}, {101.0, 202.0}}, float64);
  BOOST_TEST(same(net.weight.grad().value(), expected));
}

BOOST_AUTO_TEST_CASE(the_padding_s_row_is_zero_and_gets_no_gradient) {
  Embedding net(4, 2, {.padding_idx = 3, .dtype = float64});
  BOOST_TEST(same(net(tensor({3})).value(), zeros({1, 2}, float64)));
  sum(net(tensor({{3, 1}, {3, 1}}))).backward();
  const Tensor expected =
      tensor({{0.0, 0.0}, {2.0, 2.0}, {0.0, 0.0}, {0.0, 0.0}}, float64);
  BOOST_TEST(same(net.weight.grad().value(), expected));
  // Loaded numbers are kept: only the gradient is held back.
  Tensor(net.weight.value()).fill_(2);
  BOOST_TEST(same(net(tensor({3})).value(), full({1, 2}, 2.0, float64)));
}

BOOST_AUTO_TEST_CASE(the_weight_is_its_only_leaf_and_has_its_derivatives) {
  manual_seed(1);
  Embedding net(3, 2, {.padding_idx = 0, .dtype = float64});
  BOOST_TEST(parameter_names(net) == "weight ");
  const Tensor ids = tensor({{2, 1, 2}});
  BOOST_TEST(unlisted(net, ids) == "");
  check_all_derivatives(net, {},
                        [&](Embedding& own, const auto&) { return square(own(ids)); });
}

BOOST_AUTO_TEST_CASE(it_prints_its_sizes) {
  BOOST_TEST(Embedding(5, 3).summary() == "5, 3");
  BOOST_TEST(Embedding(5, 3, {.padding_idx = 2}).summary() == "5, 3, padding_idx=2");
}

BOOST_AUTO_TEST_CASE(what_does_not_fit_is_refused) {
  BOOST_TEST(error_of([] { Embedding(0, 2); }) ==
             "Embedding: both sizes must be at least 1, got 0 and 2");
  BOOST_TEST(error_of([] { Embedding(2, -1); }) ==
             "Embedding: both sizes must be at least 1, got 2 and -1");
  BOOST_TEST(error_of([] { Embedding(4, 2, {.padding_idx = 4}); }) ==
             "Embedding: padding_idx must be from 0 to 3, got 4");
  BOOST_TEST(error_of([] { Embedding(4, 2, {.padding_idx = -1}); }) ==
             "Embedding: padding_idx must be from 0 to 3, got -1");
  const Embedding net(5, 3);
  BOOST_TEST(error_of([&] {
               net(tensor({{1, 5}}));
             }) == "embedding: ids must be from 0 to 4, got 5");
  BOOST_TEST(error_of([&] { net(tensor({2000000000})); }) ==
             "embedding: ids must be from 0 to 4, got 2000000000");
  BOOST_TEST(error_of([&] { net(tensor({-1})); }) ==
             "embedding: ids must be from 0 to 4, got -1");
  BOOST_TEST(error_of([&] { net(ones({2})); }) ==
             "embedding: ids must be int64, got float32");
  BOOST_TEST(error_of([&] { net(ones({2}, boolean)); }) ==
             "embedding: ids must be int64, got bool");
}

BOOST_AUTO_TEST_SUITE_END()

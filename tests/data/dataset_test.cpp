// Datasets: their examples, parts and sums.
#include "data/dataset.h"

#include <cstdint>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "data/data_loader.h"
#include "tensor/core/factories.h"
#include "tensor/elementwise/elementwise.h"
#include "tensor/reduce/comparing.h"
#include "tests/errors.h"

namespace {

using namespace heed;
using data::DataLoader, data::TensorDataset, data::TokenDataset;

BOOST_AUTO_TEST_SUITE(dataset)

BOOST_AUTO_TEST_CASE(rows_of_a_tensor_dataset) {
  const TensorDataset pairs(tensor({{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}}),
                            tensor({7, 8, 9}));
  BOOST_TEST(pairs.size() == 3);
  const auto [x, y] = pairs[tensor({2, 0})];
  BOOST_TEST(equal(x, tensor({{5.0, 6.0}, {1.0, 2.0}})));
  BOOST_TEST(equal(y, tensor({9, 7})));
  const auto [row, number] = pairs[-1];
  BOOST_TEST(equal(row, tensor({5.0, 6.0})));
  BOOST_TEST(number.item() == 9);
  BOOST_TEST(error_of([&] { pairs[3]; }).starts_with("select: "));
  // A part of a dataset is one too.
  BOOST_TEST(TensorDataset(pairs[tensor({2, 0})]).size() == 2);
  BOOST_TEST(error_of([&] { pairs[tensor({3})]; }).starts_with("index_select: "));
  BOOST_TEST(error_of([] {
               TensorDataset(zeros({2, 3}), zeros({3}));
             }) ==
             "TensorDataset: the tensors must have equal first sizes, got (2, 3) and "
             "(3)");
  BOOST_TEST(error_of([] { TensorDataset(tensor(1.0)); }) ==
             "TensorDataset: a tensor must have a dimension of examples, got a scalar");
}

// torch.utils.data.random_split(range(10), [7, 3], torch.Generator().manual_seed(42))
BOOST_AUTO_TEST_CASE(random_splits_are_pytorch_s) {
  const TensorDataset dataset(arange(10) * 10);
  Generator generator(42);
  const auto parts = data::random_split(dataset, {7, 3}, generator);
  BOOST_TEST(parts.size() == 2u);
  BOOST_TEST(parts[0].size() == 7);
  const auto all_of = [](const auto& part) {
    DataLoader loader(part, {.batch_size = part.size()});
    return loader.next()[0];
  };
  BOOST_TEST(equal(all_of(parts[0]), tensor({20, 60, 10, 80, 40, 50, 0})));
  BOOST_TEST(equal(all_of(parts[1]), tensor({90, 30, 70})));
  BOOST_TEST(equal(parts[1].indices(), tensor({9, 3, 7})));
  BOOST_TEST(parts[1].dataset().size() == 10);
  BOOST_TEST(error_of([&] {
               (void)data::random_split(dataset, {7, 4});
             }) ==
             "random_split: the lengths must sum to the size of the dataset, 10, got 11");
  BOOST_TEST(error_of([&] {
               (void)data::random_split(dataset, {INT64_MAX, 1});
             }) == "random_split: a length must be at most 10, got 9223372036854775807");
  BOOST_TEST(error_of([&] {
               (void)data::random_split(dataset, {9, -1});
             }) == "random_split: a length must not be negative, got -1");
}

// random_split(range(10), [0.75, 0.25], torch.Generator().manual_seed(42)), and in three
BOOST_AUTO_TEST_CASE(random_splits_by_fractions_are_pytorch_s) {
  const TensorDataset dataset(arange(10));
  Generator generator(42);
  auto [train, val] = data::random_split(dataset, {0.75, 0.25}, generator);
  BOOST_TEST(equal(train[arange(8)][0], tensor({2, 6, 1, 8, 4, 5, 0, 9})));
  BOOST_TEST(equal(val[arange(2)][0], tensor({3, 7})));
  generator.manual_seed(42);
  const std::vector<double> shares = {0.33, 0.33, 0.34};
  const auto parts = data::random_split(dataset, shares, generator);
  BOOST_TEST(parts[0].size() == 4);
  BOOST_TEST(equal(parts[2][arange(3)][0], tensor({9, 3, 7})));
  BOOST_TEST(error_of([&] {
               (void)data::random_split(dataset, {0.8, 0.3});
             }) ==
             "random_split: the lengths must be whole numbers, or fractions that sum to "
             "1; got 0.8, and the sum 1.1");
  BOOST_TEST(error_of([&] {
               (void)data::random_split(dataset, {1.5, -0.5});
             }) == "random_split: a fraction must be from 0 to 1, got 1.5");
}

BOOST_AUTO_TEST_CASE(an_example_of_a_subset) {
  const TensorDataset dataset(arange(10) * 10);
  const data::Subset part(dataset, tensor({7, 2, 5}));
  BOOST_TEST(part[1][0].item() == 20);
  BOOST_TEST(part[-1][0].item() == 50);
  BOOST_TEST(error_of([&] { (void)part[3]; }) ==
             "Subset: the example must be from -3 to 2, got 3");
  BOOST_TEST(error_of([&] { (void)part[tensor({-1})]; }) ==
             "Subset: an index must be from 0 to 2, got -1");
  BOOST_TEST(error_of([&] { data::Subset(dataset, tensor({10})); }) ==
             "Subset: an index must be from 0 to 9, got 10");
  BOOST_TEST(error_of([&] { data::Subset(dataset, tensor({1.0})); }) ==
             "Subset: the indices must be int64 (n), got float32 (1)");
}

BOOST_AUTO_TEST_CASE(two_datasets_as_one) {
  const TensorDataset few(arange(3), arange(3) * 2),
      more(arange(10, 14), ones({4}, int64));
  const data::ConcatDataset both(few, data::Subset(more, tensor({3, 0, 1})));
  BOOST_TEST(both.size() == 6);
  const auto [x, y] = both[tensor({5, 0, 3, 2, 4})];
  BOOST_TEST(equal(x, tensor({11, 0, 13, 2, 10})));
  BOOST_TEST(equal(y, tensor({1, 0, 1, 4, 1})));
  BOOST_TEST(equal(both[tensor({2, 1})][0], tensor({2, 1})));
  BOOST_TEST(equal(both[tensor({3})][0], tensor({13})));
  BOOST_TEST(both[2][0].item() == 2);
  BOOST_TEST(both[-1][0].item() == 11);
  const data::ConcatDataset three(both, few);
  BOOST_TEST(
      equal(three[arange(three.size())][0], tensor({0, 1, 2, 13, 10, 11, 0, 1, 2})));
  BOOST_TEST(error_of([&] { (void)both[tensor({6})]; }) ==
             "ConcatDataset: an index must be from 0 to 5, got 6");
  BOOST_TEST(error_of([&] { (void)both[6]; }) ==
             "ConcatDataset: the example must be from -6 to 5, got 6");
}

BOOST_AUTO_TEST_CASE(pieces_of_a_text_and_what_follows) {
  const TokenDataset text(arange(10, 30), 3);
  BOOST_TEST(text.size() == 17);
  const auto [inputs, targets] = text[tensor({0, 16})];
  BOOST_TEST(equal(inputs, tensor({{10, 11, 12}, {26, 27, 28}})));
  BOOST_TEST(equal(targets, tensor({{11, 12, 13}, {27, 28, 29}})));
  // Writing to one does not change the other.
  Tensor(inputs).fill_(-1);
  BOOST_TEST(equal(targets, tensor({{11, 12, 13}, {27, 28, 29}})));
  BOOST_TEST(error_of([&] {
               text[tensor({0, 17})];
             }) == "TokenDataset: a place must be from 0 to 16, got 17");
  BOOST_TEST(error_of([&] { text[tensor({-1})]; }) ==
             "TokenDataset: a place must be from 0 to 16, got -1");
  BOOST_TEST(error_of([&] { text[tensor(1)]; }) ==
             "TokenDataset: the places must be int64 (batch), got int64 ()");
  BOOST_TEST(error_of([] { TokenDataset(arange(3), 3); }) ==
             "TokenDataset: the length of a piece must be from 1 to less than the number "
             "of tokens, got 3 and 3 tokens");
  BOOST_TEST(error_of([] { TokenDataset(zeros({3}), 1); }) ==
             "TokenDataset: the tokens must be int64 (n), got float32 (3)");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace

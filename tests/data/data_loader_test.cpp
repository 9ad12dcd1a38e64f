// Datasets and their batches: PyTorch's, for the same seed; and that a training goes on
// where it was interrupted.
#include "data/data_loader.h"

#include <cstdint>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>
#include <fmt/ranges.h>

#include "tensor/core/factories.h"
#include "tensor/elementwise/elementwise.h"
#include "tensor/reduce/comparing.h"
#include "tests/errors.h"

namespace {

using namespace heed;
using data::DataLoader, data::TensorDataset, data::TokenDataset;

using Indices = std::vector<std::vector<std::int64_t>>;

// The batches of one epoch of a loader of arange(n).
template <class Loader>
Indices epoch(Loader& loader) {
  Indices batches;
  for (auto [x] : loader) batches.push_back(x.template to_vector<std::int64_t>());
  return batches;
}

const TensorDataset ten(arange(10));

data::DataLoaderOptions with_generator(data::DataLoaderOptions options,
                                       std::uint64_t seed) {
  options.generator = Generator(seed);
  return options;
}

void check_equal(const Indices& found, const Indices& expected) {
  BOOST_TEST((found == expected), fmt::format("{}", found));
}

BOOST_AUTO_TEST_SUITE(data_loader)

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

// The numbers are those of PyTorch 2.15, torch.utils.data.DataLoader.
BOOST_AUTO_TEST_CASE(orders_of_a_generator_are_pytorch_s) {
  DataLoader loader(ten, {.batch_size = 4, .shuffle = true, .generator = Generator(5)});
  BOOST_TEST(loader.size() == 3);
  check_equal(epoch(loader), {{7, 4, 8, 1}, {2, 3, 6, 5}, {9, 0}});
  check_equal(epoch(loader), {{2, 1, 6, 3}, {5, 9, 4, 7}, {8, 0}});
}

BOOST_AUTO_TEST_CASE(orders_of_the_default_generator_are_pytorch_s) {
  manual_seed(3);
  DataLoader loader(ten, {.batch_size = 4, .shuffle = true, .drop_last = true});
  BOOST_TEST(loader.size() == 2);
  check_equal(epoch(loader), {{6, 2, 0, 1}, {8, 3, 5, 4}});
  check_equal(epoch(loader), {{3, 4, 0, 9}, {6, 7, 1, 2}});
  BOOST_TEST(equal(randint(1000, {3}), tensor({981, 739, 514})));

  manual_seed(3);
  DataLoader in_order(ten, {.batch_size = 4});
  check_equal(epoch(in_order), {{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9}});
  BOOST_TEST(equal(randint(1000, {3}), tensor({737, 667, 360})));
}

// A RandomSampler with replacement = True.
BOOST_AUTO_TEST_CASE(draws_with_replacement_are_pytorch_s) {
  const data::DataLoaderOptions options{
      .batch_size = 4, .replacement = true, .num_samples = 6};
  DataLoader loader(ten, with_generator(options, 5));
  check_equal(epoch(loader), {{1, 4, 7, 5}, {6, 0}});
  check_equal(epoch(loader), {{2, 3, 8, 4}, {9, 0}});
  manual_seed(3);
  DataLoader by_default(ten, options);
  check_equal(epoch(by_default), {{6, 3, 8, 7}, {2, 6}});
}

// Of six examples; the second generator is PyTorch's loader's and sampler's.
BOOST_AUTO_TEST_CASE(draws_by_weights_are_pytorch_s) {
  const TensorDataset six(arange(6));
  const Tensor weights = tensor({0.1, 0.9, 0.4, 0.7, 3.0, 0.6}, float64);
  const data::DataLoaderOptions options{
      .batch_size = 5, .sampler = data::WeightedRandomSampler(weights, 12)};
  manual_seed(3);
  DataLoader loader(six, options);
  BOOST_TEST(loader.size() == 3);
  check_equal(epoch(loader), {{3, 4, 1, 4, 4}, {2, 4, 4, 4, 2}, {4, 4}});
  check_equal(epoch(loader), {{5, 1, 1, 4, 5}, {1, 4, 4, 1, 3}, {4, 1}});
  BOOST_TEST(equal(randint(1000, {3}), tensor({349, 404, 854})));
  DataLoader other(six, with_generator(options, 5));
  check_equal(epoch(other), {{3, 3, 3, 3, 4}, {4, 4, 4, 4, 3}, {3, 4}});
  check_equal(epoch(other), {{1, 3, 3, 4, 4}, {4, 4, 4, 1, 3}, {4, 3}});
  manual_seed(3);
  DataLoader without(
      six, {.batch_size = 5, .sampler = data::WeightedRandomSampler(weights, 6, false)});
  check_equal(epoch(without), {{4, 5, 2, 1, 3}, {0}});
}

BOOST_AUTO_TEST_CASE(next_goes_on_into_the_next_epoch) {
  const data::DataLoaderOptions options{
      .batch_size = 4, .shuffle = true, .generator = Generator(5)};
  DataLoader loop(ten, options), steps(ten, options);
  for (int i = 0; i < 3; ++i) {
    for (auto [x] : loop) BOOST_TEST(equal(steps.next()[0], x));
  }
}

// After every batch of two epochs, and before and after them.
BOOST_AUTO_TEST_CASE(a_loader_goes_on_where_another_stopped) {
  for (const data::DataLoaderOptions& options :
       {data::DataLoaderOptions{.batch_size = 4},
        data::DataLoaderOptions{.batch_size = 4, .shuffle = true},
        data::DataLoaderOptions{.batch_size = 5, .shuffle = true},
        data::DataLoaderOptions{.batch_size = 5, .replacement = true},
        data::DataLoaderOptions{.batch_size = 3,
        .sampler = data::WeightedRandomSampler(arange(10), 8)}}) {
    DataLoader loader(ten, with_generator(options, 5));
    Indices all;
    std::vector<std::vector<std::uint8_t>> states = {loader.state()};
    for (int i = 0; i < 2; ++i) {
      for (auto [x] : loader) {
        all.push_back(x.to_vector<std::int64_t>());
        states.push_back(loader.state());
      }
    }
    for (std::size_t done = 0; done < all.size(); ++done) {
      DataLoader resumed(ten, with_generator(options, 99));
      resumed.set_state(states[done]);
      Indices rest(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(done));
      while (rest.size() < all.size()) {
        for (const auto& batch : epoch(resumed)) rest.push_back(batch);
      }
      BOOST_TEST((rest == all), "after " << done);
      // The steps of next() too.
      DataLoader stepped(ten, with_generator(options, 99));
      stepped.set_state(states[done]);
      BOOST_TEST((stepped.next()[0].to_vector<std::int64_t>() == all[done]));
    }
  }
}

BOOST_AUTO_TEST_CASE(a_loop_that_was_left_begins_anew) {
  DataLoader loader(ten, {.batch_size = 4});
  for (auto [x] : loader) break;
  check_equal(epoch(loader), {{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9}});
}

BOOST_AUTO_TEST_CASE(orders_after_a_loop_left_at_its_last_batch_are_pytorch_s) {
  const auto options = with_generator({.batch_size = 2, .shuffle = true}, 9);
  DataLoader full(TensorDataset(arange(2)), options),
      part(TensorDataset(arange(5)), options);
  Indices of_full(3), of_part(3);
  for (int i = 0; i < 3; ++i) {
    for (auto [x] : full) {
      of_full[i] = x.to_vector<std::int64_t>();
      break;
    }
    for (auto [x] : part) of_part[i] = x.to_vector<std::int64_t>();
  }
  check_equal(of_full, {{0, 1}, {0, 1}, {1, 0}});
  check_equal(of_part, {{1}, {2}, {2}});
}

BOOST_AUTO_TEST_CASE(two_loops_at_once_are_refused) {
  DataLoader loader(ten, {.batch_size = 4});
  BOOST_TEST(error_of([&] {
               for (auto [x] : loader) {
                 for (auto [y] : loader) BOOST_TEST(y.numel() > 0);
               }
             }) ==
             "DataLoader: inside a loop over a loader another loop over it was begun, or "
             "next() called; use a loader for each");
}

BOOST_AUTO_TEST_CASE(next_inside_a_loop_is_refused) {
  DataLoader loader(ten, {.batch_size = 4});
  int batches = 0;
  BOOST_TEST(error_of([&] {
               for (auto [x] : loader) batches += (loader.next()[0].numel() > 0);
             }) ==
             "DataLoader: inside a loop over a loader another loop over it was begun, or "
             "next() called; use a loader for each");
  BOOST_TEST(batches == 1);
  // After a loop that was left it goes on with the epoch.
  for (auto [x] : loader) break;
  BOOST_TEST((loader.next()[0].to_vector<std::int64_t>() ==
              std::vector<std::int64_t>{4, 5, 6, 7}));
}

BOOST_AUTO_TEST_CASE(parts_of_temporaries_outlive_them) {
  const auto& tensors = TensorDataset(arange(3), arange(3)).tensors();
  BOOST_TEST(tensors[1].numel() == 3);
  const auto& dataset = DataLoader(TensorDataset(arange(3))).dataset();
  BOOST_TEST(dataset.size() == 3);
}

// A struct with size() and operator[] is a dataset.
struct Squares {
  std::int64_t size() const { return 5; }
  Tensor operator[](const Tensor& indices) const { return indices * indices; }
};

BOOST_AUTO_TEST_CASE(a_dataset_of_one_s_own) {
  Tensor sum = tensor(0);
  for (const Tensor& batch : DataLoader(Squares(), {.batch_size = 2})) {
    sum += batch.sum();
  }
  BOOST_TEST(sum.item() == 30);
}

BOOST_AUTO_TEST_CASE(wrong_options) {
  const auto message = [](const data::DataLoaderOptions& options) {
    return error_of([&] { DataLoader(ten, options); });
  };
  BOOST_TEST(message({.batch_size = 0}) ==
             "DataLoader: batch_size must be at least 1, got 0");
  BOOST_TEST(message({.num_samples = 3}) ==
             "DataLoader: num_samples needs replacement = true");
  BOOST_TEST(message({.replacement = true, .num_samples = 0}) ==
             "DataLoader: an epoch must have at least one example, got a dataset of 10 "
             "and 0 samples");
  BOOST_TEST(message({.batch_size = 11, .drop_last = true}) ==
             "DataLoader: with drop_last an epoch must have at least batch_size "
             "examples, got 10 and batch_size 11");
  const data::WeightedRandomSampler sampler(ones({10}), 4);
  BOOST_TEST(message({.shuffle = true, .sampler = sampler}) ==
             "DataLoader: a sampler excludes shuffle and replacement");
  BOOST_TEST(message({.sampler = data::WeightedRandomSampler(ones({9}), 4)}) ==
             "DataLoader: the weights of the sampler must have the shape (10), one for "
             "each example, got (9)");
  BOOST_TEST(error_of([] { DataLoader(TensorDataset(arange(0))); }) ==
             "DataLoader: an epoch must have at least one example, got a dataset of 0 "
             "and 0 samples");
}

BOOST_AUTO_TEST_CASE(states_of_others) {
  DataLoader loader(ten, {.batch_size = 4, .shuffle = true, .generator = Generator(5)});
  const std::vector<std::uint8_t> before = loader.state();
  const auto message = [&](auto dataset, const data::DataLoaderOptions& options) {
    return error_of([&] { loader.set_state(DataLoader(dataset, options).state()); });
  };
  BOOST_TEST(message(TensorDataset(arange(9)), {.batch_size = 4, .shuffle = true}) ==
             "DataLoader: the size of the dataset must be that of the state, 9, got 10");
  BOOST_TEST(message(ten, {.batch_size = 2, .shuffle = true}) ==
             "DataLoader: batch_size must be that of the state, 2, got 4");
  BOOST_TEST(message(ten, {.batch_size = 4}) ==
             "DataLoader: shuffle (2: a sampler) must be that of the state, 0, got 1");
  const data::WeightedRandomSampler sampler(ones({10}), 4);
  BOOST_TEST(message(ten, {.batch_size = 4, .sampler = sampler}) ==
             "DataLoader: shuffle (2: a sampler) must be that of the state, 2, got 1");
  BOOST_TEST(message(ten, {.batch_size = 4, .shuffle = true, .drop_last = true}) ==
             "DataLoader: drop_last must be that of the state, 1, got 0");
  BOOST_TEST(message(ten, {.batch_size = 4, .shuffle = true}) ==
             "DataLoader: having a generator must be that of the state, 0, got 1");
  BOOST_TEST(error_of([&] { loader.set_state({}); }) ==
             "DataLoader: a state must have at least 56 bytes, got 0");
  std::vector<std::uint8_t> beyond = before;
  beyond[beyond.size() - 56] = 4;  // the number of batches given
  BOOST_TEST(error_of([&] { loader.set_state(beyond); }) ==
             "DataLoader: a state must be at one of 3 batches, got 4");
  // A generator's part that is none.
  BOOST_TEST(error_of([&] { loader.set_state(std::span(before).subspan(1)); }) !=
             "no error");
  BOOST_TEST(loader.state() == before);  // nothing has changed
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace

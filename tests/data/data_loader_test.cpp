// Batches: PyTorch's, for the same seed; and that a training goes on where it was
// interrupted.
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
using data::DataLoader, data::TensorDataset;

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

// More is drawn than is given, if a last batch is dropped or a loop is left.
BOOST_AUTO_TEST_CASE(draws_with_replacement_that_are_not_given) {
  const data::DataLoaderOptions options{.batch_size = 4, .replacement = true};
  data::DataLoaderOptions whole_batches = with_generator(options, 5);
  whole_batches.drop_last = true;
  DataLoader dropping(ten, whole_batches);
  check_equal(epoch(dropping), {{1, 4, 7, 5}, {6, 0, 2, 3}});
  const auto state = dropping.state();
  check_equal(epoch(dropping), {{9, 0, 1, 2}, {8, 8, 3, 0}});
  DataLoader restored(ten, whole_batches);
  restored.set_state(state);
  check_equal(epoch(restored), {{9, 0, 1, 2}, {8, 8, 3, 0}});
  check_equal(epoch(restored), {{9, 7, 2, 9}, {4, 7, 1, 9}});

  // The first batch of a loop that is left after `count` of them.
  const auto first_of = [](auto& loader, std::int64_t count) {
    Tensor first;
    for (auto [x] : loader) {
      if (!first.defined()) first = x;
      if (--count == 0) break;
    }
    return first;
  };
  DataLoader left(ten, with_generator(options, 5));
  BOOST_TEST(equal(first_of(left, 1), tensor({1, 4, 7, 5})));
  BOOST_TEST(equal(first_of(left, 1), tensor({9, 0, 1, 2})));
  // Of fifty, 32 are drawn at once, and then the other 18.
  DataLoader fifty(TensorDataset(arange(50)), with_generator(options, 5));
  BOOST_TEST(equal(first_of(fifty, 9), tensor({11, 14, 17, 35})));
  BOOST_TEST(equal(first_of(fifty, 8), tensor({32, 42, 46, 49})));
  BOOST_TEST(equal(first_of(fifty, 1), tensor({35, 3, 9, 27})));
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

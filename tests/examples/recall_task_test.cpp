// The task of associative_recall: what its examples hold.
#include "examples/associative_recall/task.h"

#include <boost/test/unit_test.hpp>
#include <heed.h>

#include "tests/compare.h"

namespace {

using namespace heed;
using namespace heed::recall;

constexpr std::int64_t batch_size = 200;

Batch draw(std::int64_t asked, std::uint64_t seed) {
  manual_seed(7);
  const World world(asked);
  Generator generator(seed);
  return world.draw(batch_size, generator);
}

// Key `place` of example i.
Tensor key(const Batch& batch, std::int64_t i, std::int64_t place) {
  return batch.keys[i][place];
}

BOOST_AUTO_TEST_SUITE(recall_task)

BOOST_AUTO_TEST_CASE(shapes) {
  for (std::int64_t asked : {1, 2}) {
    const Batch batch = draw(asked, 1);
    BOOST_TEST(batch.queries.shape() == (Shape{batch_size, 1, query_size}));
    BOOST_TEST(batch.keys.shape() == (Shape{batch_size, pairs, key_size}));
    BOOST_TEST(batch.values.shape() == (Shape{batch_size, pairs, digits}));
    BOOST_TEST(batch.lens.shape() == (Shape{batch_size}));
    BOOST_TEST(batch.asked.shape() == (Shape{batch_size, asked}));
    BOOST_TEST(batch.answers().shape() == (Shape{batch_size, asked}));
  }
}

BOOST_AUTO_TEST_CASE(only_keys_that_count_are_asked_for) {
  const Batch batch = draw(2, 2);
  BOOST_TEST(amin(batch.lens).item() == fewest_pairs);
  BOOST_TEST(amax(batch.lens).item() == pairs);
  BOOST_TEST(all(batch.asked < unsqueeze(batch.lens, 1)).item() == 1);
  BOOST_TEST(any(select(batch.asked, 1, 0) == select(batch.asked, 1, 1)).item() == 0);
  // Every place is, sooner or later.
  BOOST_TEST(amin(batch.asked).item() == 0);
  BOOST_TEST(amax(batch.asked).item() == pairs - 1);
}

BOOST_AUTO_TEST_CASE(values_are_digits_of_which_none_comes_twice) {
  const Batch batch = draw(1, 3);
  BOOST_TEST(same(argmax(batch.values, 2), batch.labels));
  BOOST_TEST(all(sum(batch.values, 2) == 1).item() == 1);
  const Tensor sorted = sort(batch.labels, 1);
  BOOST_TEST(same(sorted, expand(arange(digits), {batch_size, -1})));
}

BOOST_AUTO_TEST_CASE(padding_repeats_the_keys_asked_for) {
  const Batch batch = draw(2, 4);
  int padding = 0;
  for (std::int64_t i = 0; i < batch_size; ++i) {
    const auto len = static_cast<std::int64_t>(batch.lens[i].item());
    for (std::int64_t place = 0; place < pairs; ++place) {
      int alike = 0;
      for (std::int64_t a = 0; a < 2; ++a) {
        const auto asked = static_cast<std::int64_t>(batch.asked.at({i, a}));
        alike += same(key(batch, i, place), key(batch, i, asked));
        if (place >= len)
          BOOST_TEST(batch.labels.at({i, place}) != batch.answers().at({i, a}));
      }
      const bool is_asked = batch.asked.at({i, 0}) == static_cast<double>(place) ||
                            batch.asked.at({i, 1}) == static_cast<double>(place);
      BOOST_TEST(alike == (place >= len || is_asked ? 1 : 0));
      padding += place >= len;
    }
  }
  BOOST_TEST(padding > 0);
}

BOOST_AUTO_TEST_CASE(examples_are_the_generators) {
  const Batch one = draw(1, 5), again = draw(1, 5), other = draw(1, 6);
  BOOST_TEST(same(one.queries, again.queries));
  BOOST_TEST(same(one.keys, again.keys));
  BOOST_TEST(!same(one.queries, other.queries));
  BOOST_TEST(!same(one.keys, other.keys));
  BOOST_TEST(!same(one.labels, other.labels));
}

BOOST_AUTO_TEST_CASE(each_key_is_asked_for_in_turn) {
  const World world(2);
  Generator generator(8);
  const Batch batch = world.ask_for_each_key(generator);
  const Tensor forth = arange(pairs);
  BOOST_TEST(same(select(batch.asked, 1, 0), forth));
  BOOST_TEST(same(select(batch.asked, 1, 1), pairs - 1 - forth));
  BOOST_TEST(all(batch.lens == pairs).item() == 1);
  for (std::int64_t i = 1; i < pairs; ++i) {
    BOOST_TEST(same(batch.keys[i], batch.keys[0]));
    BOOST_TEST(same(batch.labels[i], batch.labels[0]));
    BOOST_TEST(!same(batch.queries[i], batch.queries[0]));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace

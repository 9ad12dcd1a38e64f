// The weights that masked scores give.

#include <boost/test/unit_test.hpp>

#include <heed.h>

#include "tests/infinity.h"
#include "tests/nn/checks.h"

using namespace heed;
using nn::Mask;

BOOST_AUTO_TEST_SUITE(masked_softmax)

BOOST_AUTO_TEST_CASE(one_key_has_all_the_weight) {
  for (const DType dtype : {float32, float64}) {
    const Tensor scores = 50 * randn({2, 2, 4}, dtype);
    const Tensor weights = nn::masked_softmax(scores, tensor({1, 1})).value();
    BOOST_TEST(
        same(weights, expand(tensor({1.0, 0.0, 0.0, 0.0}, dtype), {2, 2, 4}).clone()));
  }
}

BOOST_AUTO_TEST_CASE(hidden_keys_have_no_weight_at_all) {
  const Tensor scores = randn({2, 3, 4});
  const Tensor weights = nn::masked_softmax(scores, tensor({2, 3})).value();
  BOOST_TEST(same(slice(weights[0], 1, 2), zeros({3, 2})));
  BOOST_TEST(same(slice(weights[1], 1, 3), zeros({3, 1})));
  // The rest is the softmax of what is seen.
  BOOST_TEST(distance(slice(weights[0], 1, 0, 2), softmax(slice(scores[0], 1, 0, 2), 1)) <
             1e-7);
  BOOST_TEST(distance(slice(weights[1], 1, 0, 3), softmax(slice(scores[1], 1, 0, 3), 1)) <
             1e-7);
}

BOOST_AUTO_TEST_CASE(lengths_may_differ_by_query_or_exceed_the_keys) {
  const Tensor scores = randn({2, 2, 4});
  const Tensor lens = tensor({{1, 3}, {2, 9}});
  const Tensor weights = nn::masked_softmax(scores, lens).value();
  BOOST_TEST(same(weights, nn::masked_softmax(scores, Mask::valid_lens(lens)).value()));
  BOOST_TEST(sum(weights != 0).item() == 1 + 3 + 2 + 4);
  BOOST_TEST(distance(weights[1][1], softmax(scores[1][1], 0)) < 1e-7);
  const Tensor beyond = nn::masked_softmax(scores, tensor({4, 100})).value();
  BOOST_TEST(distance(beyond, softmax(scores, -1)) < 1e-7);
}

BOOST_AUTO_TEST_CASE(the_causal_mask_alone_shares_evenly) {
  const Tensor above = triu(full({6, 6}, -infinity), 1);
  const Tensor expected = tril(ones({6, 6})) / unsqueeze(arange(1.0, 7.0), 1);
  BOOST_TEST(distance(softmax(above, -1), expected) < 1e-7);
  BOOST_TEST(distance(nn::masked_softmax(zeros({6, 6}), Mask::causal()).value(),
                      expected) < 1e-7);
  BOOST_TEST(distance(nn::masked_softmax(zeros({6, 6}), Mask::additive(above)).value(),
                      expected) < 1e-7);
}

BOOST_AUTO_TEST_CASE(additive_masks_shift_the_scores) {
  const Tensor scores = randn({2, 3, 4}), bias = randn({3, 4});
  BOOST_TEST(distance(nn::masked_softmax(scores, Mask::additive(bias)).value(),
                      softmax(scores + bias, -1)) < 1e-7);
}

BOOST_AUTO_TEST_CASE(hidden_keys_have_none_beside_a_nan_either) {
  const Tensor weights =
      nn::masked_softmax(tensor({{1.0, not_a_number, 3.0}, {1.0, 2.0, not_a_number}}),
                         tensor({2, 2}))
          .value();
  BOOST_TEST(same(slice(weights, 1, 2), zeros({2, 1})));
  BOOST_TEST(sum(isnan(weights[0])).item() == 2);
  BOOST_TEST(finite(weights[1]) == 3);
}

BOOST_AUTO_TEST_CASE(large_scores_do_not_overflow) {
  const Tensor scores = tensor({{1e30, -1e30, 3e38}, {-3e38, 0.0, 1.0}});
  const Tensor weights = nn::masked_softmax(scores, tensor({2, 1})).value();
  BOOST_TEST(same(weights, tensor({{1.0, 0.0, 0.0}, {1.0, 0.0, 0.0}})));
}

BOOST_AUTO_TEST_SUITE_END()

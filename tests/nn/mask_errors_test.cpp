// What masks refuse, with the whole message.

#include <boost/test/unit_test.hpp>

#include <heed.h>

#include "tests/errors.h"
#include "tests/infinity.h"

using namespace heed;
using nn::CausalAlign;
using nn::EmptyRows;
using nn::Mask;

BOOST_AUTO_TEST_SUITE(masks_refuse)

BOOST_AUTO_TEST_CASE(tensors_of_another_kind) {
  BOOST_CHECK_EXCEPTION(Mask::keep(tensor({1, 0})), Error,
                        says("Mask::keep: the mask must be bool, got int64"));
  BOOST_CHECK_EXCEPTION(Mask::drop(tensor({1.0, 0.0})), Error,
                        says("Mask::drop: the mask must be bool, got float32"));
  BOOST_CHECK_EXCEPTION(Mask::valid_lens(tensor({1.0})), Error,
                        says("Mask::valid_lens: the lengths must be int64, got float32"));
  BOOST_CHECK_EXCEPTION(
      Mask::valid_lens(zeros({1, 2, 3}, int64)), Error,
      says("Mask::valid_lens: the lengths must be (), (batch) or (batch, queries), got "
           "(1, 2, 3)"));
  BOOST_CHECK_EXCEPTION(
      Mask::valid_lens(tensor({3, -1})), Error,
      says("Mask::valid_lens: a length must not be negative, got tensor([ 3, -1])"));
  BOOST_CHECK_EXCEPTION(Mask::additive(tensor({true})), Error,
                        says("Mask::additive: the mask must be floating, got bool"));
  for (const double number : {not_a_number, infinity}) {
    BOOST_CHECK_EXCEPTION(
        Mask::additive(tensor({0.0, number})), Error,
        says("Mask::additive: the numbers must be finite or -inf, got NaN or inf"));
  }
}

BOOST_AUTO_TEST_CASE(scores_that_they_do_not_fit) {
  const Mask keep = Mask::keep(ones({2, 3}, boolean));
  const Mask bias = Mask::additive(ones({2, 3}));
  for (const Mask& mask : {keep, bias}) {
    BOOST_CHECK_EXCEPTION(
        mask.on({3, 3}), Error,
        says("mask: its shape must broadcast to the scores' (3, 3), got (2, 3)"));
    // The scores are not widened to the mask.
    BOOST_CHECK_EXCEPTION(
        mask.on({1, 3}), Error,
        says("mask: its shape must broadcast to the scores' (1, 3), got (2, 3)"));
  }
  BOOST_CHECK_EXCEPTION(
      Mask::drop(ones({1, 2, 3}, boolean)).on({2, 3}), Error,
      says("mask: its shape must broadcast to the scores' (2, 3), got (1, 2, 3)"));
  // As PyTorch's key_padding_mask.
  const std::string padding = "; (batch, keys) needs unsqueeze(1)";
  const std::string end = ", or lengths in Mask::valid_lens";
  BOOST_CHECK_EXCEPTION(keep.on({2, 4, 3}), Error,
                        says("mask: its shape must broadcast to the scores' (2, 4, 3), "
                             "got (2, 3)" +
                             padding + end));
  BOOST_CHECK_EXCEPTION(keep.on({2, 5, 4, 3}), Error,
                        says("mask: its shape must broadcast to the scores' "
                             "(2, 5, 4, 3), got (2, 3)" +
                             padding + ".unsqueeze(1)" + end));
  BOOST_CHECK_EXCEPTION(keep.on({3}), Error,
                        says("mask: scores must be (..., queries, keys), got (3)"));
}

BOOST_AUTO_TEST_CASE(a_batch_that_would_land_on_the_heads) {
  const Mask mask = Mask::keep(ones({2, 3, 4}, boolean));
  BOOST_CHECK_EXCEPTION(
      mask.on({2, 2, 3, 4}), Error,
      says("mask: for scores (2, 2, 3, 4) a mask of 3 dimensions is ambiguous, got "
           "(2, 3, 4); give it all dimensions, such as (batch, 1, queries, keys), or the "
           "size 1 first"));
  BOOST_TEST(Mask::keep(ones({1, 3, 4}, boolean)).on({2, 2, 3, 4}).may_hide());
  BOOST_CHECK_EXCEPTION(
      mask.on({2, 2, 2, 3, 4}), Error,
      says("mask: for scores (2, 2, 2, 3, 4) a mask of 3 dimensions is ambiguous, got "
           "(2, 3, 4); give it all dimensions, such as (batch, 1, queries, keys), or the "
           "size 1 first"));
  BOOST_TEST(Mask::keep(ones({1, 2, 3, 4}, boolean)).on({2, 2, 2, 3, 4}).may_hide());
  BOOST_TEST(Mask::keep(ones({3, 4}, boolean)).on({2, 2, 2, 3, 4}).may_hide());
}

BOOST_AUTO_TEST_CASE(lengths_that_do_not_fit) {
  const Mask three = Mask::valid_lens(tensor({1, 2, 3}));
  BOOST_CHECK_EXCEPTION(
      three.on({2, 3}), Error,
      says("Mask::valid_lens: for scores (queries, keys) = (2, 3) the lengths must be "
           "(2), got (3)"));
  for (const Shape& shape : {Shape{2, 3, 4}, Shape{2, 5, 3, 4}}) {
    BOOST_CHECK_EXCEPTION(
        three.on(shape), Error,
        says(fmt::format("Mask::valid_lens: for scores of shape {} the lengths must be "
                         "(2) or (2, 3), got (3)",
                         shape)));
  }
}

BOOST_AUTO_TEST_CASE(another_dtype_than_the_scores) {
  const Tensor scores = randn({2, 3});
  BOOST_CHECK_EXCEPTION(
      nn::masked_softmax(scores, Mask::additive(tensor({0.0, 1.0, 0.0}, float64))), Error,
      says("Mask::additive: the mask must have the scores' dtype, got float64 for scores "
           "of float32"));
  // A mask of 0 and -inf adds no numbers, so its dtype does not matter.
  const Mask hides = Mask::additive(tensor({0.0, 0.0, -infinity}, float64));
  BOOST_TEST(nn::masked_softmax(scores, hides).value().at({1, 2}) == 0);
  BOOST_TEST(nn::to_string(hides & Mask::additive(tensor({1.0})), {2, 3}) ==
             " x x .\n x x .");
  const Mask biases = Mask::additive(tensor({1.0}, float64));
  BOOST_CHECK_EXCEPTION((biases & Mask::additive(tensor({1.0}))).on({2, 3}), Error,
                        says("Mask::additive: masks that are added must have one dtype, "
                             "got float64 and float32"));
}

BOOST_AUTO_TEST_CASE(scores_that_are_no_real_numbers) {
  BOOST_CHECK_EXCEPTION(
      nn::masked_softmax(tensor({{1, 2}}), Mask::causal(nn::CausalAlign::top_left)),
      Error, says("masked_softmax: scores must be floating, got int64"));
}

BOOST_AUTO_TEST_CASE(queries_without_a_key_if_told_to) {
  const Mask mask = Mask::valid_lens(tensor({2, 1})) &
                    Mask::drop(tensor({{false, false, false}, {true, false, false}}));
  const Mask strict = mask.empty_rows(EmptyRows::error);
  BOOST_CHECK_EXCEPTION(
      strict.on({2, 2, 2, 3}), Error,
      says("mask: every query must have a key to attend to, got none for query (1, 0, 1) "
           "of scores (2, 2, 2, 3):\n x . .\n . . ."));
  // A mask that cannot be used can still be printed.
  BOOST_TEST(nn::to_string(strict, {2, 1, 2, 3}) == nn::to_string(mask, {2, 1, 2, 3}));
  BOOST_CHECK_EXCEPTION(
      Mask::causal(CausalAlign::bottom_right).empty_rows(EmptyRows::error).on({3, 1}),
      Error,
      says("mask: every query must have a key to attend to, got none for query (0) of "
           "scores (3, 1):\n .\n .\n x"));
  Mask::causal().empty_rows(EmptyRows::error).on({2, 2});
}

// All pairs of 100,000 queries and keys would take 10 GB, and no grid shows them.
BOOST_AUTO_TEST_CASE(masks_of_any_size_are_shown_and_refused_in_little_memory) {
  constexpr std::int64_t many = 100'000;
  const auto peak = [](auto f) {
    const std::int64_t before = memory::bytes_live();
    memory::reset_peak();
    f();
    return memory::bytes_peak() - before;
  };
  constexpr std::int64_t little = 64 * many;  // some numbers a query
  const Mask causal = Mask::causal();
  BOOST_TEST(peak([&] { nn::to_string(causal, {many, many}); }) < little);
  BOOST_TEST(peak([&] {
               BOOST_CHECK_THROW(causal.on({many, many + 1}), Error);
             }) < little);
  Tensor lens = full({many}, 5, int64);
  lens[many - 1].fill_(0);
  const Mask strict = Mask::valid_lens(lens).empty_rows(EmptyRows::error);
  BOOST_TEST(
      peak([&] {
        BOOST_CHECK_EXCEPTION(strict.on({many, many}), Error, [](const Error& error) {
          return std::string(error.what()).find("for query (99999)") != std::string::npos;
        });
      }) < little);
}

BOOST_AUTO_TEST_SUITE_END()

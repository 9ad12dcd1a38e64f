// Masks: what each means on scores of every shape, alone and together. What they refuse
// is in mask_errors_test.cpp. A grid shows a mask, one line for each query: x for a key
// that is seen, . for a hidden one.

#include <limits>

#include <boost/test/unit_test.hpp>

#include <heed.h>

#include "tests/errors.h"
#include "tests/infinity.h"
#include "tests/nn/checks.h"

using namespace heed;
using nn::CausalAlign;
using nn::EmptyRows;
using nn::Mask;

namespace {

constexpr double lowest = std::numeric_limits<float>::lowest();

std::string grid(const Mask& mask, const Shape& scores) {
  return nn::to_string(mask, scores);
}

// What on() says is seen, over the whole of the scores.
Tensor seen(const Mask& mask, const Shape& scores) {
  return expand(mask.on(scores).visible(scores[scores.rank() - 1]), scores);
}

// Masks of every kind, for scores (2, 3, 4) or (2, heads, 3, 4).
struct Named {
  std::string name;
  Mask mask;
};
std::vector<Named> every_kind() {
  const Tensor some = tensor({{true, false, true, true},
                              {true, true, false, true},
                              {false, false, true, false}});
  return {
      {"none", Mask()},
      {"keep", Mask::keep(some)},
      {"drop", Mask::drop(tensor({true, false, false, false}))},
      {"valid_lens", Mask::valid_lens(tensor({3, 2}))},
      {"valid_lens of queries", Mask::valid_lens(tensor({{1, 4, 0}, {2, 3, 9}}))},
      {"causal top left", Mask::causal(CausalAlign::top_left)},
      {"causal bottom right", Mask::causal(CausalAlign::bottom_right)},
      {"additive", Mask::additive(tensor({{0.5, 0, -1, -infinity}}))},
  };
}

}  // namespace

BOOST_AUTO_TEST_SUITE(masks)

// --- each kind alone

BOOST_AUTO_TEST_CASE(a_mask_without_rules_hides_nothing) {
  BOOST_TEST(Mask().is_empty());
  const Mask::OnScores on_scores = Mask().on({2, 3});
  BOOST_TEST(!on_scores.may_hide());
  BOOST_TEST(!on_scores.bias.defined());
  BOOST_TEST((on_scores.empty_rows == EmptyRows::zero));
  BOOST_TEST(grid(Mask(), {2, 3}) == " x x x\n x x x");
  for (const Named& kind : every_kind()) {
    BOOST_TEST(kind.mask.is_empty() == (kind.name == "none"), kind.name);
  }
}

BOOST_AUTO_TEST_CASE(keep_and_drop_are_opposites) {
  const Tensor some = tensor({{true, false, true}, {false, false, true}});
  BOOST_TEST(grid(Mask::keep(some), {2, 3}) == " x . x\n . . x");
  BOOST_TEST(grid(Mask::drop(some), {2, 3}) == " . x .\n x x .");
}

BOOST_AUTO_TEST_CASE(keep_broadcasts_as_tensors_do) {
  const auto keep = [](const NestedList& list) { return Mask::keep(tensor(list)); };
  BOOST_TEST(grid(keep({true, false}), {3, 2}) == " x .\n x .\n x .");
  BOOST_TEST(grid(keep({{true}, {false}}), {2, 3}) == " x x x\n . . .");
  BOOST_TEST(grid(keep(false), {2, 3}) == " . . .\n . . .");
  BOOST_TEST(same(nn::masked_softmax(randn({2, 3}), keep(false)).value(), zeros({2, 3})));
  // on() expands the last dimension to the number of keys.
  BOOST_TEST((keep({{true}, {false}}).on({2, 3}).keep.shape() == Shape{2, 3}));
  BOOST_TEST((keep(false).on({2, 3}).keep.shape() == Shape{3}));
  // (batch, 1, keys): padding of each sequence.
  BOOST_TEST(grid(keep({{{true, false}}, {{true, true}}}), {2, 2, 2}) ==
             "batch 0:\n x .\n x .\n\nbatch 1:\n x x\n x x");
  // (batch, 1, queries, keys) and (1, heads, queries, keys)
  BOOST_TEST(grid(keep({{{{true, false}}}, {{{false, true}}}}), {2, 2, 1, 2}) ==
             "batch 0:\n x .\n\nbatch 1:\n . x");
  BOOST_TEST(grid(keep({{{{true, false}}, {{false, true}}}}), {2, 2, 1, 2}) ==
             "head 0:\n x .\n\nhead 1:\n . x");
  BOOST_TEST(
      grid(keep({{{{true, false}}, {{false, true}}}, {{{true, true}}, {{false, false}}}}),
           {2, 2, 1, 2}) ==
      "batch 0, head 0:\n x .\n\nbatch 0, head 1:\n . x\n\n"
      "batch 1, head 0:\n x x\n\nbatch 1, head 1:\n . .");
}

BOOST_AUTO_TEST_CASE(a_mask_of_one_key_hides_from_all) {
  // (queries, 1) says which queries count. A NaN in a key must not undo that.
  const Mask first = Mask::keep(tensor({{true}, {false}}));
  const Tensor q = randn({2, 3}), k = randn({4, 3}), v = randn({4, 3});
  Tensor odd = k.clone();
  odd.set({2, 0}, not_a_number);
  const auto output = [&](const Tensor& keys) {
    return nn::attention(q, keys, v, first).output.value();
  };
  BOOST_TEST(finite(output(k)) == 6);
  BOOST_TEST(finite(output(odd)[0]) == 0);
  BOOST_TEST(same(output(odd)[1], zeros({3})));
}

BOOST_AUTO_TEST_CASE(valid_lens_count_keys) {
  // One for all, one per sequence, one per query.
  BOOST_TEST(grid(Mask::valid_lens(tensor(2)), {2, 3}) == " x x .\n x x .");
  BOOST_TEST(grid(Mask::valid_lens(tensor({1, 2})), {2, 3}) == " x . .\n x x .");
  BOOST_TEST(grid(Mask::valid_lens(tensor({1, 3})), {2, 2, 3}) ==
             "batch 0:\n x . .\n x . .\n\nbatch 1:\n x x x\n x x x");
  BOOST_TEST(grid(Mask::valid_lens(tensor({{1, 2}, {0, 3}})), {2, 2, 3}) ==
             "batch 0:\n x . .\n x x .\n\nbatch 1:\n . . .\n x x x");
  BOOST_TEST(grid(Mask::valid_lens(tensor({{1, 2}, {0, 3}})), {2, 2, 2, 3}) ==
             "batch 0:\n x . .\n x x .\n\nbatch 1:\n . . .\n x x x");
  BOOST_TEST(grid(Mask::valid_lens(tensor({1, 2})), {2, 1, 2, 2}) ==
             "batch 0:\n x .\n x .\n\nbatch 1:\n x x\n x x");
}

BOOST_AUTO_TEST_CASE(a_length_beyond_the_keys_hides_nothing) {
  BOOST_TEST(grid(Mask::valid_lens(tensor({5, 3})), {2, 3}) == " x x x\n x x x");
}

BOOST_AUTO_TEST_CASE(causal_starts_in_the_corner_that_is_said) {
  const Mask left = Mask::causal(CausalAlign::top_left);
  const Mask right = Mask::causal(CausalAlign::bottom_right);
  BOOST_TEST(grid(left, {2, 4}) == " x . . .\n x x . .");
  BOOST_TEST(grid(right, {2, 4}) == " x x x .\n x x x x");
  BOOST_TEST(grid(left, {4, 2}) == " x .\n x x\n x x\n x x");
  BOOST_TEST(grid(right, {4, 2}) == " . .\n . .\n x .\n x x");
  // A query that sees no key has the length 0, not a negative one.
  BOOST_TEST(same(right.on({4, 2}).lens, tensor({0, 0, 1, 2})));
  const std::string square = " x . .\n x x .\n x x x";
  for (const Mask& mask : {left, right, Mask::causal()}) {
    BOOST_TEST(grid(mask, {3, 3}) == square);
    BOOST_TEST(grid(mask, {2, 1, 3, 3}) == square);
    BOOST_TEST((mask.on({2, 5, 3, 3}).lens.shape() == Shape{3}));
  }
}

BOOST_AUTO_TEST_CASE(causal_between_lengths_asks_for_the_corner) {
  BOOST_CHECK_EXCEPTION(Mask::causal().on({1, 2, 3}), Error,
                        says("Mask::causal: for 2 queries and 3 keys say which corner "
                             "the diagonal touches:\n"
                             "CausalAlign::top_left\n x . .\n x x .\n"
                             "CausalAlign::bottom_right\n x x .\n x x x"));
}

BOOST_AUTO_TEST_CASE(additive_masks_hide_with_infinity_and_bias_with_numbers) {
  const Mask mask = Mask::additive(tensor({{0.0, -infinity}, {-2.5, 1.0}}));
  BOOST_TEST(grid(mask, {2, 2}) == " x .\n x x");
  const Mask::OnScores on_scores = mask.on({2, 2});
  BOOST_TEST(same(on_scores.bias, tensor({{0.0, 0.0}, {-2.5, 1.0}})));
  // The tutorial's causal mask is the rule's, and biases nothing.
  const Tensor above = triu(full({5, 5}, -infinity), 1);
  BOOST_TEST(grid(Mask::additive(above), {5, 5}) == grid(Mask::causal(), {5, 5}));
  BOOST_TEST(!Mask::additive(above).on({5, 5}).bias.defined());
}

BOOST_AUTO_TEST_CASE(additive_masks_add_up) {
  const Mask one = Mask::additive(tensor({lowest, 1.0, -infinity, lowest}));
  const Mask two = Mask::additive(tensor({lowest, 2.0, 5.0, 0.0}));
  // The lowest number twice is -inf: both say that nothing is there.
  BOOST_TEST(grid(one & two, {1, 4}) == " . x . x");
  BOOST_TEST(same((one & two).on({1, 4}).bias, tensor({0.0, 3.0, 5.0, lowest})));
  const Mask most = Mask::additive(tensor({-lowest}));
  BOOST_CHECK_EXCEPTION((most & most).on({1, 1}), Error,
                        says("Mask::additive: the sum of the masks must be finite or "
                             "-inf, got inf"));
}

BOOST_AUTO_TEST_CASE(a_mask_keeps_its_own_copy) {
  Tensor keep = tensor({true, false}), drop = tensor({false, true});
  Tensor lens = tensor({1}), bias = tensor({0.0, -infinity});
  const Mask masks[] = {Mask::keep(keep), Mask::drop(drop), Mask::valid_lens(lens),
                        Mask::additive(bias)};
  for (Tensor* const x : {&keep, &drop, &lens, &bias}) x->fill_(0);
  for (const Mask& mask : masks) BOOST_TEST(grid(mask, {1, 2}) == " x .");
}

// --- together

BOOST_AUTO_TEST_CASE(a_mask_that_was_moved_from_still_hides) {
  for (auto& [name, mask] : every_kind()) {
    const std::string before = grid(mask, {2, 3, 4});
    const Mask moved = std::move(mask);
    Mask assigned;
    assigned = std::move(mask);
    for (const Mask& each : {mask, moved, assigned}) {
      BOOST_TEST(grid(each, {2, 3, 4}) == before, name);
      BOOST_TEST(each.is_empty() == (name == "none"), name);
    }
  }
}

BOOST_AUTO_TEST_CASE(two_masks_hide_what_either_hides) {
  for (const Shape& shape : {Shape{2, 3, 4}, Shape{2, 5, 3, 4}}) {
    for (const Named& a : every_kind()) {
      for (const Named& b : every_kind()) {
        BOOST_TEST_CONTEXT(a.name << " & " << b.name) {
          const Tensor both = logical_and(seen(a.mask, shape), seen(b.mask, shape));
          BOOST_TEST(same(seen(a.mask & b.mask, shape), both));
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(masks_may_be_joined_in_any_order) {
  const Shape shape{2, 3, 4};
  const auto bias = [&](const Mask& mask) {
    const auto on_scores = mask.on(shape);
    return expand(on_scores.bias.defined() ? on_scores.bias : zeros({1, 1}), shape);
  };
  for (const Named& a : every_kind()) {
    for (const Named& b : every_kind()) {
      for (const Named& c : every_kind()) {
        const Mask left = (a.mask & b.mask) & c.mask, right = c.mask & (b.mask & a.mask);
        BOOST_TEST_CONTEXT(a.name << " & " << b.name << " & " << c.name) {
          BOOST_TEST(same(seen(left, shape), seen(right, shape)));
          BOOST_TEST(distance(bias(left), bias(right)) <= 1e-6);
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(both_alignments_together_are_the_stricter) {
  const Mask both =
      Mask::causal(CausalAlign::top_left) & Mask::causal(CausalAlign::bottom_right);
  BOOST_TEST(grid(both, {2, 3}) == " x . .\n x x .");
  BOOST_TEST(grid(both, {3, 2}) == " . .\n x .\n x x");
  BOOST_CHECK_THROW((both & Mask::causal()).on({2, 3}), Error);
}

BOOST_AUTO_TEST_CASE(a_policy_passes_to_what_a_mask_is_joined_with) {
  const auto policy = [](const Mask& mask) { return mask.on({2, 2}).empty_rows; };
  const Mask plain = Mask::causal();
  const Mask uniform = Mask().empty_rows(EmptyRows::uniform);
  BOOST_TEST((policy(plain & uniform) == EmptyRows::uniform));
  BOOST_TEST((policy(uniform & plain) == EmptyRows::uniform));
  BOOST_TEST((policy(uniform & uniform) == EmptyRows::uniform));
  BOOST_TEST((policy(uniform.empty_rows(EmptyRows::nan)) == EmptyRows::nan));
  BOOST_TEST((policy(uniform) == EmptyRows::uniform));
  BOOST_TEST(uniform.is_empty());
  BOOST_CHECK_EXCEPTION(
      uniform & plain.empty_rows(EmptyRows::nan), Error,
      says("mask: the two masks joined by & must agree on empty rows, got "
           "EmptyRows::uniform and EmptyRows::nan"));
  BOOST_CHECK_EXCEPTION(
      plain.empty_rows(EmptyRows::error) & plain.empty_rows(EmptyRows::zero), Error,
      says("mask: the two masks joined by & must agree on empty rows, got "
           "EmptyRows::error and EmptyRows::zero"));
}

// --- shown, and of no size

BOOST_AUTO_TEST_CASE(grids_are_cut_where_they_are_large) {
  const auto line = [](int keys, const std::string& end = "") {
    std::string text;
    for (int j = 0; j < keys; ++j) text += " x";
    return text + end;
  };
  const auto lines = [](int count, const std::string& text) {
    std::string all = text;
    for (int i = 1; i < count; ++i) all += "\n" + text;
    return all;
  };
  BOOST_TEST(grid(Mask(), {16, 32}) == lines(16, line(32)));
  BOOST_TEST(grid(Mask(), {16, 33}) == lines(16, line(32, " ...")));
  BOOST_TEST(grid(Mask(), {17, 1}) == lines(16, " x") + "\n ...");
  const auto grids_of = [](int batches) {
    return grid(Mask::valid_lens(full({batches}, 1, int64)), {batches, 2, 1, 1});
  };
  const std::string four = "batch 0:\n x\n\nbatch 1:\n x\n\nbatch 2:\n x\n\nbatch 3:\n x";
  BOOST_TEST(grids_of(1) == " x");
  BOOST_TEST(grids_of(4) == four);
  BOOST_TEST(grids_of(5) == four + "\n\n ...");
}

BOOST_AUTO_TEST_CASE(nothing_may_be_masked) {
  const Tensor none = zeros({0}, int64);
  BOOST_TEST((seen(Mask::valid_lens(none), {0, 2, 3}).shape() == Shape{0, 2, 3}));
  BOOST_TEST((seen(Mask::keep(ones({2, 0}, boolean)), {2, 0}).shape() == Shape{2, 0}));
  BOOST_TEST((seen(Mask::keep(ones({2, 1}, boolean)), {2, 0}).shape() == Shape{2, 0}));
  BOOST_TEST((seen(Mask::causal(), {0, 0}).shape() == Shape{0, 0}));
  const Mask left = Mask::causal(CausalAlign::top_left).empty_rows(EmptyRows::error);
  BOOST_TEST((seen(left, {0, 3}).shape() == Shape{0, 3}));
  for (const Shape& scores : {Shape{0, 2, 3}, Shape{2, 0, 3}, Shape{2, 3, 0}}) {
    BOOST_TEST(grid(Mask(), scores).empty());
  }
  // Without keys no query sees one.
  BOOST_CHECK_THROW(left.on({1, 0}), Error);
  const nn::Attention result = nn::attention(ones({2, 3}), empty({0, 3}), empty({0, 4}),
                                             Mask::causal(CausalAlign::top_left));
  BOOST_TEST(same(result.output.value(), zeros({2, 4})));
  BOOST_TEST((result.weights.shape() == Shape{2, 0}));
}

// --- sequence_mask

BOOST_AUTO_TEST_CASE(sequence_mask_leaves_what_it_was_given) {
  const Tensor x = tensor({{1, 2, 3}, {4, 5, 6}}), before = x.clone();
  const Tensor lens = tensor({1, 2});
  BOOST_TEST(same(nn::sequence_mask(x, lens), tensor({{1, 0, 0}, {4, 5, 0}})));
  BOOST_TEST(same(nn::sequence_mask(x, lens, -1), tensor({{1, -1, -1}, {4, 5, -1}})));
  BOOST_TEST(same(x, before));
  // A length beyond the row, and none at all.
  BOOST_TEST(same(nn::sequence_mask(x, tensor({7, 0})), tensor({{1, 2, 3}, {0, 0, 0}})));
}

BOOST_AUTO_TEST_CASE(sequence_mask_replaces_whole_features) {
  const Tensor x = ones({2, 3, 2, 2}, float64);
  const Tensor y = nn::sequence_mask(x, tensor({3, 1}), -infinity);
  BOOST_TEST(same(y[0], x[0]));
  BOOST_TEST(same(y[1][0], x[1][0]));
  BOOST_TEST(same(slice(y[1], 0, 1), full({2, 2, 2}, -infinity, float64)));
}

BOOST_AUTO_TEST_CASE(sequence_mask_refuses_what_does_not_fit) {
  const Tensor x = ones({2, 3});
  BOOST_CHECK_EXCEPTION(
      nn::sequence_mask(x, tensor({1, 2, 3})), Error,
      says("sequence_mask: x (batch, steps, ...) and int64 lens (batch), got "
           "(2, 3) and int64 (3)"));
  BOOST_CHECK_EXCEPTION(
      nn::sequence_mask(x, tensor({1.0, 2.0})), Error,
      says("sequence_mask: x (batch, steps, ...) and int64 lens (batch), got "
           "(2, 3) and float32 (2)"));
}

BOOST_AUTO_TEST_SUITE_END()

// The fused scores of additive attention against the formula that they stand for.
#include <cmath>
#include <limits>

#include <boost/test/unit_test.hpp>

#include <heed.h>

using namespace heed;

namespace {

Variable composed(const Variable& queries, const Variable& keys, const Variable& w) {
  const Variable t = tanh(unsqueeze(queries, -2) + unsqueeze(keys, -3));
  return sum(w * t, -1);
}

std::vector<Variable> leaves(std::int64_t n, std::int64_t m, std::int64_t h) {
  Generator generator(6);
  return {Variable(randn({2, n, h}, float64, generator), true),
          Variable(randn({2, m, h}, float64, generator), true),
          Variable(randn({h}, float64, generator), true)};
}

// A number that depends on every score in its own way.
Variable mixed(const Variable& scores) {
  Generator generator(7);
  return sum(square(scores) * rand(scores.shape(), float64, generator));
}

void check_equal(const Variable& a, const Variable& b) {
  BOOST_TEST_REQUIRE((a.shape() == b.shape()));
  BOOST_TEST(max(abs(a.value() - b.value())).item() < 1e-12);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(additive)

BOOST_AUTO_TEST_CASE(fused_and_composed_are_one_function) {
  const auto in = leaves(3, 5, 20);
  const Variable fused = additive_scores(in[0], in[1], in[2]);
  const Variable plain = composed(in[0], in[1], in[2]);
  check_equal(fused, plain);
  const auto first = grad(mixed(fused), in), expected = grad(mixed(plain), in);
  for (std::size_t i = 0; i < in.size(); ++i) check_equal(first[i], expected[i]);
}

BOOST_AUTO_TEST_CASE(so_are_their_gradients_recorded_and_differentiated_again) {
  const auto in = leaves(3, 5, 20);
  const auto twice = [&](const Variable& scores) {
    const auto first = grad(mixed(scores), in, {.create_graph = true});
    Variable total = sum(first[0] * first[0]);
    for (std::size_t i : {1u, 2u}) total = total + sum(first[i] * first[i] * first[i]);
    auto second = grad(total, in);
    second.insert(second.end(), first.begin(), first.end());
    return second;
  };
  const auto fused = twice(additive_scores(in[0], in[1], in[2]));
  const auto plain = twice(composed(in[0], in[1], in[2]));
  for (std::size_t i = 0; i < fused.size(); ++i) {
    const double scale = std::max(1.0, max(abs(plain[i].value())).item());
    check_equal(fused[i] / scale, plain[i] / scale);
  }
}

BOOST_AUTO_TEST_CASE(only_some_inputs_may_ask_for_a_gradient) {
  const auto all = leaves(2, 3, 4);
  const auto expected = grad(mixed(additive_scores(all[0], all[1], all[2])), all);
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::vector<Variable> in = {all[0].detach(), all[1].detach(), all[2].detach()};
    in[i] = all[i];
    check_equal(grad(mixed(additive_scores(in[0], in[1], in[2])), {in[i]})[0],
                expected[i]);
  }
}

BOOST_AUTO_TEST_CASE(nan_behind_a_mask_reaches_no_gradient) {
  auto in = leaves(2, 4, 3);
  const Tensor mask = reshape(tensor({false, false, true, true}), {1, 1, 4});
  const auto masked = [&] {
    const Variable scores = additive_scores(in[0], in[1], in[2], logical_not(mask));
    return mixed(masked_fill(scores, mask, -1));
  };
  const auto expected = grad(masked(), in);
  Tensor keys = in[1].value();
  slice(keys, 1, 2).fill_(std::numeric_limits<double>::quiet_NaN());
  for (const bool recorded : {false, true}) {
    const auto got = grad(masked(), in, {.create_graph = recorded});
    for (std::size_t i = 0; i < in.size(); ++i) check_equal(got[i], expected[i]);
    if (!recorded) continue;
    const auto second = grad(sum(got[0] * got[0]) + sum(got[1] * got[2]), in);
    for (const Variable& g : second) BOOST_TEST(all(isfinite(g.value())).item() == 1);
  }
}

BOOST_AUTO_TEST_CASE(nan_that_counts_reaches_the_gradients) {
  const auto in = leaves(2, 4, 3);
  Tensor keys = in[1].value();
  slice(keys, 1, 2).fill_(std::numeric_limits<double>::quiet_NaN());
  for (const bool recorded : {false, true}) {
    const auto got =
        grad(mixed(additive_scores(in[0], in[1], in[2])), in, {.create_graph = recorded});
    BOOST_TEST(all(isnan(got[0].value())).item());
    BOOST_TEST(all(isnan(slice(got[1].value(), 1, 2))).item());
    BOOST_TEST(all(isnan(got[2].value())).item());
  }
}

BOOST_AUTO_TEST_CASE(the_array_of_all_sums_is_never_made) {
  Generator generator(6);
  const std::int64_t n = 50, m = 60, h = 64;
  const Variable queries(randn({4, n, h}, float32, generator), true);
  const Variable keys(randn({4, m, h}, float32, generator), true);
  const Variable w(randn({h}, float32, generator), true);
  const std::int64_t before = memory::bytes_live();
  memory::reset_peak();
  sum(additive_scores(queries, keys, w)).backward();
  const std::int64_t all_sums = 4 * n * m * h * 4;
  BOOST_TEST(memory::bytes_peak() - before < all_sums / 5);
}

BOOST_AUTO_TEST_SUITE_END()

// The fused weights of a Gaussian kernel against the formula that they stand for.
#include <boost/test/unit_test.hpp>

#include <heed.h>

using namespace heed;

namespace {

Variable composed(const Variable& queries, const Variable& keys, const Variable& w) {
  return softmax(-square((unsqueeze(queries, 1) - keys) * w) / 2, 1);
}

std::vector<Variable> leaves() {
  Generator generator(6);
  return {Variable(randn({4}, float64, generator), true),
          Variable(randn({4, 9}, float64, generator), true),
          Variable(full({1}, 0.8, float64), true)};
}

// A number that depends on every weight in its own way.
Variable mixed(const Variable& weights) {
  Generator generator(7);
  return sum(square(weights) * rand(weights.shape(), float64, generator));
}

void check_equal(const Variable& a, const Variable& b) {
  BOOST_TEST_REQUIRE((a.shape() == b.shape()));
  BOOST_TEST(max(abs(a.value() - b.value())).item() < 1e-14);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(gaussian)

BOOST_AUTO_TEST_CASE(fused_and_composed_are_one_function) {
  const auto in = leaves();
  const Variable fused = gaussian_weights(in[0], in[1], in[2]);
  const Variable plain = composed(in[0], in[1], in[2]);
  check_equal(fused, plain);
  const auto first = grad(mixed(fused), in), expected = grad(mixed(plain), in);
  for (std::size_t i = 0; i < in.size(); ++i) check_equal(first[i], expected[i]);
}

BOOST_AUTO_TEST_CASE(so_are_their_gradients_recorded_and_differentiated_again) {
  const auto in = leaves();
  const auto twice = [&](const Variable& weights) {
    const auto first = grad(mixed(weights), in, {.create_graph = true});
    auto all = grad(sum(first[0] * first[0]) + sum(pow(first[1], 3)) + first[2], in);
    all.insert(all.end(), first.begin(), first.end());
    return all;
  };
  const auto fused = twice(gaussian_weights(in[0], in[1], in[2]));
  const auto plain = twice(composed(in[0], in[1], in[2]));
  for (std::size_t i = 0; i < fused.size(); ++i) check_equal(fused[i], plain[i]);
}

BOOST_AUTO_TEST_CASE(only_some_inputs_may_ask_for_a_gradient) {
  const auto all = leaves();
  const auto expected = grad(mixed(gaussian_weights(all[0], all[1], all[2])), all);
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::vector<Variable> in = {all[0].detach(), all[1].detach(), all[2].detach()};
    in[i] = all[i];
    check_equal(grad(mixed(gaussian_weights(in[0], in[1], in[2])), {in[i]})[0],
                expected[i]);
  }
}

// The square of the distance overflows; the weight, or w, is 0. PyTorch's gradients.
BOOST_AUTO_TEST_CASE(a_key_that_is_far_away_has_no_say) {
  const auto check = [](double w_value) {
    const Variable q(tensor({0.5}, float64), true), w(tensor({w_value}, float64), true);
    const Variable k(tensor({{0.0, 1.0, 1e200}}, float64), true);
    const Tensor g = tensor({{1.0, 2.0, 3.0}}, float64);
    for (const bool create_graph : {false, true}) {
      const auto fused = grad(sum(gaussian_weights(q, k, w) * g), {q, k, w},
                              {.create_graph = create_graph});
      const auto plain = grad(sum(composed(q, k, w) * g), {q, k, w});
      for (int i = 0; i < 3; ++i) {
        check_equal(fused[static_cast<std::size_t>(i)],
                    plain[static_cast<std::size_t>(i)]);
      }
    }
  };
  check(0.8);
  check(0.0);
}

BOOST_AUTO_TEST_SUITE_END()

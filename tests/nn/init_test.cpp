// Initial values that no stored reference case has.

#include <cmath>

#include <boost/test/unit_test.hpp>

#include <heed.h>

#include "tests/errors.h"

using namespace heed;

namespace {

double distance(const Tensor& a, const Tensor& b) { return max(abs(a - b)).item(); }

}  // namespace

BOOST_AUTO_TEST_SUITE(initial_values)

// torch.manual_seed(0), then nn.init.trunc_normal_, in PyTorch 2.15.
BOOST_AUTO_TEST_CASE(truncated_normals_are_pytorch_s) {
  manual_seed(0);
  Tensor wide = empty({2, 4});
  nn::init::trunc_normal_(wide, 0, 0.02);
  const Tensor drawn =
      tensor({{0.0308199227, -0.00586857833, -0.0435757861, 0.0113686258},
              {-0.0216904469, -0.0279719085, 0.00806693733, 0.0167605262}});
  BOOST_TEST(distance(wide, drawn) < 1e-8);
  manual_seed(0);
  Variable narrow(empty({6}, float64), true);
  nn::init::trunc_normal_(narrow, 1, 2, 0, 1.5);
  const Tensor kept = tensor({1.4550795027098296, 1.061729796599682, 0.6890744146911763,
                              1.3811215261829404, 0.9675361801841471, 1.1867218382704556},
                             float64);
  BOOST_TEST(distance(narrow.value(), kept) < 1e-14);
}

BOOST_AUTO_TEST_CASE(truncated_normals_far_from_the_mean_are_those_of_pytorch) {
  const auto drawn = [](std::int64_t n, double mean, double std, double a, double b) {
    manual_seed(0);
    Tensor w = empty({n});
    nn::init::trunc_normal_(w, mean, std, a, b);
    return w;
  };
  // torch.manual_seed(0), then nn.init.trunc_normal_, in PyTorch 2.15.
  BOOST_TEST(distance(drawn(6, 9, 0.125, -2, 2),
                      tensor({1.99545193, 1.99935269, 1.99879885, 1.9970758, 1.99778032,
                              1.99959493})) < 1e-6);
  BOOST_TEST(distance(drawn(5, 0, 1, 1.5, 60), tensor({1.99479413, 1.53744197, 1.50466192,
                                                       1.57230723, 1.80024409})) < 1e-6);
  // Ranges of which PyTorch keeps hardly a number: all near the end that is likely.
  for (const double end : {1e9, static_cast<double>(INFINITY)}) {
    BOOST_TEST(max(drawn(100, -100, 1, 2, end)).item() < 2.2);
    BOOST_TEST(min(drawn(100, 100, 1, -end, 2)).item() > 1.8);
  }
  BOOST_TEST(max(drawn(100, 0, 1e-4, 1, 2)).item() < 1 + 1e-6);  // soon
}

BOOST_AUTO_TEST_CASE(truncated_normals_stay_within) {
  manual_seed(1);
  for (const auto& [mean, std, a, b] :
       {std::array{0.0, 1.0, -0.5, 2.0}, std::array{3.0, 1.0, -1.0, 1.0},
        std::array{0.0, 10.0, 4.0, 5.0}}) {
    Tensor w = empty({1000});
    nn::init::trunc_normal_(w, mean, std, a, b);
    BOOST_TEST(min(w).item() >= a);
    BOOST_TEST(max(w).item() <= b);
    BOOST_TEST(max(w).item() - min(w).item() > 0.8 * (b - a) - (mean == 3));
  }
  Tensor w = empty({2});
  nn::init::trunc_normal_(w, 0, 1, 3, INFINITY);  // a tail, and soon
  BOOST_TEST(min(w).item() >= 3);
  BOOST_TEST(max(w).item() < 10);
  BOOST_TEST(error_of([&] { nn::init::trunc_normal_(w, NAN); }) ==
             "trunc_normal_: mean and std must be finite, got nan and 1");
  BOOST_TEST(error_of([&] { nn::init::trunc_normal_(w, 0, 1, 2, 2); }) ==
             "trunc_normal_: std must be positive and a below b, got 1, 2 and 2");
  BOOST_TEST(error_of([&] { nn::init::trunc_normal_(w, 0, 0); }) ==
             "trunc_normal_: std must be positive and a below b, got 0, -2 and 2");
  Tensor third = empty({3});
  BOOST_TEST(error_of([&] {
               nn::init::trunc_normal_(third, 1e6, 0.005, 1e6 + 0.035, 1e6 + 1);
             }) ==
             "trunc_normal_: w must have numbers near the likeliest one of the range, "
             "1000000.035; the nearest one of float32 is 1000000.0625, for std 0.005");
}

BOOST_AUTO_TEST_CASE(ones_on_the_diagonal) {
  nn::Linear layer(3, 2);
  nn::init::eye_(layer.weight);
  BOOST_TEST(equal(layer.weight.value(), tensor({{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}})));
  BOOST_TEST(layer.weight.requires_grad());
  BOOST_TEST(error_of([&] { nn::init::eye_(layer.bias); }) ==
             "eye_: the weight must have two dimensions, got (2)");
}

BOOST_AUTO_TEST_CASE(train_takes_a_flag) {
  nn::Sequential net(nn::Linear(2, 2), nn::Dropout(1.0));
  nn::train(net, false);
  BOOST_TEST(any(net(ones({1, 2})).value() != 0).item());
  nn::train(net, true);
  BOOST_TEST(!any(net(ones({1, 2})).value() != 0).item());
}

BOOST_AUTO_TEST_SUITE_END()

// One step of Adam and one of Sgd in one pass, against the formula element by element.

#include <cmath>
#include <optional>
#include <vector>

#include <boost/test/unit_test.hpp>

#include <heed.h>

#include "tensor/elementwise/updates.h"
#include "tests/compare.h"
#include "tests/errors.h"

using namespace heed;

namespace {

// A parameter with all that a step reads and writes, none of it at its initial value.
struct Operands {
  Tensor x, gradient, m, v;
  std::optional<Tensor> largest;

  Operands(std::int64_t n, DType dtype, bool amsgrad) {
    Generator generator(static_cast<std::uint64_t>(n));
    x = randn({n}, dtype, generator);
    gradient = randn({n}, dtype, generator);
    m = randn({n}, dtype, generator);
    v = rand({n}, dtype, generator);
    if (amsgrad) largest = rand({n}, dtype, generator);
  }
  void step(const AdamUpdate& update) { adam_(x, gradient, m, v, largest, update); }
  std::vector<Tensor> written() const {
    std::vector<Tensor> all = {x, m, v};
    if (largest) all.push_back(*largest);
    return all;
  }
};

AdamUpdate update(int bits) {
  return {.shrink = bits & 1 ? 0.75 : 1,
          .weight_decay = bits & 2 ? 0.3 : 0,
          .beta1 = 0.8,
          .beta2 = 0.6,
          .eps = 0.125,
          .step_size = 0.4,
          .root_scale = 0.7,
          .maximize = (bits & 4) != 0};
}

// What a step makes of element i, in double: x, m, v, largest.
std::vector<double> formula(const Operands& o, std::int64_t i, const AdamUpdate& u) {
  const double x = o.x.at({i}) * u.shrink;
  const double g = (u.maximize ? -1 : 1) * o.gradient.at({i}) + u.weight_decay * x;
  const double m = u.beta1 * o.m.at({i}) + (1 - u.beta1) * g;
  const double v = u.beta2 * o.v.at({i}) + (1 - u.beta2) * g * g;
  const double most = o.largest ? std::max(o.largest->at({i}), v) : v;
  const double moved = u.step_size * m / (std::sqrt(most) / u.root_scale + u.eps);
  std::vector<double> all = {x - moved, m, v};
  if (o.largest) all.push_back(most);
  return all;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(updates)

BOOST_AUTO_TEST_CASE(a_step_is_the_formula_for_every_size_and_option) {
  for (const DType dtype : {float32, float64}) {
    const double close = dtype == float32 ? 1e-6 : 1e-15;
    for (const std::int64_t n : {0, 1, 3, 7, 8, 9, 16, 17, 33, 1001}) {
      for (int bits = 0; bits < 16; ++bits) {
        Operands o(n, dtype, (bits & 8) != 0);
        std::vector<std::vector<double>> expected;
        for (std::int64_t i = 0; i < n; ++i) {
          expected.push_back(formula(o, i, update(bits)));
        }
        const Tensor gradient = o.gradient.clone();
        o.step(update(bits));
        double worst = 0;
        for (std::int64_t i = 0; i < n; ++i) {
          const auto& want = expected[static_cast<std::size_t>(i)];
          for (std::size_t k = 0; k < want.size(); ++k) {
            const double error = std::abs(o.written()[k].at({i}) - want[k]);
            worst = std::max(worst, error / (1 + std::abs(want[k])));
          }
        }
        BOOST_TEST_INFO(name(dtype) << " " << n << ", options " << bits);
        BOOST_TEST(worst < close);
        BOOST_TEST(same_bits(o.gradient, gradient));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_part_of_a_tensor_is_moved_and_nothing_beside_it) {
  Operands whole(20, float32, true), part(20, float32, true);
  const Tensor before = part.x.clone();
  whole.step(update(7));
  for (Tensor* t : {&part.gradient, &part.m, &part.v, &*part.largest}) {
    *t = slice(*t, 0, 5, 14);
  }
  Tensor middle = slice(part.x, 0, 5, 14);
  adam_(middle, part.gradient, part.m, part.v, part.largest, update(7));
  BOOST_TEST(same_bits(slice(part.x, 0, 5, 14), slice(whole.x, 0, 5, 14)));
  BOOST_TEST(same_bits(slice(part.x, 0, 0, 5), slice(before, 0, 0, 5)));
  BOOST_TEST(same_bits(slice(part.x, 0, 14), slice(before, 0, 14)));
}

BOOST_AUTO_TEST_CASE(the_bits_do_not_depend_on_threads) {
  const int before = num_threads();
  for (const DType dtype : {float32, float64}) {
    for (const bool amsgrad : {false, true}) {
      set_num_threads(1);
      Operands one(300'001, dtype, amsgrad);
      one.step(update(7));
      for (const int threads : {2, 3}) {
        set_num_threads(threads);
        Operands more(300'001, dtype, amsgrad);
        more.step(update(7));
        for (std::size_t k = 0; k < one.written().size(); ++k) {
          BOOST_TEST(same_bits(more.written()[k], one.written()[k]));
        }
      }
    }
  }
  set_num_threads(before);
}

BOOST_AUTO_TEST_CASE(a_step_raises_the_versions_of_what_it_writes) {
  Operands o(4, float32, true);
  const auto version = [](const Tensor& t) { return t.storage()->version.load(); };
  const std::vector<Tensor> written = o.written();
  std::vector<std::uint32_t> before;
  for (const Tensor& t : written) before.push_back(version(t));
  const auto of_gradient = version(o.gradient);
  o.step(update(0));
  for (std::size_t k = 0; k < written.size(); ++k) {
    BOOST_TEST(version(written[k]) > before[k]);
  }
  BOOST_TEST(version(o.gradient) == of_gradient);
}

BOOST_AUTO_TEST_CASE(a_nan_stays_in_the_largest) {
  Operands o(3, float64, true);
  o.largest->set({1}, NAN);
  o.step(update(0));
  BOOST_TEST(std::isnan(o.largest->at({1})));
  BOOST_TEST(std::isnan(o.x.at({1})));
  BOOST_TEST(std::isfinite(o.x.at({0})));
  o.gradient.set({0}, NAN);
  o.step(update(0));
  BOOST_TEST(std::isnan(o.x.at({0})));
}

BOOST_AUTO_TEST_CASE(what_it_refuses) {
  const Operands good(6, float32, true);
  const auto error_with = [&](auto change) {
    Operands o = good;
    change(o);
    const Tensor before = o.x.clone();
    const std::string error = error_of([&] { o.step(update(0)); });
    BOOST_TEST(same_bits(o.x, before));
    return error;
  };
  const std::string like =
      "adam_: all must be contiguous and like the parameter, float32 (6), got ";
  BOOST_TEST(error_with([](Operands& o) { o.gradient = ones({5}); }) ==
             like + "float32 (5) with strides (1)");
  BOOST_TEST(error_with([](Operands& o) { o.m = ones({6}, float64); }) ==
             like + "float64 (6) with strides (1)");
  BOOST_TEST(error_with([](Operands& o) { o.v = slice(ones({12}), 0, 0, 12, 2); }) ==
             like + "float32 (6) with strides (2)");
  BOOST_TEST(error_with([](Operands& o) {
               o.largest = ones({2, 3});
             }) == like + "float32 (2, 3) with strides (3, 1)");
  BOOST_TEST(error_with([](Operands& o) { o.x = expand(ones({1}), {6}); }) ==
             like + "float32 (6) with strides (0)");
  const std::string own = "adam_: each must have a storage of its own";
  BOOST_TEST(error_with([](Operands& o) { o.m = o.v; }) == own);
  BOOST_TEST(error_with([](Operands& o) { o.gradient = o.x; }) == own);
  BOOST_TEST(error_with([](Operands& o) { o.largest = o.v; }) == own);
  Tensor x = ones({2}, int64), m = x.clone(), v = x.clone();
  std::optional<Tensor> none;
  BOOST_TEST(error_of([&] { adam_(x, x.clone(), m, v, none, update(0)); }) ==
             "adam_: the dtype must be float32 or float64, got int64");
}

// --- Sgd

namespace {

SgdUpdate sgd_update(int bits) {
  return {.lr = 0.4,
          .momentum = 0.8,
          .dampening = bits & 1 ? 0.3 : 0,
          .weight_decay = bits & 2 ? 0.3 : 0,
          .nesterov = (bits & 4) != 0,
          .maximize = (bits & 8) != 0,
          .first = (bits & 16) != 0};
}

// The same with plain ops, in the operands' dtype and so to the last bit: the new x, and
// the new velocity in its place.
Tensor sgd_in_ops(const Tensor& x, const Tensor& gradient,
                  std::optional<Tensor>& velocity, const SgdUpdate& u) {
  Tensor g = u.maximize ? -gradient : gradient;
  if (u.weight_decay != 0) g = g + u.weight_decay * x;
  if (velocity) {
    velocity = u.first ? g : u.momentum * *velocity + (1 - u.dampening) * g;
    g = u.nesterov ? g + u.momentum * *velocity : *velocity;
  }
  return x - u.lr * g;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_step_of_sgd_is_the_same_in_ops_to_the_bit) {
  const int before = num_threads();
  for (const DType dtype : {float32, float64}) {
    for (const std::int64_t n : {0, 1, 7, 8, 33, 1001, 300'001}) {
      for (int bits = 0; bits < 64; ++bits) {
        if (n > 2000 && bits % 21 != 0) continue;
        set_num_threads(n > 2000 ? 3 : 1);
        Operands o(n, dtype, false);
        std::optional<Tensor> velocity, expected_velocity;
        if (bits & 32) velocity = o.m;
        if (velocity) expected_velocity = velocity->clone();
        const Tensor gradient = o.gradient.clone();
        const SgdUpdate update = sgd_update(bits);
        const Tensor expected = sgd_in_ops(o.x, gradient, expected_velocity, update);
        sgd_(o.x, o.gradient, velocity, update);
        BOOST_TEST_INFO(name(dtype) << " " << n << ", options " << bits);
        BOOST_TEST(same_bits(o.x, expected));
        BOOST_TEST((!velocity || same_bits(*velocity, *expected_velocity)));
        BOOST_TEST(same_bits(o.gradient, gradient));
      }
    }
  }
  set_num_threads(before);
}

BOOST_AUTO_TEST_CASE(an_infinite_parameter_without_a_decay_stays_infinite) {
  Tensor x = full({20}, INFINITY);
  std::optional<Tensor> none;
  sgd_(x, ones({20}), none, sgd_update(0));
  BOOST_TEST(same_bits(x, full({20}, INFINITY)));
}

BOOST_AUTO_TEST_CASE(what_sgd_refuses) {
  Tensor x = ones({6});
  std::optional<Tensor> none, velocity = ones({5}), same = x;
  BOOST_TEST(error_of([&] { sgd_(x, ones({6}), velocity, sgd_update(0)); }) ==
             "sgd_: all must be contiguous and like the parameter, float32 (6), got "
             "float32 (5) with strides (1)");
  BOOST_TEST(error_of([&] { sgd_(x, x, none, sgd_update(0)); }) ==
             "sgd_: each must have a storage of its own");
  BOOST_TEST(error_of([&] { sgd_(x, ones({6}), same, sgd_update(0)); }) ==
             "sgd_: each must have a storage of its own");
  BOOST_TEST(same_bits(x, ones({6})));
}

BOOST_AUTO_TEST_SUITE_END()

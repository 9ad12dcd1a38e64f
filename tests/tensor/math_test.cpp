// The float32 functions of the kernels, at every level that this processor has, against
// the C library's double precision: the largest errors that kernels/math.h states.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "tensor/core/factories.h"
#include "tensor/elementwise/elementwise.h"
#include "tensor/elementwise/elementwise_kernels.h"
#include "tensor/kernels/level.h"

namespace {

using namespace heed;
using kernels::ElementwiseKernels;
using kernels::Level;
using kernels::Op;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float smallest = std::numeric_limits<float>::denorm_min();
constexpr float largest = std::numeric_limits<float>::max();

struct Table {
  std::string_view name;
  const ElementwiseKernels& table;
};

std::vector<Table> tables() {
  std::vector<Table> result = {
      {"baseline", kernels::baseline::get<ElementwiseKernels>()}};
#if HEED_HAS_V3
  if (kernels::level() >= Level::v3)
    result.push_back({"v3", kernels::v3::get<ElementwiseKernels>()});
#endif
#if HEED_HAS_V4
  if (kernels::level() >= Level::v4)
    result.push_back({"v4", kernels::v4::get<ElementwiseKernels>()});
#endif
  return result;
}

std::vector<float> apply(const ElementwiseKernels& table, Op op,
                         const std::vector<float>& x) {
  std::vector<float> y(x.size());
  const void* in[] = {x.data()};
  const std::int64_t strides[] = {1};
  table.of(op, float32)(static_cast<std::int64_t>(x.size()), in, strides, y.data());
  return y;
}

float apply(const ElementwiseKernels& table, Op op, float x) {
  return apply(table, op, std::vector<float>{x})[0];
}

// The distance in units in the last place of a float near `wanted`; infinite where one is
// a NaN, an infinity or, wanted, a signed zero and the other is not.
double ulps(float found, double wanted) {
  const auto rounded = static_cast<float>(wanted);
  if (std::isnan(wanted) || std::isnan(found)) {
    return std::isnan(wanted) && std::isnan(found) ? 0 : infinity;
  }
  if (std::isinf(rounded) || std::isinf(found)) return found == rounded ? 0 : infinity;
  if (wanted == 0) {
    return found == 0 && std::signbit(found) == std::signbit(wanted) ? 0 : infinity;
  }
  const int exponent = std::max(std::ilogb(wanted), -126);
  return std::abs(found - wanted) / std::ldexp(1.0, exponent - 23);
}

// Floats of every sign and size, NaN and the infinities among them: every 4093rd.
std::vector<float> samples() {
  std::vector<float> x;
  for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << 32); bits += 4093) {
    x.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  }
  for (float corner : {0.f, smallest, 0x1p-126f, 0.f, 1.f, 88.72283f, 88.72284f, 103.97f,
                       104.f, 65536.f, 65540.f, 1e10f, largest, infinity, nan,
                       0.669369519f, 0.626070082f, 0.635567427f}) {
    x.push_back(corner);
    x.push_back(-corner);
  }
  return x;
}

double exact_sigmoid(double x) {
  const double e = std::exp(-std::abs(x));
  return (x < 0 ? e : 1) / (1 + e);
}
double exact_softplus(double x) { return x > 20 ? x : std::log1p(std::exp(x)); }

BOOST_AUTO_TEST_SUITE(math)

BOOST_AUTO_TEST_CASE(errors_are_as_small_as_stated) {
  struct Case {
    std::string_view name;
    Op op;
    double (*exact)(double);
    double bound;
  };
  const Case cases[] = {
      {"exp", Op::exp, [](double x) { return std::exp(x); }, 1.1},
      {"log", Op::log, [](double x) { return std::log(x); }, 0.9},
      {"log1p", Op::log1p, [](double x) { return std::log1p(x); }, 1.6},
      {"expm1", Op::expm1, [](double x) { return std::expm1(x); }, 1.9},
      {"tanh", Op::tanh, [](double x) { return std::tanh(x); }, 2.6},
      {"sigmoid", Op::sigmoid, exact_sigmoid, 2.3},
      {"erf", Op::erf, [](double x) { return std::erf(x); }, 1.3},
      {"sin", Op::sin, [](double x) { return std::sin(x); }, 1.6},
      {"cos", Op::cos, [](double x) { return std::cos(x); }, 1.6},
      {"softplus", Op::softplus, exact_softplus, 1.9},
      {"sqrt", Op::sqrt, [](double x) { return std::sqrt(x); }, 0.5},
      {"rsqrt", Op::rsqrt, [](double x) { return 1 / std::sqrt(x); }, 1.5},
      {"reciprocal", Op::reciprocal, [](double x) { return 1 / x; }, 0.5},
  };
  const std::vector<float> x = samples();
  for (const Table& level : tables()) {
    for (const Case& c : cases) {
      const std::vector<float> y = apply(level.table, c.op, x);
      double worst = 0;
      float at = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        const double error = ulps(y[i], c.exact(x[i]));
        if (error > worst) {
          worst = error;
          at = x[i];
        }
      }
      BOOST_TEST(worst <= c.bound, level.name << ": " << c.name << "(" << at << ") is "
                                              << worst << " ulp off");
    }
  }
}

BOOST_AUTO_TEST_CASE(gated_functions_are_as_exact_as_stated) {
  // The error is measured in proportion to |x|: each is x times a number from 0 to 1.
  struct Case {
    std::string_view name;
    Op op;
    double (*gate)(double);
    double bound = 1.5e-7;
  };
  const Case cases[] = {
      {"silu", Op::silu, exact_sigmoid},
      {"gelu", Op::gelu, [](double x) { return 0.5 * std::erfc(-x * std::sqrt(0.5)); },
       1e-7},
      {"gelu_tanh", Op::gelu_tanh,
       [](double x) {
         return exact_sigmoid(2 * std::sqrt(2 / 3.14159265358979323846) *
                              (x + 0.044715 * x * x * x));
       }},
  };
  const std::vector<float> x = samples();
  for (const Table& level : tables()) {
    for (const Case& c : cases) {
      const std::vector<float> y = apply(level.table, c.op, x);
      double worst = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        if (!std::isnormal(x[i])) continue;
        const double error = std::abs(y[i] - x[i] * c.gate(x[i]));
        worst = std::max(worst, (error - smallest) / std::abs(x[i]));
      }
      BOOST_TEST(worst <= c.bound,
                 level.name << ": " << c.name << " is " << worst << " |x| off");
      BOOST_TEST(std::isnan(apply(level.table, c.op, nan)));
      BOOST_TEST(apply(level.table, c.op, infinity) == infinity);
    }
  }
}

BOOST_AUTO_TEST_CASE(the_slope_of_gelu_is_as_exact_as_stated) {
  std::vector<float> x = samples();
  x.insert(x.begin(), {infinity, -infinity, -20.f, -3e38f});
  const float one = 1;
  const void* in[] = {&one, x.data()};
  const std::int64_t strides[] = {0, 1};
  for (const Table& level : tables()) {
    std::vector<float> y(x.size());
    level.table.of(Op::gelu_backward, float32)(static_cast<std::int64_t>(x.size()), in,
                                               strides, y.data());
    double worst = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double at = x[i];
      if (!std::isfinite(at)) continue;
      const double density = std::exp(-0.5 * at * at) / std::sqrt(2 * 3.14159265358979);
      const double exact = 0.5 * std::erfc(-at * std::sqrt(0.5)) + at * density;
      worst = std::max(worst, std::abs(y[i] - exact));
    }
    BOOST_TEST(worst <= 1.5e-7, level.name << " is " << worst << " off");
    BOOST_TEST((std::isnan(y[0]) && std::isnan(y[1])));
    BOOST_TEST(std::abs(y[2]) < 1e-30);
    BOOST_TEST(std::abs(y[3]) < 1e-30);
  }
}

BOOST_AUTO_TEST_CASE(corners) {
  for (const Table& level : tables()) {
    BOOST_TEST_CONTEXT(level.name) {
      const auto f = [&](Op op, float x) { return apply(level.table, op, x); };
      BOOST_TEST(f(Op::exp, 0.f) == 1.f);
      BOOST_TEST(f(Op::exp, -infinity) == 0.f);
      BOOST_TEST(f(Op::exp, 88.7228f) < infinity);
      BOOST_TEST(f(Op::exp, 88.7229f) == infinity);
      BOOST_TEST(f(Op::exp, -103.9f) == smallest);
      BOOST_TEST(f(Op::exp, -104.f) == 0.f);
      BOOST_TEST(f(Op::log, 1.f) == 0.f);
      BOOST_TEST(f(Op::log, 0.f) == -infinity);
      BOOST_TEST(f(Op::log, -0.f) == -infinity);
      BOOST_TEST(std::isnan(f(Op::log, -1.f)));
      BOOST_TEST(std::signbit(f(Op::log1p, -0.f)));
      BOOST_TEST(f(Op::log1p, -1.f) == -infinity);
      BOOST_TEST(f(Op::log1p, smallest) == smallest);
      BOOST_TEST(f(Op::log1p, infinity) == infinity);
      BOOST_TEST(f(Op::tanh, 9.1f) == 1.f);
      BOOST_TEST(f(Op::tanh, -infinity) == -1.f);
      BOOST_TEST(f(Op::tanh, smallest) == smallest);
      BOOST_TEST(std::signbit(f(Op::tanh, -0.f)));
      BOOST_TEST(std::signbit(f(Op::expm1, -0.f)));
      BOOST_TEST(f(Op::sigmoid, 0.f) == 0.5f);
      BOOST_TEST(f(Op::sigmoid, -infinity) == 0.f);
      BOOST_TEST(f(Op::sigmoid, infinity) == 1.f);
      BOOST_TEST(f(Op::erf, 4.f) == 1.f);
      BOOST_TEST(f(Op::erf, -infinity) == -1.f);
      BOOST_TEST(f(Op::cos, 0.f) == 1.f);
      BOOST_TEST(std::isnan(f(Op::sin, infinity)));
      BOOST_TEST(std::signbit(f(Op::sin, -0.f)));
      BOOST_TEST(f(Op::softplus, 20.5f) == 20.5f);
      BOOST_TEST(f(Op::softplus, -infinity) == 0.f);
      BOOST_TEST(std::isnan(f(Op::gelu, -infinity)));
      BOOST_TEST(std::signbit(f(Op::gelu, -0.f)));
      BOOST_TEST(std::abs(f(Op::gelu, -3e38f)) < 1e-17);
      BOOST_TEST(f(Op::rsqrt, 0.f) == infinity);
      for (Op op :
           {Op::exp, Op::expm1, Op::log, Op::log1p, Op::tanh, Op::sigmoid, Op::erf,
            Op::sin, Op::cos, Op::softplus, Op::sqrt, Op::rsqrt, Op::relu}) {
        BOOST_TEST(std::isnan(f(op, nan)));
        BOOST_TEST(std::isnan(f(op, -nan)));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_number_is_computed_the_same_wherever_it_stands) {
  std::vector<float> x;
  for (int i = 0; i < 1000; ++i) x.push_back(0.37f * static_cast<float>(i - 500));
  x[700] = 1e9f;  // beyond what sin and cos do in a vector
  for (const Table& level : tables()) {
    for (Op op : {Op::exp, Op::expm1, Op::log, Op::log1p, Op::tanh, Op::sigmoid, Op::erf,
                  Op::sin, Op::cos, Op::softplus, Op::silu, Op::gelu, Op::gelu_tanh}) {
      const std::vector<float> y = apply(level.table, op, x);
      for (std::size_t i = 0; i < x.size(); ++i) {
        const float alone = apply(level.table, op, x[i]);
        BOOST_TEST(
            (std::bit_cast<std::uint32_t>(alone) == std::bit_cast<std::uint32_t>(y[i]) ||
             (std::isnan(alone) && std::isnan(y[i]))));
      }
    }
  }
}

// 1 / b overflows or underflows where x / b does not.
BOOST_AUTO_TEST_CASE(division_by_powers_of_two_at_the_ends_of_the_range) {
  const auto quotient = [](double x, double b, DType dtype) {
    return (full({1}, x, dtype) / b).item();
  };
  BOOST_TEST(quotient(0x1p-1060, 0x1p-1074, float64) == 0x1p14);
  BOOST_TEST(quotient(0x1p1000, 0x1p1023, float64) == 0x1p-23);
  BOOST_TEST(quotient(0x1p100, 0x1p127, float32) == 0x1p-27);
  BOOST_TEST(quotient(3, 0x1p-2, float32) == 12);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace

// The rows of the elementwise ops of one operand.
#include <cmath>

#include "tests/autograd/op_samples.h"
#include "tests/autograd/op_table.h"

namespace heed::tests {
namespace {

using Unary = Variable (*)(const Variable&);
using Numbers = std::function<Tensor(const Shape&)>;

Numbers between(double low, double high) {
  return [=](const Shape& shape) { return u(low, high, shape); };
}

// The shapes that every function is tried on: a scalar, a matrix, a transposed and a
// strided one, a single element, none.
std::vector<Sample> samples(const Numbers& x, Unary f) {
  const Function call = [f](In in) { return f(in[0]); };
  return {
      {{x({})}, call},
      {{x({2, 3})}, call},
      {{transpose(x({2, 3}), 0, 1)}, call},
      {{slice(x({3, 6}), 1, 0, to_end, 2)}, call},
      {{x({1, 1})}, call},
      {{x({0, 3})}, call},
  };
}

double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

double gelu_by_tanh(double x) {
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}

struct UnaryOp {
  const char* name;
  Unary f;
  Numbers x;         // inputs for the derivative
  double low, high;  // bounds of the inputs for the values
  double (*formula)(double);
  bool differentiable = true;
};

const UnaryOp ops[] = {
    {"abs", abs, apart, -3, 3, [](double x) { return std::abs(x); }},
    {"ceil", ceil, apart, -3, 3, [](double x) { return std::ceil(x); }},
    {"cos", cos, between(-4, 4), -30, 30, [](double x) { return std::cos(x); }},
    {"elu", [](const Variable& x) { return elu(x, 1.5); }, apart, -9, 9,
     [](double x) { return x > 0 ? x : 1.5 * std::expm1(x); }},
    {"erf", erf, between(-2, 2), -3, 3, [](double x) { return std::erf(x); }},
    {"exp", exp, between(-2, 2), -3, 3, [](double x) { return std::exp(x); }},
    {"expm1", expm1, between(-2, 2), -9, 9, [](double x) { return std::expm1(x); }},
    {"floor", floor, apart, -3, 3, [](double x) { return std::floor(x); }},
    {"gelu", [](const Variable& x) { return gelu(x); }, between(-3, 3), -3, 3,
     [](double x) { return x * normal_cdf(x); }},
    {"gelu", [](const Variable& x) { return gelu(x, Gelu::tanh); }, between(-3, 3), -3, 3,
     gelu_by_tanh},
    {"leaky_relu", [](const Variable& x) { return leaky_relu(x, 0.25); }, apart, -3, 3,
     [](double x) { return x > 0 ? x : 0.25 * x; }},
    {"log", log, between(0.4, 3), 0.01, 9, [](double x) { return std::log(x); }},
    {"log1p", log1p, between(-0.5, 2), -0.9, 9, [](double x) { return std::log1p(x); }},
    {"logsigmoid", logsigmoid, between(-4, 4), -20, 20,
     [](double x) { return std::min(x, 0.0) - std::log1p(std::exp(-std::abs(x))); }},
    {"neg", neg, between(-2, 2), -3, 3, [](double x) { return -x; }},
    {"operator-", [](const Variable& x) { return -x; }, between(-2, 2), -3, 3,
     [](double x) { return -x; }},
    {"reciprocal", reciprocal, between(0.4, 3), 0.01, 9, [](double x) { return 1 / x; }},
    {"relu", relu, apart, -3, 3, [](double x) { return x > 0 ? x : 0; }},
    {"round", round, apart, -3, 3, [](double x) { return std::nearbyint(x); }},
    {"rsqrt", rsqrt, between(0.4, 3), 0.01, 9, [](double x) { return 1 / std::sqrt(x); }},
    {"sigmoid", sigmoid, between(-4, 4), -20, 20,
     [](double x) { return 1 / (1 + std::exp(-x)); }},
    {"sign", sign, apart, -3, 3, [](double x) { return (x > 0) - (x < 0) + 0.0; }, false},
    {"silu", silu, between(-4, 4), -20, 20,
     [](double x) { return x / (1 + std::exp(-x)); }},
    {"sin", sin, between(-4, 4), -30, 30, [](double x) { return std::sin(x); }},
    {"softplus", softplus, between(-4, 4), -20, 30,
     [](double x) { return x > 20 ? x : std::log1p(std::exp(x)); }},
    {"sqrt", sqrt, between(0.4, 3), 0, 9, [](double x) { return std::sqrt(x); }},
    {"square", square, between(-2, 2), -3, 3, [](double x) { return x * x; }},
    {"tanh", tanh, between(-2, 2), -3, 3, [](double x) { return std::tanh(x); }},
};

}  // namespace

void add_unary_ops(std::vector<OpRow>& table) {
  for (const auto& [name, f, x, low, high, formula, differentiable] : ops) {
    table.push_back({name, samples(x, f), differentiable, {{f, formula, low, high}}});
  }
}

}  // namespace heed::tests

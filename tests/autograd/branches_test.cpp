// Derivatives where a rule branches or divides by zero: first ones in memory linear in
// the size, second ones without NaN. The values themselves are in tests/golden,
// group edges.

#include <cmath>

#include <boost/test/unit_test.hpp>

#include "tests/autograd/checks.h"
#include "tests/errors.h"

using namespace heed;

namespace {

using In = const std::vector<Variable>&;

// The second derivatives of sum(f) by x, summed over the first: d/dx sum(d sum(f)/dx).
std::vector<double> second(const Variable& x, const Variable& y) {
  const Variable first = grad(sum(y), {x}, {.create_graph = true})[0];
  return grad(sum(first), {x})[0].value().to_vector<double>();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(branches)

BOOST_AUTO_TEST_CASE(a_product_with_a_zero_is_differentiated_in_linear_memory) {
  const std::int64_t n = 3000;
  Tensor values = full({n}, 1.0, float64);
  values.set({n / 3}, 0);
  const Variable x(values, true);
  const std::int64_t before = memory::bytes_live();
  memory::reset_peak();
  const Variable dx = grad(prod(x), {x}, {.create_graph = true})[0];
  BOOST_TEST(sum(dx).item() == 1);  // at the zero
  // The derivative by the zero is n - 1, by each of the n - 1 others it is 1.
  const Tensor again = grad(sum(dx), {x})[0].value();
  BOOST_TEST(sum(again).item() == 2.0 * (n - 1));
  BOOST_TEST(memory::bytes_peak() - before < 60 * n * 8);
}

BOOST_AUTO_TEST_CASE(products_with_zeros_to_the_third_derivative) {
  // xyz: the third derivative by x, y and z is 1, wherever it is taken.
  for (int zeros_inside = 0; zeros_inside <= 3; ++zeros_inside) {
    Tensor values = full({3}, 2.0, float64);
    for (int i = 0; i < zeros_inside; ++i) values.set({i}, 0);
    Variable x(values, true);
    Variable y = prod(x);
    for (int i = 0; i < 3; ++i) {
      y = select(grad(y, {x}, {.create_graph = true})[0], 0, i);
    }
    BOOST_TEST(y.item() == 1, boost::test_tools::tolerance(1e-12));
  }
}

BOOST_AUTO_TEST_CASE(second_derivatives_at_constant_rows_are_zero) {
  const Variable x(tensor({{3, 3, 3}, {0, 0, 0}}, float64), true);
  const std::vector<double> none(6, 0.0);
  BOOST_TEST(second(x, heed::std(x, 1)) == none, boost::test_tools::per_element());
  const Variable zero(zeros({6}, float64), true);
  BOOST_TEST(second(zero, norm(zero)) == none, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_power_of_exponent_zero_is_differentiated_by_the_exponent) {
  const Tensor bases = tensor({0.5, 1, 2, 3}, float64), exponents = zeros({4}, float64);
  const Function power = [](In in) { return pow(in[0], in[1]); };
  const GradcheckReport report = gradgradcheck(power, {bases, exponents});
  BOOST_TEST(report.ok, report.text());
}

BOOST_AUTO_TEST_CASE(second_derivatives_of_powers_at_zero_are_numbers) {
  const Tensor exponents = tensor({0, 1, 2, 3}, float64);
  const Variable a(zeros({4}, float64), true), b(exponents, true);
  const std::vector<double> by_a = {0, 0, 2, 0};  // b (b - 1) a^(b - 2)
  BOOST_TEST(second(a, pow(a, exponents)) == by_a, boost::test_tools::per_element());
  const std::vector<double> by_b(4, 0.0);
  BOOST_TEST(second(b, pow(zeros({4}, float64), b)) == by_b,
             boost::test_tools::per_element());
  BOOST_TEST(second(b, pow(0.0, b)) == by_b, boost::test_tools::per_element());
  // Both together, so that each rule goes through the other.
  for (const Variable& g : grad(sum(pow(a, b)), {a, b}, {.create_graph = true})) {
    for (const Variable& gg : grad(sum(g), {a, b}, {.retain_graph = true})) {
      BOOST_TEST(all(isfinite(gg.value())).item() != 0);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_function_that_differentiates_can_be_checked_twice) {
  const Function slope = [](In in) {
    return grad(sum(exp(in[0] * in[1])), {in[0]}, {.create_graph = true})[0];
  };
  const std::vector<Tensor> at = {tensor({0.3, -1, 0.5}, float64),
                                  tensor({1.2, 0.4, -0.7}, float64)};
  const GradcheckReport first = gradcheck(slope, at), twice = gradgradcheck(slope, at);
  BOOST_TEST(first.ok, first.text());
  BOOST_TEST(twice.ok, twice.text());
}

// f(x) = x, with a rule that gives NaN for one element.
BOOST_AUTO_TEST_CASE(gradcheck_fails_at_a_gradient_that_is_no_number) {
  for (const int wrong : {0, 1, 2}) {
    const Function f = [wrong](In in) {
      const auto spoil = [wrong](auto& g) {
        Tensor spoiled = g.value().clone();
        spoiled.set({wrong}, std::nan(""));
        return Variable(spoiled);
      };
      return record({"spoiled", "dx = NaN"}, in[0].value().clone(), rule(in[0], spoil));
    };
    const GradcheckReport report = gradcheck(f, {tensor({1.0, 2.0, 3.0}, float64)});
    BOOST_TEST(!report.ok);
    BOOST_TEST(report.element == wrong);
    BOOST_TEST(std::isnan(report.worst));
  }
}

BOOST_AUTO_TEST_CASE(the_text_of_a_gradcheck) {
  const auto text = [](const Function& f) {
    return gradcheck(f, {tensor({0.0, 4.0}, float64)}, {.op = "f"}).text();
  };
  BOOST_TEST(text([](In in) { return in[0] + 1; }).starts_with("f: ok, worst error "));
  const Function wrong = [](In in) {
    return record({"wrong", "dx = 3 g"}, in[0].value() * 2,
                  rule(in[0], [](auto& g) { return g * 3; }));
  };
  BOOST_TEST(text(wrong).starts_with("f: input 0, element "));
  BOOST_TEST(text(wrong).find("corner") == std::string::npos);
  const std::string kink = text([](In in) { return relu(in[0] * 2); });
  BOOST_TEST(kink.ends_with("; the function seems to have a corner here"), kink);
}

// A function of the list of its inputs, or of its inputs one by one.
BOOST_AUTO_TEST_CASE(gradcheck_takes_functions_of_variables) {
  const Tensor x = tensor({0.5, -1.0}, float64), y = tensor({2.0, 3.0}, float64);
  const auto list = [](const std::vector<Variable>& in) { return in[0] * sin(in[1]); };
  const auto two = [](const Variable& a, const Variable& b) { return a * sin(b); };
  const auto three = [](Variable a, Variable b, Variable c) { return a * b + c; };
  const double worst = gradcheck(list, {x, y}).worst;
  BOOST_TEST(gradcheck(two, {x, y}).worst == worst);
  BOOST_TEST(gradcheck([](Variable a) { return a.sin(); }, {x}).ok);
  BOOST_TEST(gradgradcheck(three, {x, y, x}).ok);
  BOOST_TEST(error_of([&] { gradcheck(two, {x}); }) ==
             "the function takes 2 Variables, got 1 inputs");
}

BOOST_AUTO_TEST_CASE(gradcheck_differentiates_where_nothing_is_recorded) {
  const NoGrad no_grad;
  const GradcheckReport report =
      gradcheck([](In in) { return square(in[0]); }, {tensor({1.0, 2.0}, float64)});
  BOOST_TEST(report.ok, report.text());
}

BOOST_AUTO_TEST_CASE(numbers_of_copies_along_a_dimension_from_the_end) {
  const Function f = [](In in) { return repeat_interleave(in[0], 3, -1); };
  const GradcheckReport report = gradcheck(f, {rand({2, 3, 4}, float64)});
  BOOST_TEST(report.ok, report.text());
}

BOOST_AUTO_TEST_SUITE_END()
